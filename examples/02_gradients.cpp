// Gradients: fits a line to points, first by hand, then with a compiled step. One rank.
#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

// A struct of tensors becomes a tree: gradients, compiled functions and optimisers take it whole.
struct Line {
  Tensor slope, offset;
  TUTTI_FIELDS(slope, offset)
};

Tensor loss(const Line& line, const Tensor& x, const Tensor& y) {
  const Tensor error = line.slope * x + line.offset - y;
  return mean(error * error);
}

int main() {
  const Tensor x = arange(8, DType::f32) / 8;
  const Tensor y = 3 * x - 1;  // the line to find
  Line line{.slope = zeros({}), .offset = zeros({})};

  // The derivative with respect to the first argument, which is a Line: so is the gradient.
  const auto [value, gradient] = value_and_grad(loss)(line, x, y);
  std::cout << "at (0, 0): loss " << value.item<float>() << ", gradient ("
            << gradient.slope.item<float>() << ", " << gradient.offset.item<float>() << ")\n";

  // The function runs once, to be recorded; later calls replay what it was compiled to. The rate is
  // a run-time parameter: another rate is no new program.
  auto step = compile([](Line model, Tensor points, Tensor values, float rate) {
    auto [error, slopes] = value_and_grad(loss)(model, points, values);
    model = map([&](const Tensor& p, const Tensor& g) { return p - rate * g; }, model, slopes);
    return std::pair(model, error);
  });
  Tensor error;
  for (int i = 0; i < 200; ++i) {
    std::tie(line, error) = step(std::move(line), x, y, i < 100 ? 0.5F : 0.25F);
  }
  std::cout << "after " << step.calls() << " steps of " << step.programs() << " program: loss "
            << error.item<float>() << ", slope " << line.slope.item<float>() << ", offset "
            << line.offset.item<float>() << "\n";
}
