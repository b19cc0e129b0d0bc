// The price of a call option by Monte Carlo, and its sensitivities as derivatives of the program,
// beside what Black and Scholes say (1973, Journal of Political Economy 81).

#include <tutti/tutti.h>

#include <cmath>
#include <cstdio>

using namespace tutti;

namespace {

constexpr std::int64_t kPaths = 1 << 20;
constexpr double kStrike = 105;
constexpr double kYears = 0.5;

// exp(-r T) times the mean of max(S_T - K, 0), S_T being lognormal.
Tensor price(const Tensor& spot, const Tensor& volatility, const Tensor& rate, const Key& key) {
  const Tensor half = normal({kPaths / 2}, key, DType::f64);
  const Tensor z = concat({half, -half}, 0);  // antithetic
  const Tensor drift = (rate - 0.5 * volatility * volatility) * kYears;
  const Tensor last = spot * exp(drift + volatility * std::sqrt(kYears) * z);
  return exp(-rate * kYears) * mean(relu(last - kStrike));
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

int main() {
  const double spot = 100;
  const double volatility = 0.2;
  const double rate = 0.03;

  auto simulate_prices =
      compile([](const Tensor& s, const Tensor& v, const Tensor& r, const Key& k) {
        return value_and_grad<0, 1, 2>(price)(s, v, r, k);
      });
  const auto [value, slopes] =
      simulate_prices(tensor(spot), tensor(volatility), tensor(rate), Key(7));
  const auto& [delta, vega, rho] = slopes;

  const double root = volatility * std::sqrt(kYears);
  const double d1 = (std::log(spot / kStrike) + rate * kYears) / root + root / 2;
  const double present = kStrike * std::exp(-rate * kYears);
  const double density = std::exp(-d1 * d1 / 2) / std::sqrt(2 * std::acos(-1.0));
  const auto show = [](const char* name, const Tensor& found, double exact) {
    std::printf("%-6s %9.4f  exact %9.4f\n", name, found.item<double>(), exact);
  };
  show("price", value, spot * phi(d1) - present * phi(d1 - root));
  show("delta", delta, phi(d1));
  show("vega", vega, spot * density * std::sqrt(kYears));
  show("rho", rho, present * kYears * phi(d1 - root));
}
