#include <tutti/ir/cumulative.h>
#include <tutti/ir/neutral.h>
#include <tutti/ir/scalar.h>
#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/stablehlo/layout.h>

#include <cmath>
#include <limits>

// Reductions, running sums and sorting.
namespace tutti::ir::stablehlo {

namespace {

// The number that every other one wins against.
TextValue extreme(TextWriter& writer, DType dtype, bool greatest) {
  return writer.constant(neutral(greatest ? ScalarOp::minimum : ScalarOp::maximum, dtype));
}

// Combines elements over axes with an operation of two operands.
TextValue export_reduction(TextWriter& writer, const TextValue& x, const TextValue& start,
                           std::string_view name, const List& axes) {
  if (axes.empty()) return x;
  List sizes;
  for (int d = 0; d < x.shape.rank(); ++d) {
    bool goes = false;
    for (const std::int64_t axis : axes) goes = goes || axis == d;
    if (!goes) sizes.push_back(x.shape[d]);
  }
  return writer.mapped("stablehlo.reduce(" + x.name + " init: " + start.name +
                           ") applies stablehlo." + std::string(name) + " across dimensions = [" +
                           numbers_text(axes) + "]",
                       std::array{x, start}, x.dtype, Shape(sizes));
}

void finish(ExportStep& step, const TextValue& value) {
  step.result(step.writer.reshape(value, step.type().shape));
}

// Sums and products of narrow floats are rounded once.
void fold(ExportStep& step, std::string_view name, double start) {
  TextWriter& writer = step.writer;
  const DType dtype = step.type().dtype;
  const TextValue x = writer.convert(step.operand(0), compute_dtype(dtype));
  const TextValue out = export_reduction(writer, x, writer.constant(x.dtype, {}, start), name,
                                         step.attributes.integers("axes"));
  finish(step, writer.convert(out, dtype));
}

void choose_by_name(ExportStep& step, std::string_view name, bool greatest_first) {
  const TextValue& x = step.operand(0);
  finish(step, export_reduction(step.writer, x, extreme(step.writer, x.dtype, greatest_first), name,
                                step.attributes.integers("axes")));
}

// Pairs of an element and its index: the better element, NaN above all, then the smaller index.
void index_of_extreme(ExportStep& step, std::string_view better, bool greatest_first) {
  TextWriter& writer = step.writer;
  const TextValue& x = step.operand(0);
  const std::int64_t axis = step.attributes.integer("axis");
  const TextValue places = writer.iota(DType::i64, x.shape, axis);
  const TextValue start = extreme(writer, x.dtype, greatest_first);
  const TextValue zero = writer.constant(DType::i64, {}, 0);
  const TextValue element{.name = "", .dtype = x.dtype, .shape = {}};
  const TextValue index{.name = "", .dtype = DType::i64, .shape = {}};
  List sizes(x.shape.begin(), x.shape.end());
  sizes.erase(sizes.begin() + axis);
  const Shape shape(sizes);
  const TextWriter::Block block{
      .arguments = {element, index, element, index},
      .body = [&](std::span<const TextValue> a) -> TextValues {
        TextValue wins = writer.compare(better, a[0], a[2]);
        if (is_floating(x.dtype)) {
          wins = writer.alike("or", {wins, writer.compare("NE", a[0], a[0])});
        }
        const TextValue ties = writer.compare("EQ", a[0], a[2]);
        const TextValue before = writer.compare("LT", a[1], a[3]);
        const TextValue first = writer.alike("or", {wins, writer.alike("and", {ties, before})});
        return {writer.select(wins, a[0], a[2]), writer.select(first, a[1], a[3])};
      }};
  finish(step, writer.with_regions("reduce", std::array{x, places, start, zero},
                                   "dimensions = " + array_text(List{axis}), std::span(&block, 1),
                                   {{.name = "", .dtype = x.dtype, .shape = shape},
                                    {.name = "", .dtype = DType::i64, .shape = shape}})[1]);
}

// A window that ends, or begins, at each element.
void export_running(ExportStep& step, std::string_view name) {
  TextWriter& writer = step.writer;
  const DType dtype = step.type().dtype;
  const auto axis = static_cast<std::size_t>(step.attributes.integer("axis"));
  const TextValue& given = step.operand(0);
  if (given.shape.elements() == 0) return step.result(given);
  const TextValue x = writer.convert(given, compute_dtype(dtype));
  const auto rank = static_cast<std::size_t>(x.shape.rank());
  const std::int64_t size = x.shape.sizes()[axis];
  List window(rank, 1);
  window[axis] = size;
  Array padding(DType::i64, {x.shape.rank(), 2});
  padding.data<std::int64_t>()[2 * axis + (step.attributes.flag("reverse") ? 1 : 0)] = size - 1;
  const TextValue scalar{.name = "", .dtype = x.dtype, .shape = {}};
  const TextWriter::Block block{.arguments = {scalar, scalar},
                                .body = [&](std::span<const TextValue> a) -> TextValues {
                                  return {writer.alike(name, {a[0], a[1]})};
                                }};
  const TextValue start = writer.constant(neutral(*running_combination(step.op()), x.dtype));
  const TextValue out = writer.with_regions(
      "reduce_window", std::array{x, start},
      "padding = " + dense_text(padding) + ", window_dimensions = " + array_text(window),
      std::span(&block, 1), {{.name = "", .dtype = x.dtype, .shape = x.shape}})[0];
  step.result(writer.convert(out, dtype));
}

// An element as a total order has to see it: zeros alike, and NaN alike and last.
TextValue ordered(TextWriter& writer, const TextValue& x) {
  const TextValue zero = writer.like(x, 0);
  const TextValue folded = writer.select(writer.compare("EQ", x, zero), zero, x);
  const TextValue nan = writer.like(x, std::numeric_limits<double>::quiet_NaN());
  return writer.select(writer.compare("NE", x, x), nan, folded);
}

void export_sort(ExportStep& step) {
  TextWriter& writer = step.writer;
  const TextValue& x = step.operand(0);
  const std::int64_t axis = step.attributes.integer("axis");
  const std::string direction = step.attributes.flag("descending") ? "GT" : "LT";
  const TextValue places = writer.iota(DType::i64, x.shape, axis);
  const TextValue element{.name = "", .dtype = x.dtype, .shape = {}};
  const TextValue index{.name = "", .dtype = DType::i64, .shape = {}};
  const TextWriter::Block block{
      .arguments = {element, element, index, index},
      .body = [&](std::span<const TextValue> a) -> TextValues {
        if (!is_floating(x.dtype)) return {writer.compare(direction, a[0], a[1])};
        const TextValue left = ordered(writer, a[0]);
        const TextValue right = ordered(writer, a[1]);
        return {writer.mapped("stablehlo.compare " + direction + ", " + left.name + ", " +
                                  right.name + ", TOTALORDER",
                              std::array{left, right}, DType::boolean, {})};
      }};
  for (TextValue& result :
       writer.with_regions("sort", std::array{x, places},
                           "dimension = " + std::to_string(axis) + " : i64, is_stable = true",
                           std::span(&block, 1), {x, places})) {
    result.number.reset();
    step.result(std::move(result));
  }
}

constexpr ExportRule kExportReduceRules[] = {
    {Op::sum, [](ExportStep& step) { fold(step, "add", 0); }},
    {Op::prod, [](ExportStep& step) { fold(step, "multiply", 1); }},
    {Op::max, [](ExportStep& step) { choose_by_name(step, "maximum", false); }},
    {Op::min, [](ExportStep& step) { choose_by_name(step, "minimum", true); }},
    {Op::any, [](ExportStep& step) { fold(step, "or", 0); }},
    {Op::all, [](ExportStep& step) { fold(step, "and", 1); }},
    {Op::argmax, [](ExportStep& step) { index_of_extreme(step, "GT", false); }},
    {Op::argmin, [](ExportStep& step) { index_of_extreme(step, "LT", true); }},
    {Op::cumsum, [](ExportStep& step) { export_running(step, "add"); }},
    {Op::cumprod, [](ExportStep& step) { export_running(step, "multiply"); }},
    {Op::cummax, [](ExportStep& step) { export_running(step, "maximum"); }},
    {Op::cummin, [](ExportStep& step) { export_running(step, "minimum"); }},
    {Op::sort, export_sort},
};

}  // namespace

std::span<const ExportRule> exported_reductions() { return kExportReduceRules; }

}  // namespace tutti::ir::stablehlo
