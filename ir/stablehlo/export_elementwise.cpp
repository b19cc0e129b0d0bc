#include <tutti/ir/scalar.h>
#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cmath>

// Elementwise ops are written by their meaning: a rendering for each scalar primitive. Those that
// StableHLO has a name for get that.
namespace tutti::ir::stablehlo {

namespace {

struct Rendering {
  ScalarOp op;
  std::string_view name;
  bool once = false;  // of narrow floats: the same as computed in f32 and rounded
};

// Primitives that StableHLO has as they are.
constexpr Rendering kRenderings[] = {
    {ScalarOp::neg, "negate", true},
    {ScalarOp::abs, "abs", true},
    {ScalarOp::exp, "exponential"},
    {ScalarOp::expm1, "exponential_minus_one"},
    {ScalarOp::log, "log"},
    {ScalarOp::log1p, "log_plus_one"},
    {ScalarOp::sqrt, "sqrt"},
    {ScalarOp::cbrt, "cbrt"},
    {ScalarOp::sin, "sine"},
    {ScalarOp::cos, "cosine"},
    {ScalarOp::tan, "tan"},
    {ScalarOp::tanh, "tanh"},
    {ScalarOp::floor, "floor", true},
    {ScalarOp::ceil, "ceil", true},
    {ScalarOp::round, "round_nearest_even", true},
    {ScalarOp::bit_not, "not", true},
    {ScalarOp::add, "add"},
    {ScalarOp::sub, "subtract"},
    {ScalarOp::mul, "multiply"},
    {ScalarOp::minimum, "minimum", true},
    {ScalarOp::maximum, "maximum", true},
    {ScalarOp::pow, "power"},
    {ScalarOp::atan2, "atan2"},
    {ScalarOp::bit_and, "and", true},
    {ScalarOp::bit_or, "or", true},
    {ScalarOp::bit_xor, "xor", true},
};

constexpr std::pair<ScalarOp, std::string_view> kComparisons[] = {
    {ScalarOp::eq, "EQ"}, {ScalarOp::ne, "NE"}, {ScalarOp::lt, "LT"},
    {ScalarOp::le, "LE"}, {ScalarOp::gt, "GT"}, {ScalarOp::ge, "GE"},
};

const Rendering* rendering_of(ScalarOp op) {
  const auto* const found = std::ranges::find(kRenderings, op, &Rendering::op);
  return found == std::end(kRenderings) ? nullptr : found;
}

// Writes one node of an expression.
class Primitive {
 public:
  Primitive(TextWriter& writer, const ExportStep& step) : writer_(writer), step_(step) {}

  TextValue write(ScalarOp op, const TextValue& x, const TextValue& y, const TextValue& z) {
    if (op == ScalarOp::abs && is_unsigned(x.dtype)) return x;
    if (const Rendering* const plain = rendering_of(op)) {
      return operand_count(op) == 1 ? writer_.alike(plain->name, {x})
                                    : writer_.alike(plain->name, {x, y});
    }
    for (const auto& [comparison, direction] : kComparisons) {
      if (comparison == op) return writer_.compare(direction, x, y);
    }
    switch (op) {
      case ScalarOp::erf:
        return writer_.operation("chlo.erf " + x.name, x.type() + " -> " + x.type(), x.dtype,
                                 x.shape);
      case ScalarOp::exp2:
        return writer_.alike("power", {writer_.like(x, 2), x});
      case ScalarOp::log2:
        return writer_.alike("divide", {writer_.alike("log", {x}), writer_.like(x, std::log(2.0))});
      case ScalarOp::div:
        return divide(x, y);
      case ScalarOp::mod:
        return remainder(x, y);
      case ScalarOp::shift_left:
      case ScalarOp::shift_right:
        return shift(op, x, y);
      case ScalarOp::select:
        return writer_.select(x, y, z);
      case ScalarOp::fma:
        return multiply_add(x, y, z);
      default:
        throw InternalError("no StableHLO for the scalar " + std::string(name_of(op)));
    }
  }

 private:
  // Whether integers are divided by what no machine minds.
  static bool is_harmless(const TextValue& divisor) {
    return divisor.number && *divisor.number != 0 && *divisor.number != -1;
  }
  // What StableHLO leaves open is asked for first: division by 0 and, of signed integers, by -1.
  TextValue divide_guarded(std::string_view name, const TextValue& x, const TextValue& y,
                           const TextValue& by_zero, const TextValue& by_minus_one) {
    const TextValue zero = writer_.compare("EQ", y, writer_.like(y, 0));
    const TextValue one = writer_.like(y, 1);
    if (is_unsigned(x.dtype)) {
      const TextValue out = writer_.alike(name, {x, writer_.select(zero, one, y)});
      return writer_.select(zero, by_zero, out);
    }
    const TextValue minus = writer_.compare("EQ", y, writer_.like(y, -1));
    const TextValue safe = writer_.select(writer_.alike("or", {zero, minus}), one, y);
    const TextValue out = writer_.alike(name, {x, safe});
    return writer_.select(zero, by_zero, writer_.select(minus, by_minus_one, out));
  }
  TextValue divide(const TextValue& x, const TextValue& y) {
    if (is_floating(x.dtype) || is_harmless(y)) return writer_.alike("divide", {x, y});
    const TextValue ones = writer_.alike("not", {writer_.like(x, 0)});
    const TextValue negated = is_unsigned(x.dtype) ? x : writer_.alike("negate", {x});
    return divide_guarded("divide", x, y, ones, negated);
  }
  TextValue remainder(const TextValue& x, const TextValue& y) {
    if (is_floating(x.dtype) || is_harmless(y)) return writer_.alike("remainder", {x, y});
    return divide_guarded("remainder", x, y, x, writer_.like(x, 0));
  }

  TextValue shift(ScalarOp op, const TextValue& x, const TextValue& y) {
    const bool left = op == ScalarOp::shift_left;
    const bool keeps_sign = !left && is_signed_integer(x.dtype);
    const std::string_view name = left         ? "shift_left"
                                  : keeps_sign ? "shift_right_arithmetic"
                                               : "shift_right_logical";
    const auto width = static_cast<double>(size_of(x.dtype) * 8);
    if (y.number && *y.number >= 0 && *y.number < width) return writer_.alike(name, {x, y});
    TextValue too_far = writer_.compare("GE", y, writer_.like(y, width));
    if (!is_unsigned(y.dtype)) {
      const TextValue negative = writer_.compare("LT", y, writer_.like(y, 0));
      too_far = writer_.alike("or", {too_far, negative});
    }
    const double instead = keeps_sign ? width - 1 : 0;  // which leaves copies of the sign
    const TextValue count = writer_.select(too_far, writer_.like(y, instead), y);
    const TextValue out = writer_.alike(name, {x, count});
    return keeps_sign ? out : writer_.select(too_far, writer_.like(x, 0), out);
  }

  // f64 holds the products of f32 exactly. The sum is rounded to f64 first, so that an exact tie
  // of f32 may fall to the other side.
  TextValue multiply_add(const TextValue& x, const TextValue& y, const TextValue& z) {
    if (x.dtype == DType::f64) {
      step_.fail("there is no product and sum of f64 that is rounded once; write mul and add");
    }
    const DType wide = is_floating(x.dtype) ? DType::f64 : x.dtype;
    const TextValue product =
        writer_.alike("multiply", {writer_.convert(x, wide), writer_.convert(y, wide)});
    return writer_.convert(writer_.alike("add", {product, writer_.convert(z, wide)}), x.dtype);
  }

  TextWriter& writer_;
  const ExportStep& step_;
};

// Whether an expression of narrow floats comes out as if computed in f32 and rounded once. A single
// sum, product, quotient or root does: f32 has more than twice their digits.
bool rounds_once(const ScalarExpression& meaning) {
  int operations = 0;
  bool exact = true;
  bool basic = false;
  for (const ScalarNode& node : meaning.nodes) {
    if (node.op == ScalarOp::argument || node.op == ScalarOp::constant) continue;
    ++operations;
    const Rendering* const plain = rendering_of(node.op);
    exact = exact && (is_comparison(node.op) || node.op == ScalarOp::select ||
                      (plain != nullptr && plain->once));
    basic = node.op == ScalarOp::add || node.op == ScalarOp::sub || node.op == ScalarOp::mul ||
            node.op == ScalarOp::div || node.op == ScalarOp::sqrt;
  }
  return exact || (operations == 1 && basic);
}

}  // namespace

void write_meaning(ExportStep& step) {
  TextWriter& writer = step.writer;
  const Definition& entry = definition(step.op());
  if (!entry.meaning) {
    throw InternalError("no rule exports " + std::string(entry.name) + " to StableHLO");
  }
  const Shape& shape = step.type().shape;
  const DType dtype = step.operand(step.op() == Op::select ? 1 : 0).dtype;
  const DType compute = rounds_once(*entry.meaning) ? dtype : compute_dtype(dtype);
  TextValues arguments;
  for (const TextValue& operand : step.operands) {
    const bool widens = operand.dtype == dtype;
    arguments.push_back(
        writer.broadcast(widens ? writer.convert(operand, compute) : operand, shape));
  }
  TextValues values;
  Primitive primitive(writer, step);
  for (const ScalarNode& node : entry.meaning->nodes) {
    const auto nth = [&](std::size_t i) -> const TextValue& {
      return values[static_cast<std::size_t>(node.operands[i])];
    };
    if (node.op == ScalarOp::argument) {
      values.push_back(arguments[static_cast<std::size_t>(node.operands[0])]);
    } else if (node.op == ScalarOp::constant) {
      values.push_back(writer.constant(compute, shape, node.constant));
    } else {
      values.push_back(primitive.write(node.op, nth(0), nth(1), nth(2)));
    }
  }
  step.result(writer.convert(values.back(), step.type().dtype));
}

TextValue write_cast(TextWriter& writer, const TextValue& given, DType dtype) {
  if (given.dtype == dtype) return given;
  // Narrow floats are read and written through f32.
  if (compute_dtype(dtype) != dtype && given.dtype != DType::f32) {
    const TextValue single = write_cast(writer, given, DType::f32);
    return writer.convert(single, dtype);
  }
  const TextValue x = writer.convert(given, compute_dtype(given.dtype));
  if (dtype == DType::boolean) return writer.compare("NE", x, writer.like(x, 0));
  if (!is_floating(x.dtype) || !is_integer(dtype)) return writer.convert(x, dtype);
  // Beyond the integers' range, and for NaN, StableHLO leaves the result open.
  const int digits = static_cast<int>(size_of(dtype)) * 8 - (is_unsigned(dtype) ? 0 : 1);
  const double above = std::ldexp(1.0, digits);
  const double least = is_unsigned(dtype) ? 0 : -above;
  const TextValue zero = writer.like(x, 0);
  const TextValue high = writer.compare("GE", x, writer.like(x, above));
  const TextValue low = writer.compare("LE", x, writer.like(x, least));
  const TextValue nan = writer.compare("NE", x, x);
  const TextValue outside = writer.alike("or", {writer.alike("or", {high, low}), nan});
  const TextValue inside = writer.convert(writer.select(outside, zero, x), dtype);
  const TextValue most =
      writer.broadcast(writer.constant(Array::scalar_of(dtype, above)), x.shape);  // saturates
  const TextValue lowest =
      writer.broadcast(writer.constant(Array::scalar_of(dtype, least)), x.shape);
  return writer.select(high, most, writer.select(low, lowest, inside));
}

namespace {

void export_cast(ExportStep& step) {
  step.result(write_cast(step.writer, step.operand(0), step.type().dtype));
}

void export_bitcast(ExportStep& step) {
  const TextValue& x = step.operand(0);
  const DType dtype = step.type().dtype;
  if (x.dtype == dtype) return step.result(x);
  step.result(
      step.writer.mapped("stablehlo.bitcast_convert " + x.name, std::array{x}, dtype, x.shape));
}

// StableHLO's own name, in the compute dtype.
void named(ExportStep& step, std::string_view name) {
  const TextValue& x = step.operand(0);
  const TextValue wide = step.writer.convert(x, compute_dtype(x.dtype));
  step.result(step.writer.convert(step.writer.alike(name, {wide}), x.dtype));
}

void export_sign(ExportStep& step) {
  if (is_unsigned(step.operand(0).dtype)) return write_meaning(step);
  step.result(step.writer.alike("sign", {step.operand(0)}));
}

void export_is_finite(ExportStep& step) {
  const TextValue& x = step.operand(0);
  step.result(
      step.writer.mapped("stablehlo.is_finite " + x.name, std::array{x}, DType::boolean, x.shape));
}

constexpr ExportRule kExportElementwiseRules[] = {
    {Op::cast, export_cast},
    {Op::bitcast, export_bitcast},
    {Op::sign, export_sign},
    {Op::is_finite, export_is_finite},
    {Op::rsqrt, [](ExportStep& step) { named(step, "rsqrt"); }},
    {Op::sigmoid, [](ExportStep& step) { named(step, "logistic"); }},
};

}  // namespace

std::span<const ExportRule> exported_elementwise() { return kExportElementwiseRules; }

}  // namespace tutti::ir::stablehlo
