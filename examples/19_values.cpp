// Numbers seen while a compiled program runs, and what errors say.

#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

namespace {

template <class F>
void show_error(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    std::cout << error.what() << "\n";
  }
}

}  // namespace

int main() {
  auto step = compile([](const Tensor& x) {
    Tensor h = debug_print("h = {}", exp(x));  // a line of stdout in every run
    h = check_finite(h, "h");                  // NumericError where an element is infinite or NaN
    return sum(h);
  });
  step(tensor({0.F, 1.F})).item<float>();
  show_error([&] { step(tensor({0.F, 100.F})).item<float>(); });

  auto roots = compile([](const Tensor& x) { return sum(sqrt(x)); });
  show_error([&] {
    const auto sum = roots(tensor({4.F, -1.F})).item<float>();
    std::cout << "the roots' sum is " << sum << "\n";
  });

  // C++ numbers that are captured are frozen; arguments are not.
  float rate = 1;
  auto frozen = compile([&](const Tensor& x) { return x * rate; });
  auto free = compile([](const Tensor& x, float scale) { return x * scale; });
  for (int i = 1; i < 3; ++i) {
    rate = static_cast<float>(i);
    std::cout << "rate " << rate << ": " << frozen(tensor(1.F)) << " and "
              << free(tensor(1.F), rate) << "\n";
  }

  const Tensor model = ones({2, 3});
  show_error([&] { sum(model, 2); });
  show_error([&] { zeros(std::vector{2, -1}); });
  Tensor moved = ones({2});
  const Tensor next = step(std::move(moved));
  show_error([&] { std::cout << moved << "\n"; });  // NOLINT(bugprone-use-after-move)

  std::cout << step.programs() << " program";
  step.clear();
  std::cout << ", then " << step.programs() << "\n";
}
