#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/rules.h>

namespace tutti::ir::stablehlo {

namespace {

template <Op op>
void same(Step& step) {
  std::vector<Value> operands;
  for (const Term& operand : step.operands()) operands.push_back(operand.value());
  step.result(Term(&step.builder(), step.builder().add(op, operands)));
}

// An op that is another one for bool.
template <Op numbers, Op truths>
void by_dtype(Step& step) {
  step.operand(0).dtype() == DType::boolean ? same<truths>(step) : same<numbers>(step);
}

bool is_floating(const Term& x) { return tutti::is_floating(x.dtype()); }

// -0 and NaN are their own signs.
void sign(Step& step) {
  const Term x = step.operand(0);
  const bool floating = is_floating(x);
  const Term rest = select(x < 0, x.constant(-1), floating ? x : x.constant(0));
  step.result(is_unsigned(x.dtype()) ? x.apply(Op::sign) : select(x > 0, x.constant(1), rest));
}

void absolute(Step& step) {
  const Term x = step.operand(0);
  step.result(is_unsigned(x.dtype()) ? x : abs(x));
}

// Half away from zero.
void round_away(Step& step) {
  const Term x = step.operand(0);
  const Term size = abs(x);
  const Term whole = size.apply(Op::floor);
  const Term rounded = select(size - whole >= 0.5, whole + 1, whole);
  // 0 has x's sign, and infinities and NaN are themselves.
  const Term with_sign = select(x < 0, -rounded, rounded);
  step.result(select(apply(Op::logical_or, x == 0, with_sign == x), x,
                     select(x.apply(Op::is_finite), with_sign, x)));
}

template <bool logical>
void shift_right(Step& step) {
  const DType dtype = step.operand(0).dtype();
  const DType as = logical ? unsigned_of(dtype) : signed_of(dtype);
  const Term x = bitcast(step.operand(0), as);
  const Term count = bitcast(step.operand(1), as);
  step.result(bitcast(apply(Op::shift_right, x, count), dtype));
}

Term count_of_ones(Term x) {
  const DType dtype = unsigned_of(x.dtype());
  const auto bits = 8 * size_of(dtype);
  Term count = bitcast(x, dtype);
  const auto shifted = [&](Term a, double by) { return apply(Op::shift_right, a, a.constant(by)); };
  const auto masked = [&](Term a, std::uint64_t byte) {
    return apply(Op::bitwise_and, a, bits_of(a, dtype, byte * 0x0101010101010101ULL));
  };
  count = masked(count, 0x55) + masked(shifted(count, 1), 0x55);
  count = masked(count, 0x33) + masked(shifted(count, 2), 0x33);
  count = masked(count, 0x0F) + masked(shifted(count, 4), 0x0F);
  for (std::int64_t by = 8; by < bits; by *= 2) {
    count = count + shifted(count, static_cast<double>(by));
  }
  return bitcast(apply(Op::bitwise_and, count, count.constant(255)), x.dtype());
}

void population_count(Step& step) { step.result(count_of_ones(step.operand(0))); }

void count_leading_zeros(Step& step) {
  const Term given = step.operand(0);
  const auto bits = 8 * size_of(given.dtype());
  // All bits below the highest one set; what is left unset is what leads.
  Term x = bitcast(given, unsigned_of(given.dtype()));
  for (std::int64_t by = 1; by < bits; by *= 2) {
    x = apply(Op::bitwise_or, x, apply(Op::shift_right, x, x.constant(static_cast<double>(by))));
  }
  const Term ones = count_of_ones(x);
  step.result(bitcast(ones.constant(static_cast<double>(bits)) - ones, given.dtype()));
}

// By squaring where it is of integers: of a negative exponent only 1 and -1 leave something.
void power(Step& step) {
  const Term x = step.operand(0);
  const Term y = step.operand(1);
  if (is_floating(x)) {
    step.result(pow(x, y));
    return;
  }
  Term out = x.apply(Op::ones_like);
  Term base = x;
  const auto bits = 8 * size_of(x.dtype()) - (is_unsigned(x.dtype()) ? 0 : 1);
  for (std::int64_t bit = 0; bit < bits; ++bit) {
    const Term set = apply(Op::bitwise_and, y, y.constant(static_cast<double>(1ULL << bit)));
    out = select(set != 0, out * base, out);
    base = base * base;
  }
  if (is_signed_integer(x.dtype())) {
    const Term odd = apply(Op::bitwise_and, y, y.constant(1)) != 0;
    const Term of_minus_one = select(odd, x, x.apply(Op::ones_like));
    const Term small = select(x == -1, of_minus_one, select(x == 1, x, x.apply(Op::zeros_like)));
    out = select(y < 0, small, out);
  }
  step.result(out);
}

void compare(Step& step) {
  Term x = step.operand(0);
  Term y = step.operand(1);
  const std::string direction = direction_of(step.operation);
  const std::string type = kind_of(step.operation);
  if (type == "TOTALORDER" && is_floating(x)) {
    x = ordered_bits(x);
    y = ordered_bits(y);
  }
  const bool equality = direction == "EQ" || direction == "NE";
  if (x.dtype() == DType::boolean && !equality) {
    x = cast(x, DType::u8);
    y = cast(y, DType::u8);
  }
  constexpr std::pair<std::string_view, Op> kOps[] = {{"EQ", Op::eq}, {"NE", Op::ne},
                                                      {"LT", Op::lt}, {"LE", Op::le},
                                                      {"GT", Op::gt}, {"GE", Op::ge}};
  for (const auto& [name, op] : kOps) {
    if (name == direction) {
      step.result(apply(op, x, y));
      return;
    }
  }
  step.fail("unknown direction '" + direction + "'; there are EQ, NE, LT, LE, GT and GE");
}

void constant(Step& step) {
  const Attribute& value = step.get("value");
  if (value.kind != Attribute::Kind::array) step.fail("expected dense<...>");
  step.result(broadcast_to(step.constant(*value.array), value.shape));
}

constexpr Rule kElementwiseRules[] = {
    {"stablehlo.abs", absolute, true},
    {"stablehlo.add", by_dtype<Op::add, Op::logical_or>, true},
    {"stablehlo.and", by_dtype<Op::bitwise_and, Op::logical_and>, true},
    {"stablehlo.atan2", same<Op::atan2>, true},
    {"stablehlo.cbrt", same<Op::cbrt>, true},
    {"stablehlo.ceil", same<Op::ceil>, true},
    {"stablehlo.clamp",
     [](Step& step) {
       const Term low = step.operand(0);
       step.result(apply(Op::clamp, step.operand(1), low, step.operand(2)));
     },
     true},
    {"stablehlo.compare", compare, true},
    {"stablehlo.constant", constant, true},
    {"stablehlo.cosine", same<Op::cos>, true},
    {"stablehlo.count_leading_zeros", count_leading_zeros, true},
    {"stablehlo.divide", same<Op::div>, true},
    {"stablehlo.exponential", same<Op::exp>, true},
    {"stablehlo.exponential_minus_one", same<Op::expm1>, true},
    {"stablehlo.floor", same<Op::floor>, true},
    {"stablehlo.is_finite", same<Op::is_finite>, true},
    {"stablehlo.log", same<Op::log>, true},
    {"stablehlo.log_plus_one", same<Op::log1p>, true},
    {"stablehlo.logistic", same<Op::sigmoid>, true},
    {"stablehlo.maximum", by_dtype<Op::maximum, Op::logical_or>, true},
    {"stablehlo.minimum", by_dtype<Op::minimum, Op::logical_and>, true},
    {"stablehlo.multiply", by_dtype<Op::mul, Op::logical_and>, true},
    {"stablehlo.negate", same<Op::neg>, true},
    {"stablehlo.not", by_dtype<Op::bitwise_not, Op::logical_not>, true},
    {"stablehlo.or", by_dtype<Op::bitwise_or, Op::logical_or>, true},
    {"stablehlo.popcnt", population_count, true},
    {"stablehlo.power", power, true},
    {"stablehlo.remainder", same<Op::mod>, true},
    {"stablehlo.round_nearest_afz", round_away, true},
    {"stablehlo.round_nearest_even", same<Op::round>, true},
    {"stablehlo.rsqrt", same<Op::rsqrt>, true},
    {"stablehlo.select", same<Op::select>, true},
    {"stablehlo.shift_left", same<Op::shift_left>, true},
    {"stablehlo.shift_right_arithmetic", shift_right<false>, true},
    {"stablehlo.shift_right_logical", shift_right<true>, true},
    {"stablehlo.sign", sign, true},
    {"stablehlo.sine", same<Op::sin>, true},
    {"stablehlo.sqrt", same<Op::sqrt>, true},
    {"stablehlo.subtract", same<Op::sub>, true},
    {"stablehlo.tan", same<Op::tan>, true},
    {"stablehlo.tanh", same<Op::tanh>, true},
    {"stablehlo.xor", by_dtype<Op::bitwise_xor, Op::logical_xor>, true},
};

}  // namespace

std::span<const Rule> elementwise_rules() { return kElementwiseRules; }

}  // namespace tutti::ir::stablehlo
