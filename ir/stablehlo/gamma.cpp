#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/constants.h>
#include <tutti/ir/stablehlo/gamma.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace tutti::ir::stablehlo {

namespace {

// Lanczos 1964, with g = 7 and nine coefficients (Godfrey's).
constexpr double kG = 7;
constexpr double kFirst = 0.99999999999980993227684700473478;
constexpr double kCoefficients[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

// log(z + g + 0.5) in a form that keeps the digits of small z.
Term log_shifted(Term z) { return log1p(z / (kG + 0.5)) + std::log(kG + 0.5); }

Term is_whole(Term x) { return x == x.apply(Op::floor); }

}  // namespace

Term lgamma(Term x) {
  const Term reflect = x < 0.5;
  const Term z = select(reflect, -x, x - 1);
  Term sum = x.apply(Op::zeros_like) + kFirst;
  double i = 0;
  for (const double coefficient : kCoefficients) sum = sum + coefficient / (z + ++i);
  const Term t = z + (kG + 0.5);
  const Term log_t = log_shifted(z);
  const Term out = (z + 0.5 - t / log_t) * log_t + 0.5 * std::log(2 * kPi) + log(sum);
  // gamma(x) gamma(1 - x) = pi / sin(pi x), with the sine of a number of [0, 1/2].
  const Term size = abs(x);
  const Term fraction = size - size.apply(Op::floor);
  const Term reduced = select(fraction > 0.5, 1 - fraction, fraction);
  const Term sine = log(sin(reduced * kPi));
  const Term reflected = select(sine.apply(Op::is_finite), std::log(kPi) - sine - out, -sine);
  return choose(abs(x) == kInfinity, kInfinity, select(reflect, reflected, out));
}

Term digamma(Term x) {
  const Term reflect = x < 0.5;
  const Term z = select(reflect, -x, x - 1);
  Term sum = x.apply(Op::zeros_like) + kFirst;
  Term slope = x.apply(Op::zeros_like);
  double i = 0;
  for (const double coefficient : kCoefficients) {
    const Term below = z + ++i;
    sum = sum + coefficient / below;
    slope = slope - coefficient / (below * below);
  }
  const Term t = z + (kG + 0.5);
  const Term out = log_shifted(z) + slope / sum - kG / t;
  const Term reduced = x + abs((x + 0.5).apply(Op::floor));
  const Term angle = reduced * kPi;
  const Term reflected = out - kPi * cos(angle) / sin(angle);
  const Term pole = both(x <= 0, is_whole(x));
  return choose(pole, kNaN, select(reflect, reflected, out));
}

// Euler and Maclaurin's formula: the first terms one by one, and the rest as an integral with
// corrections.
Term zeta(Term x, Term q) {
  constexpr int kOneByOne = 9;
  // B(2k) / (2k)!
  constexpr double kCorrections[] = {1.0 / 12,
                                     -1.0 / 720,
                                     1.0 / 30240,
                                     -1.0 / 1209600,
                                     1.0 / 47900160,
                                     -691.0 / 1307674368000.0,
                                     1.0 / 74724249600.0,
                                     -3617.0 / 10670622842880000.0,
                                     43867.0 / 5109094217170944000.0};
  Term sum = x.apply(Op::zeros_like) + 0 * q;
  Term at = q;
  for (int n = 0; n < kOneByOne; ++n) {
    sum = sum + pow(at, -x);
    at = at + 1;
  }
  const Term last = pow(at, -x);
  sum = sum + last * at / (x - 1) + 0.5 * last;
  Term factor = x * last / at;
  double k = 0;
  for (const double correction : kCorrections) {
    sum = sum + correction * factor;
    factor = factor * (x + (2 * k + 1)) * (x + (2 * k + 2)) / (at * at);
    ++k;
  }
  // Poles, and powers of negative numbers.
  const Term unfit = both(q <= 0, x != x.apply(Op::floor));
  sum = choose(both(q <= 0, is_whole(q)), kInfinity, choose(unfit, kNaN, sum));
  return choose(x < 1, kNaN, choose(x == 1, kInfinity, sum));
}

Term polygamma(Term n, Term x) {
  const Term half = n * 0.5;
  const Term sign =
      select(half == half.apply(Op::floor), -n.apply(Op::ones_like), n.apply(Op::ones_like));
  const Term out = sign * exp(lgamma(n + 1)) * zeta(n + 1, x);
  const Term unfit = either(n < 0, n != n.apply(Op::floor));
  return choose(unfit, kNaN, select(n == 0, digamma(x), out));
}

}  // namespace tutti::ir::stablehlo
