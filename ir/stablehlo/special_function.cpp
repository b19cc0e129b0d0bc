#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/constants.h>
#include <tutti/ir/stablehlo/gamma.h>
#include <tutti/ir/stablehlo/rules.h>

#include <cmath>
#include <limits>
#include <numbers>

// Functions that the IR has no op for, by formulas that keep their accuracy over the whole range.
namespace tutti::ir::stablehlo {

namespace {

// Narrow floats are computed in f32 and rounded once.
Term wide(Term x) { return cast(x, compute_dtype(x.dtype())); }

template <Term (*function)(Term)>
void unary(Step& step) {
  const Term x = step.operand(0);
  step.result(cast(function(wide(x)), x.dtype()));
}

template <Term (*function)(Term, Term)>
void binary(Step& step) {
  const Term x = step.operand(0);
  step.result(cast(function(wide(x), wide(step.operand(1))), x.dtype()));
}

Term expm1(Term x) { return x.apply(Op::expm1); }
Term square(Term x) { return x * x; }
Term tangent(Term x) { return x.apply(Op::tan); }
Term error_function(Term x) { return erf(x); }

// Of small x from expm1, which keeps their digits; halves are taken before they could overflow.
Term sinh(Term x) {
  const Term e = expm1(x);
  const Term small = 0.5 * (e + e / (e + 1));
  const Term large = exp(x - kLn2) - exp(-x - kLn2);
  return select(abs(x) < 1, small, large);
}
Term cosh(Term x) { return exp(x - kLn2) + exp(-x - kLn2); }

Term atan2(Term y, Term x) { return apply(Op::atan2, y, x); }
Term asin(Term x) { return 2 * atan2(x, 1 + sqrt((1 - x) * (1 + x))); }
Term acos(Term x) {
  const Term out = 2 * atan2(sqrt((1 - x) * (1 + x)), 1 + x);
  return choose(x == -1, kPi, out);
}
Term atan(Term x) { return atan2(x, x.apply(Op::ones_like)); }

// Beyond this, squares overflow or one is lost beside them.
double large_of(Term x) { return x.dtype() == DType::f64 ? 1e150 : 1e18; }

Term asinh(Term x) {
  const Term size = abs(x);
  const Term squares = size * size;
  const Term small = log1p(size + squares / (1 + sqrt(squares + 1)));
  const Term out = select(size > large_of(x), log(size) + kLn2, small);
  return select(x == 0, x, select(x < 0, -out, out));
}
Term acosh(Term x) {
  const Term above = x - 1;
  const Term near = log1p(above + sqrt(2 * above + above * above));
  return choose(x < 1, kNaN, select(x > large_of(x), log(x) + kLn2, near));
}
Term atanh(Term x) { return 0.5 * (log1p(x) - log1p(-x)); }

Term polynomial(Term x, std::initializer_list<double> coefficients) {
  Term out;
  for (const double coefficient : coefficients) {
    out = out.valid() ? out * x + coefficient : x.apply(Op::zeros_like) + coefficient;
  }
  return out;
}

// The first half of a float's digits, whose square is exact.
Term leading_digits(Term x) {
  const std::uint64_t kept = x.dtype() == DType::f64 ? ~std::uint64_t{0} << 27 : 0xFFFF'F000;
  const Term bits = bitcast(x, unsigned_of(x.dtype()));
  return bitcast(apply(Op::bitwise_and, bits, bits_of(bits, bits.dtype(), kept)), x.dtype());
}

// erfc(x) = exp(-x^2) t p(t) with t = 1 / (1 + 0.4 x) for x from 0 to `most`, behind which it is 0.
// p is the polynomial that meets it at Chebyshev's points, in u, which goes from -1 to 1: within
// 4e-9 for f32, 1e-16 for f64. What squaring x loses would be lost many times over in large x, so
// that the square is taken in two parts.
Term erfc_of_positive(Term given) {
  const bool wide = given.dtype() == DType::f64;
  const double most = wide ? 28 : 11;
  const Term x = minimum(given, most);
  const double least_t = 1 / (1 + 0.4 * most);
  const Term t = 1 / (1 + 0.4 * x);
  const Term u = (t - 0.5 * (1 + least_t)) * (2 / (1 - least_t));
  const Term p =
      wide ? polynomial(
                 u, {2.12977337569762798e-10,   1.38175348396589511e-10,   -2.50626184599183257e-9,
                     7.27653808558102046e-10,   1.44487354715987549e-8,    -2.10616008443198797e-8,
                     -4.63449465059226183e-8,   1.81580389208103398e-7,    -8.87120198100461654e-9,
                     -1.06601993481636689e-6,   1.44825645254264735e-6,    5.2450020836044611e-6,
                     -0.0000149753958147426904, -0.0000261980637931249387, 0.000126687994196539093,
                     0.000193175112313367434,   -0.00106274070496772572,   -0.00278555254496020667,
                     0.00694567887195326392,    0.0556861909410358606,     0.167585585964070141,
                     0.324093552206930728,      0.449252850056514596})
           : polynomial(u, {-2.20732179e-6, -9.581675577e-6, 3.563968379e-5, 0.0001235890548,
                            -0.000424976155, -0.001894239677, 0.003220318539, 0.04085320439,
                            0.1471981735, 0.323009421, 0.4878906575});
  const Term first = leading_digits(x);
  return exp(-(first * first)) * exp((first - x) * (first + x)) * (t * p);
}
Term erfc(Term x) {
  const Term of_size = erfc_of_positive(abs(x));
  return select(x < 0, 2 - of_size, of_size);
}

// Giles 2010, "Approximating the erfinv function", with his single-precision polynomials.
Term erf_inv_estimate(Term x) {
  const Term w = -log1p(-(x * x));
  const Term central =
      polynomial(w - 2.5, {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Term tail =
      polynomial(sqrt(maximum(w, 5)) - 3,
                 {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                  -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  return select(w < 5, central, tail) * x;
}
Term erf_inv(Term x) {
  Term y = erf_inv_estimate(x);
  if (x.dtype() == DType::f64) {
    for (int i = 0; i < 3; ++i) {  // Halley's steps
      const Term off = (erf(y) - x) / (2 / std::sqrt(kPi) * exp(-(y * y)));
      y = y - off / (1 + y * off);
    }
  }
  const Term infinite = select(x > 0, x.constant(kInfinity), x.constant(-kInfinity));
  return select(abs(x) == 1, infinite, choose(abs(x) > 1, kNaN, y));
}

// exp(-|x|) I1(x): the power series, whose terms all have one sign, and behind 25 the asymptotic
// one.
Term bessel_i1e(Term x) {
  const Term size = abs(x);
  const Term bounded = minimum(size, 25);
  const Term quarter = bounded * bounded * 0.25;
  constexpr int kTerms = 60;
  Term series = x.apply(Op::ones_like);
  for (int k = kTerms; k > 0; --k) series = 1 + series * quarter / (1.0 * k * (k + 1));
  const Term near = exp(-bounded) * series * bounded * 0.5;
  const Term far_size = maximum(size, 25);
  constexpr int kFarTerms = 18;
  Term tail = x.apply(Op::ones_like);
  for (int k = kFarTerms; k > 0; --k) {
    const double odd = 2.0 * k - 1;
    tail = 1 + tail * ((odd * odd - 4) / (8.0 * k)) / far_size;
  }
  const Term far = tail / sqrt(far_size * (2 * kPi));
  const Term out = select(size < 25, near, far);
  return select(x < 0, -out, out);
}

// The neighbour of x in the direction of y: its bits, as an integer, by one more or less.
Term next_after(Term x, Term y) {
  const DType dtype = signed_of(x.dtype());
  const Term bits = bitcast(x, dtype);
  const Term away = apply(Op::eq, x < y, x > 0);  // from 0
  const Term moved = bitcast(bits + select(away, bits.constant(1), bits.constant(-1)), x.dtype());
  const Term least = bits_of(x, x.dtype(), 1);
  const Term from_zero = select(y > 0, least, -least);
  const Term out = select(x == 0, from_zero, moved);
  const Term nan = either(x.apply(Op::is_nan), y.apply(Op::is_nan));
  return choose(nan, kNaN, select(x == y, y, out));
}
void next_after_rule(Step& step) {  // of the dtype's own neighbours
  step.result(next_after(step.operand(0), step.operand(1)));
}

void is_inf(Step& step) { step.result(abs(step.operand(0)) == kInfinity); }
void is_pos_inf(Step& step) { step.result(step.operand(0) == kInfinity); }
void is_neg_inf(Step& step) { step.result(step.operand(0) == -kInfinity); }

constexpr Rule kSpecialFunctionRules[] = {
    {"chlo.acos", unary<acos>, true},
    {"chlo.acosh", unary<acosh>, true},
    {"chlo.asin", unary<asin>, true},
    {"chlo.asinh", unary<asinh>, true},
    {"chlo.atan", unary<atan>, true},
    {"chlo.atanh", unary<atanh>, true},
    {"chlo.bessel_i1e", unary<bessel_i1e>, true},
    {"chlo.cosh", unary<cosh>, true},
    {"chlo.digamma", unary<digamma>, true},
    {"chlo.erf", unary<error_function>, true},
    {"chlo.erf_inv", unary<erf_inv>, true},
    {"chlo.erfc", unary<erfc>, true},
    {"chlo.is_inf", is_inf, true},
    {"chlo.is_neg_inf", is_neg_inf, true},
    {"chlo.is_pos_inf", is_pos_inf, true},
    {"chlo.lgamma", unary<lgamma>, true},
    {"chlo.next_after", next_after_rule, true},
    {"chlo.polygamma", binary<polygamma>, true},
    {"chlo.sinh", unary<sinh>, true},
    {"chlo.square", [](Step& step) { step.result(square(step.operand(0))); }, true},
    {"chlo.tan", unary<tangent>, true},
    {"chlo.zeta", binary<zeta>, true},
};

}  // namespace

std::span<const Rule> special_function_rules() { return kSpecialFunctionRules; }

}  // namespace tutti::ir::stablehlo
