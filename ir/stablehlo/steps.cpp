#include <tutti/ir/stablehlo/steps.h>

#include <cstdlib>
#include <utility>

namespace tutti::ir::stablehlo {

namespace {

// Bounds with which nothing here overflows.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;
constexpr std::int64_t kSteepest = std::int64_t{1} << 30;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 31;

bool has_whole_numbers(DType dtype) { return is_integer(dtype) || dtype == DType::boolean; }

bool in_range(std::int64_t value, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      return value == 0 || value == 1;
    } else if constexpr (std::is_integral_v<T>) {
      return std::in_range<T>(value);
    } else {
      return false;
    }
  });
}

}  // namespace

std::optional<std::int64_t> steps_of(std::int64_t first, std::int64_t bound, std::int64_t by,
                                     DType dtype) {
  if (by < 1 || !is_integer(dtype)) return std::nullopt;
  const std::int64_t steps = bound <= first ? 0 : (bound - first + by - 1) / by;
  return in_range(first + steps * by, dtype) ? std::optional(steps) : std::nullopt;
}

std::optional<std::int64_t> integer_at(const Array& array, std::int64_t element) {
  if (!has_whole_numbers(array.dtype()) || array.elements() == 0) return std::nullopt;
  const double number = array.at(element);
  if (std::abs(number) > static_cast<double>(kLargest)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Lines::Lines(const Graph& body, const std::vector<std::optional<Line>>& of_parameters,
             std::int64_t length)
    : body_(body), length_(length) {
  if (length < 1 || length > kMostSteps) return;
  for (std::size_t i = 0; i < of_parameters.size(); ++i) {
    const Value value = body.parameters()[i].value;
    if (of_parameters[i] && fits(*of_parameters[i], body.type(value).dtype)) {
      lines_[value] = *of_parameters[i];
    }
  }
  for (NodeId id = 0; id < body.node_count(); ++id) {
    if (body.node(id).result_count != 1 || body.node(id).op == Op::parameter) continue;
    const Value value = body.result(id);
    if (!has_whole_numbers(body.type(value).dtype)) continue;
    const std::optional<Line> found = line(id);
    if (found && fits(*found, body.type(value).dtype)) lines_[value] = *found;
  }
}

std::optional<Line> Lines::of(Value value) const {
  const auto found = lines_.find(value);
  return found == lines_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Line> Lines::of_first(Value vector) const {
  if (const std::optional<Line> all = of(vector)) return all;
  const NodeId producer = body_.producer(vector);
  if (body_.node(producer).op == Op::concat) return of(body_.operand(producer, 0));
  if (body_.node(producer).op != Op::constant) return std::nullopt;
  const std::optional<std::int64_t> first =
      integer_at(body_.attributes(producer).array("value"), 0);
  return first ? std::optional(Line{.slope = 0, .start = *first}) : std::nullopt;
}

std::optional<Line> Lines::line(NodeId node) const {
  const Op op = body_.node(node).op;
  if (op == Op::constant) {
    const Array& array = body_.attributes(node).array("value");
    const std::optional<std::int64_t> number = integer_at(array, 0);
    if (!number || array.elements() != 1) return std::nullopt;
    return Line{.slope = 0, .start = *number};
  }
  std::vector<Line> x;
  for (const Value operand : body_.operands(node)) {
    const std::optional<Line> own = of(operand);
    if (!own) return std::nullopt;
    x.push_back(*own);
  }
  switch (op) {
    case Op::reshape:
    case Op::broadcast_to:
    case Op::cast:
    case Op::vary:
      // A truth of a number is another line.
      if (body_.type(body_.result(node)).dtype == DType::boolean && op == Op::cast) break;
      return x[0];
    case Op::neg:
      return Line{.slope = -x[0].slope, .start = -x[0].start};
    case Op::add:
      return Line{.slope = x[0].slope + x[1].slope, .start = x[0].start + x[1].start};
    case Op::sub:
      return Line{.slope = x[0].slope - x[1].slope, .start = x[0].start - x[1].start};
    case Op::mul: {
      if (x[0].slope != 0) std::swap(x[0], x[1]);
      const std::int64_t by = x[0].start;
      if (x[0].slope != 0 || std::abs(by) > (1 << 20)) break;
      return Line{.slope = by * x[1].slope, .start = by * x[1].start};
    }
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      return compared(op, x[0], x[1]);
    case Op::select:
      if (x[0].slope == 0) return x[0].start != 0 ? x[1] : x[2];
      break;
    case Op::maximum:
    case Op::minimum:
      return chosen(x[0], x[1], op == Op::maximum);
    default:
      break;
  }
  return std::nullopt;
}

// A comparison that turns out the same way in every step.
std::optional<Line> Lines::compared(Op op, Line a, Line b) const {
  const std::int64_t first = a.at(0) - b.at(0);
  const std::int64_t last = a.at(length_ - 1) - b.at(length_ - 1);
  const bool less = first < 0 && last < 0;
  const bool more = first > 0 && last > 0;
  const bool equal = first == 0 && last == 0;
  const auto truth = [](bool holds) { return Line{.slope = 0, .start = holds ? 1 : 0}; };
  if (less || more || equal) {
    switch (op) {
      case Op::lt:
        return truth(less);
      case Op::le:
        return truth(less || equal);
      case Op::gt:
        return truth(more);
      case Op::ge:
        return truth(more || equal);
      case Op::eq:
        return truth(equal);
      default:
        return truth(!equal);
    }
  }
  if (first <= 0 && last <= 0 && (op == Op::le || op == Op::gt)) return truth(op == Op::le);
  if (first >= 0 && last >= 0 && (op == Op::ge || op == Op::lt)) return truth(op == Op::ge);
  return std::nullopt;
}

std::optional<Line> Lines::chosen(Line a, Line b, bool larger) const {
  const std::int64_t first = a.at(0) - b.at(0);
  const std::int64_t last = a.at(length_ - 1) - b.at(length_ - 1);
  if (first >= 0 && last >= 0) return larger ? a : b;
  if (first <= 0 && last <= 0) return larger ? b : a;
  return std::nullopt;
}

bool Lines::fits(Line line, DType dtype) const {
  if (std::abs(line.slope) > kSteepest) return false;
  for (const std::int64_t value : {line.at(0), line.at(length_ - 1)}) {
    if (std::abs(value) > kLargest) return false;
    if (!in_range(value, dtype)) return false;
  }
  return true;
}

}  // namespace tutti::ir::stablehlo
