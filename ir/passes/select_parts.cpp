#include <tutti/ir/passes/parts.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/recompute.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

// A concat of two is select(index < n, pad(first), pad(second)), and kernels read pads as what was
// padded (codegen/view.h): what reads the concat can then be one kernel with it, and so can what
// computes a part, if it is cheap: at places of other parts it computes something, too, which
// nobody looks at.
namespace tutti::ir {

namespace {

// A kernel reads all parts for each element. Of a small tensor that costs less than a call.
constexpr std::size_t kMostPartsOfLarge = 4;
constexpr std::int64_t kSmallConcat = 1024;  // elements
// Additions (work_of) that computing parts may cost an element.
constexpr int kMostWorkOfParts = 8;
constexpr int kMostWorkOfTinyParts = 64;
constexpr std::int64_t kTinyConcat = 256;  // elements
// Elements side by side that a kernel can compute at once.
constexpr std::int64_t kFewLanes = 8;

using List = std::vector<std::int64_t>;

List sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

std::size_t position(int dimension) { return static_cast<std::size_t>(dimension); }

class PartsSelection {
 public:
  explicit PartsSelection(const Graph& graph)
      : graph_(graph),
        uses_(count_uses(graph)),
        read_by_kernels_(graph.value_count(), false),
        reduced_to_few_(graph.value_count(), 0) {
    for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) {
      note_reduced(id);
      const OpClass own = kind(id);
      const bool reads = own == OpClass::elementwise || own == OpClass::reduce;
      const bool passes_on = is_other_name(id) && read_by_kernels_[graph.result(id).id];
      if (!reads && !passes_on) continue;
      for (const Value operand : graph.operands(id)) read_by_kernels_[operand.id] = true;
    }
  }

  bool visit(Rewriter& rewriter, NodeId id) const {
    if (graph_.node(id).op != Op::concat) return false;
    const Concat concat = concat_of(id);
    if (!is_worth_it(id, concat)) return false;
    const Value value = selected(rewriter, concat);
    const Value typed = as_type(rewriter.builder(), value, graph_.type(graph_.result(id)));
    if (!typed.valid()) return false;
    rewriter.replace(id, typed);
    return true;
  }

 private:
  struct Part {
    Value value;
    std::int64_t begin = 0;
    std::int64_t size = 0;
  };
  struct Concat {
    int axis = 0;
    Shape shape;
    std::vector<Part> parts;
  };
  // A part that is being computed.
  struct Place {
    Rewriter& rewriter;
    const Concat& concat;
    const Part& part;
    bool stacked = false;  // of values that do not have the axis
  };

  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }
  bool is_other_name(NodeId id) const {
    return graph_.node(id).op == Op::vary || graph_.node(id).op == Op::identity;
  }

  // What few results are computed of is divided between threads (split_reduction), which cannot be
  // done where an axis that is reduced has bounds.
  void note_reduced(NodeId id) {
    constexpr std::int64_t kFewResults = 4096;
    if (graph_.node(id).result_count != 1 || graph_.node(id).operand_count == 0) return;
    const Type& result = graph_.type(graph_.result(id));
    std::uint32_t axes = reduced_to_few_[graph_.result(id).id];
    if (kind(id) == OpClass::reduce && result.shape.elements() < kFewResults) {
      for (const std::int64_t axis : graph_.attributes(id).integers("axes")) axes |= 1U << axis;
    } else if (kind(id) != OpClass::elementwise && !is_other_name(id)) {
      return;
    }
    const bool reduces = kind(id) == OpClass::reduce;
    for (const Value operand : graph_.operands(id)) {
      if (reduces || graph_.type(operand).shape == result.shape) {
        reduced_to_few_[operand.id] |= axes;
      }
    }
  }

  Concat concat_of(NodeId id) const {
    Concat out{.axis = static_cast<int>(graph_.attributes(id).integer("axis")),
               .shape = graph_.type(graph_.result(id)).shape,
               .parts = {}};
    std::int64_t end = 0;
    for (const Value operand : graph_.operands(id)) {
      const std::int64_t size = graph_.type(operand).shape[out.axis];
      if (size > 0) out.parts.push_back({operand, end, size});
      end += size;
    }
    return out;
  }

  bool is_worth_it(NodeId id, const Concat& concat) const {
    const std::int64_t elements = concat.shape.elements();
    if (concat.parts.size() < 2 || elements == 0) return false;
    if (elements <= kSmallConcat) return concat.parts.size() <= kMostParts;
    if (concat.parts.size() > kMostPartsOfLarge) return false;
    std::int64_t lanes = concat.shape[concat.axis];
    for (int d = concat.axis + 1; d < concat.shape.rank(); ++d) {
      lanes = (d == concat.axis + 1 ? 1 : lanes) * concat.shape[d];
    }
    const Value result = graph_.result(id);
    const bool is_reduced = (reduced_to_few_[result.id] >> concat.axis & 1) != 0;
    return lanes >= kFewLanes && read_by_kernels_[result.id] && !is_reduced;
  }

  // How much of a part may be computed there, for each element of the whole.
  static int budget_of(const Concat& concat, const Part& part) {
    if (concat.shape.elements() <= kTinyConcat) return kMostWorkOfTinyParts;
    return part.size >= concat.shape[concat.axis] / 4 ? kMostWorkOfParts : 0;
  }

  Value selected(Rewriter& rewriter, const Concat& concat) const {
    Builder& builder = rewriter.builder();
    const List sizes = sizes_of(concat.shape);
    const bool narrow = concat.shape[concat.axis] <= std::numeric_limits<std::int32_t>::max();
    const DType dtype = narrow ? DType::i32 : DType::i64;
    const Value index =
        builder.add(Op::iota, std::span<const Value>{}, {dtype, sizes, std::int64_t{concat.axis}});
    Value out;
    for (std::size_t i = concat.parts.size(); i-- > 0;) {
      const Part& part = concat.parts[i];
      int budget = budget_of(concat, part);
      const Value own = computed({rewriter, concat, part}, part.value, budget);
      if (!out.valid()) {
        out = own;
        continue;
      }
      const Value end = builder.scalar(dtype, static_cast<double>(part.begin + part.size));
      out = builder.add(Op::select, {builder.add(Op::lt, {index, end}), own, out});
    }
    return out;
  }

  // A value that has the part's elements at the part's places: one of the concat's shape, or one
  // number for all.
  Value computed(const Place& place, Value value, int& budget) const {
    Builder& builder = place.rewriter.builder();
    if (const std::optional<Array> number = number_of(value)) return builder.constant(*number);
    const NodeId id = graph_.producer(value);
    if (uses_[value.id] == 1 && is_stacked(place, id)) {
      Place thin = place;
      thin.stacked = true;
      return computed(thin, graph_.operand(id, 0), budget);
    }
    const int work = work_of(graph_.node(id).op);
    if (kind(id) != OpClass::elementwise || uses_[value.id] != 1 || work > budget) {
      return placed(place, value);
    }
    budget -= work;
    std::vector<Value> operands;
    for (const Value operand : graph_.operands(id)) {
      operands.push_back(computed(place, operand, budget));
    }
    return builder.add(graph_.node(id).op, operands, graph_.node(id).attributes);
  }

  // Whether the node gives a value of no repetitions the axis of the concat, as stacking does.
  bool is_stacked(const Place& place, NodeId id) const {
    const Op op = graph_.node(id).op;
    if (place.stacked || place.part.size != 1 || graph_.node(id).operand_count != 1 ||
        (op != Op::reshape && op != Op::expand_dims && op != Op::broadcast_to)) {
      return false;
    }
    const Shape& from = graph_.type(graph_.operand(id, 0)).shape;
    const Shape& to = graph_.type(graph_.result(id)).shape;
    if (to.rank() != from.rank() + 1) return false;
    List sizes(from.begin(), from.end());
    sizes.insert(sizes.begin() + place.concat.axis, 1);
    const NodeId inner = graph_.producer(graph_.operand(id, 0));
    if (Shape(sizes) != to) return false;
    // All that it is computed of has to be given the axis.
    return kind(inner) == OpClass::elementwise;
  }

  // The one element that all of a value's are.
  std::optional<Array> number_of(Value value) const {
    NodeId id = graph_.producer(value);
    while (graph_.node(id).op == Op::broadcast_to || is_other_name(id)) {
      id = graph_.producer(graph_.operand(id, 0));
    }
    if (graph_.node(id).op != Op::constant) return std::nullopt;
    const Array& array = graph_.attributes(id).array("value");
    const std::span<const std::byte> bytes = array.bytes();
    const std::size_t size = static_cast<std::size_t>(size_of(array.dtype()));
    if (bytes.empty() || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0) {
      return std::nullopt;
    }
    Array out(array.dtype(), {});
    std::memcpy(out.bytes().data(), bytes.data(), size);
    return out;
  }

  // What a part is padded with: nobody looks at it, but a pad around another pad is a view only if
  // it pads with the same.
  Array fill_of(Value value) const {
    NodeId id = graph_.producer(value);
    while (kind(id) == OpClass::view) id = graph_.producer(graph_.operand(id, 0));
    const std::optional<Array> number =
        graph_.node(id).op == Op::pad ? number_of(graph_.operand(id, 1)) : std::nullopt;
    return number ? *number : Array::scalar_of(graph_.type(value).dtype, 0);
  }

  // An operand of the part, where the part lies in the concat.
  Value placed(const Place& place, Value value) const {
    Builder& builder = place.rewriter.builder();
    const Shape& whole = place.concat.shape;
    Value out = place.rewriter.map(value);
    if (place.stacked && builder.type(out).shape.rank() > 0) {
      List sizes = sizes_of(builder.type(out).shape);
      // Aligned at the last dimension, as all that is computed with is.
      const int missing = whole.rank() - 1 - builder.type(out).shape.rank();
      if (const int axis = place.concat.axis - missing; axis >= 0) {
        sizes.insert(sizes.begin() + axis, 1);
        out = builder.add(Op::reshape, {out}, {sizes});
      }
    }
    const Type type = builder.type(out);
    const int axis = place.concat.axis - (whole.rank() - type.shape.rank());
    if (axis >= 0 && place.part.size > 1 && type.shape[axis] == place.part.size) {
      List low(position(type.shape.rank()), 0);
      List high = low;
      low[position(axis)] = place.part.begin;
      high[position(axis)] = whole[place.concat.axis] - place.part.begin - place.part.size;
      const List interior(low.size(), 0);
      out = builder.add(Op::pad, {out, builder.constant(fill_of(value))}, {low, high, interior});
    }
    if (builder.type(out).shape == whole) return out;
    return builder.add(Op::broadcast_to, {out}, {sizes_of(whole)});
  }

  const Graph& graph_;
  const std::vector<std::uint32_t> uses_;
  std::vector<bool> read_by_kernels_;          // by value
  std::vector<std::uint32_t> reduced_to_few_;  // by value: the axes, a bit each
};

}  // namespace

bool select_parts(Graph& graph) {
  const PartsSelection selection(graph);
  const bool changed =
      rewrite(graph, [&](Rewriter& rewriter, NodeId id) { return selection.visit(rewriter, id); });
  if (changed) dce(graph);
  return changed;
}

}  // namespace tutti::ir
