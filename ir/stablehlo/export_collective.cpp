#include <tutti/ir/scalar.h>
#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/stablehlo/layout.h>

#include <bit>

// Collectives over replicas. A group's rows name ranks, so there are no channels: these would make
// them partitions. What waits is StableHLO's affair.
namespace tutti::ir::stablehlo {

namespace {

// One row a group: [groups, members].
Array rows_of(const ExportStep& step) {
  const Group& group = *step.attributes.group("group");
  if (std::ssize(group.ranks) != step.ranks) {
    step.fail("the groups of \"" + group.tag + "\" do not hold all " + std::to_string(step.ranks) +
              " ranks");
  }
  return Array::from(std::span<const std::int64_t>(group.ranks),
                     {step.ranks / group.size(), group.size()});
}

std::string groups_text(const Array& rows) { return "replica_groups = " + dense_text(rows); }

// This rank's place in its group.
TextValue position(const ExportStep& step) {
  TextWriter& writer = step.writer;
  const Group& group = *step.attributes.group("group");
  rows_of(step);
  Array places(DType::i64, {step.ranks});
  for (std::int64_t rank = 0; rank < step.ranks; ++rank) {
    places.data<std::int64_t>()[static_cast<std::size_t>(rank)] = group.position_of(rank);
  }
  const TextValue own = writer.operation("stablehlo.replica_id", "tensor<ui32>", DType::u32, {});
  const TextValue table = writer.constant(places);
  const TextValue index = writer.convert(own, DType::i64);
  return writer.reshape(writer.dynamic_slice(table, std::span(&index, 1), {1}), {});
}

std::string_view combination(const std::string& op) {
  if (op == "sum" || op == "mean") return "add";
  if (op == "product") return "multiply";
  if (op == "min") return "minimum";
  if (op == "max") return "maximum";
  return op;  // and, or, xor
}

// Of narrow floats in f32, rounded once.
TextValue combined(ExportStep& step, std::string_view name, const TextValue& given,
                   const std::string& more, const Shape& shape) {
  TextWriter& writer = step.writer;
  const std::string& op = step.attributes.text("op");
  const bool exact = op == "min" || op == "max";
  const TextValue x = exact ? given : writer.convert(given, compute_dtype(given.dtype));
  const TextValue scalar{.name = "", .dtype = x.dtype, .shape = {}};
  const TextWriter::Block block{.arguments = {scalar, scalar},
                                .body = [&](std::span<const TextValue> a) -> TextValues {
                                  return {writer.alike(combination(op), {a[0], a[1]})};
                                }};
  TextValue out = writer.with_regions(name, std::span(&x, 1), groups_text(rows_of(step)) + more,
                                      std::span(&block, 1),
                                      {{.name = "", .dtype = x.dtype, .shape = shape}})[0];
  if (op == "mean") {
    const auto members = static_cast<double>(step.attributes.group("group")->size());
    out = writer.alike("divide", {out, writer.like(out, members)});
  }
  return writer.convert(out, given.dtype);
}

void refuse_sizes(const ExportStep& step, std::string_view name) {
  if (!step.attributes.integers(name).empty()) {
    step.fail("the ranks' parts are uneven, and StableHLO's ranks run one program");
  }
}

// x at the root, zeros elsewhere.
TextValue at_root(ExportStep& step, const TextValue& x) {
  TextWriter& writer = step.writer;
  const TextValue own = position(step);
  const TextValue root = writer.like(own, static_cast<double>(step.attributes.integer("root")));
  const TextValue is_root = writer.broadcast(writer.compare("EQ", own, root), x.shape);
  return writer.select(is_root, x, writer.like(x, 0));
}

TextValue reduced(ExportStep& step, const TextValue& x) {
  return combined(step, "all_reduce", x, "", x.shape);
}

TextValue scattered(ExportStep& step, const TextValue& x, const Shape& shape) {
  refuse_sizes(step, "sizes");
  return combined(
      step, "reduce_scatter", x,
      ", scatter_dimension = " + std::to_string(step.attributes.integer("axis")) + " : i64", shape);
}

// An operation of one operand without a region.
TextValue moved(ExportStep& step, std::string_view name, const TextValue& x,
                const std::string& properties, const Shape& shape) {
  return step.writer.with_regions(name, std::span(&x, 1), properties, {},
                                  {{.name = "", .dtype = x.dtype, .shape = shape}})[0];
}

TextValue gathered(ExportStep& step, const TextValue& x, const Shape& shape) {
  refuse_sizes(step, "sizes");
  return moved(step, "all_gather", x,
               "all_gather_dim = " + std::to_string(step.attributes.integer("axis")) + " : i64, " +
                   groups_text(rows_of(step)),
               shape);
}

// The root's bits and zeros of the others, added: not all of XLA's backends have an operation for
// it. Bits, so that -0 and NaN pass as they are.
TextValue from_root(ExportStep& step, const TextValue& x) {
  constexpr DType kBits[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  TextWriter& writer = step.writer;
  const auto bitcast = [&](const TextValue& value, DType dtype) {
    return writer.mapped("stablehlo.bitcast_convert " + value.name, std::array{value}, dtype,
                         value.shape);
  };
  const int power = std::countr_zero(static_cast<std::uint64_t>(size_of(x.dtype)));
  const TextValue bits = is_floating(x.dtype) ? bitcast(x, kBits[power]) : x;
  const TextValue masked = at_root(step, bits);
  const TextValue scalar{.name = "", .dtype = bits.dtype, .shape = {}};
  const TextWriter::Block block{
      .arguments = {scalar, scalar}, .body = [&](std::span<const TextValue> a) -> TextValues {
        return {writer.alike(bits.dtype == DType::boolean ? "or" : "add", {a[0], a[1]})};
      }};
  const TextValue out = writer.with_regions(
      "all_reduce", std::span(&masked, 1), groups_text(rows_of(step)), std::span(&block, 1),
      {{.name = "", .dtype = bits.dtype, .shape = bits.shape}})[0];
  return is_floating(x.dtype) ? bitcast(out, x.dtype) : out;
}

// This rank's part of what the root has.
TextValue part_of_root(ExportStep& step, const TextValue& x, const Shape& shape) {
  refuse_sizes(step, "sizes");
  TextWriter& writer = step.writer;
  const auto axis = static_cast<std::size_t>(step.attributes.integer("axis"));
  const TextValue whole = from_root(step, x);
  const TextValue own = position(step);
  const TextValue size = writer.like(own, static_cast<double>(shape.sizes()[axis]));
  TextValues starts(static_cast<std::size_t>(x.shape.rank()), writer.like(own, 0));
  starts[axis] = writer.alike("multiply", {own, size});
  return writer.dynamic_slice(whole, starts, shape);
}

TextValue exchanged(ExportStep& step, const TextValue& x, const Shape& shape) {
  refuse_sizes(step, "send_sizes");
  const std::string axis = std::to_string(step.attributes.integer("axis"));
  return moved(
      step, "all_to_all", x,
      "split_dimension = " + axis + " : i64, concat_dimension = " + axis +
          " : i64, split_count = " + std::to_string(step.attributes.group("group")->size()) +
          " : i64, " + groups_text(rows_of(step)),
      shape);
}

// Positions become ranks, in every group.
TextValue permuted(ExportStep& step, const TextValue& x) {
  const Group& group = *step.attributes.group("group");
  const List& pairs = step.attributes.integers("pairs");
  List ranks;
  for (std::int64_t first = 0; first < std::ssize(group.ranks); first += group.size()) {
    for (const std::int64_t member : pairs) {
      ranks.push_back(group.ranks[static_cast<std::size_t>(first + member)]);
    }
  }
  const Array table = Array::from(std::span<const std::int64_t>(ranks), {std::ssize(ranks) / 2, 2});
  return moved(step, "collective_permute", x, "source_target_pairs = " + dense_text(table),
               x.shape);
}

// A rule that treats the operands one by one.
template <class F>
void each(ExportStep& step, F&& f) {
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    step.result(f(step.operand(i), step.type(i).shape));
  }
}

constexpr std::string_view kMessages =
    "StableHLO's ranks run one program and send no messages to a single rank";

constexpr ExportRule kExportCollectiveRules[] = {
    {Op::all_reduce,
     [](ExportStep& step) { each(step, [&](const auto& x, auto&) { return reduced(step, x); }); }},
    {Op::reduce,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto&) { return at_root(step, reduced(step, x)); });
     }},
    {Op::all_gather,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto& shape) { return gathered(step, x, shape); });
     }},
    {Op::gather,
     [](ExportStep& step) {
       each(step,
            [&](const auto& x, auto& shape) { return at_root(step, gathered(step, x, shape)); });
     }},
    {Op::reduce_scatter,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto& shape) { return scattered(step, x, shape); });
     }},
    {Op::scatter,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto& shape) { return part_of_root(step, x, shape); });
     }},
    {Op::broadcast,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto&) { return from_root(step, x); });
     }},
    {Op::all_to_all,
     [](ExportStep& step) {
       each(step, [&](const auto& x, auto& shape) { return exchanged(step, x, shape); });
     }},
    {Op::collective_permute,
     [](ExportStep& step) { each(step, [&](const auto& x, auto&) { return permuted(step, x); }); }},
    {Op::scan_ranks, nullptr,
     "StableHLO has no running reduction over ranks; all_gather the operands"},
    {Op::send, nullptr, kMessages},
    {Op::recv, nullptr, kMessages},
    {Op::batch_send_recv, nullptr, kMessages},
    {Op::barrier, nullptr, "StableHLO has no barrier that ranks meet at"},
    {Op::wait, [](ExportStep& step) { step.result(step.operand(0)); }},
    {Op::vary, [](ExportStep& step) { step.result(step.operand(0)); }},
    {Op::rank_index, [](ExportStep& step) { step.result(position(step)); }},
};

}  // namespace

std::span<const ExportRule> exported_collectives() { return kExportCollectiveRules; }

}  // namespace tutti::ir::stablehlo
