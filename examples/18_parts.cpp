// Ops that are made of others: parts by place, sums of products by their letters, windows,
// statistics, losses.

#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

int main() {
  const Tensor x = reshape(arange(6), {2, 3});
  std::cout << "x[1]: " << x[1] << "\n";
  std::cout << "x[:, 1:]: " << at(x, all, Range{1, {}}) << "\n";
  std::cout << "with x[0, 2] = 9: " << set_at(x, 9, 0, 2) << "\n";
  std::cout << "the last: " << take(arange(5), -1) << "\n";
  std::cout << "einsum ij,kj->ik: " << einsum("ij,kj->ik", {x, x}) << "\n";
  std::cout << "tril: " << tril(ones({3, 3})) << "\n";
  std::cout << "roll: " << roll(arange(4), 1, 0) << "\n";
  std::cout << "where: " << where(x > 2, x, 0) << "\n";
  std::cout << "linspace: " << linspace(0, 1, 5) << "\n";

  const Tensor image = reshape(cast(arange(16), DType::f32), {1, 1, 4, 4});
  std::cout << "max_pool: " << max_pool(image, {2}) << "\n";
  std::cout << "avg_pool: " << avg_pool(image, {2}) << "\n";
  const Tensor y = tensor({1.F, 2.F, 3.F, 4.F});
  std::cout << "var, norm: " << var(y) << ", " << norm(y) << "\n";

  // Three places, of which one does not count.
  const Tensor logits = zeros({3, 4});
  std::cout << "cross entropy: " << nn::cross_entropy(logits, tensor({1, 2, -1}), {.ignore = -1})
            << "\n";

  // Sizes are whatever holds whole numbers.
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const int rows = 2;
  std::cout << "of a vector: " << from(data, {rows, data.size() / 2}) << "\n";

  // A gradient of one's own: backward gets what forward kept, and the cotangent.
  auto log1pexp =
      custom_vjp([](const Tensor& z) { return std::pair(log1p(exp(z)), z); },
                 [](const Tensor& z, const Tensor& cotangent) { return cotangent * sigmoid(z); });
  std::cout << "slope at 100: " << grad([&](const Tensor& z) { return log1pexp(z); })(tensor(100.F))
            << "\n";
}
