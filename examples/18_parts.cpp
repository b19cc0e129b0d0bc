// Ops that are made of others, a line of each: parts by place, sums of products by their letters,
// windows, statistics, layers, losses.

#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

int main() {
  const Tensor x = reshape(arange(6), {2, 3});
  std::cout << "x[1]: " << x[1] << "\n";
  std::cout << "x[:, 1:]: " << at(x, all, Range{1, {}}) << "\n";
  std::cout << "with x[0, 2] = 9: " << set_at(x, 9, 0, 2) << "\n";
  std::cout << "with 1 more in x[:, 0]: " << add_at(x, 1, all, 0) << "\n";
  Tensor more = x;
  more += 10;
  std::cout << "+=: " << more << "\n";
  std::cout << "the last: " << take(arange(5), -1) << "\n";
  std::cout << "einsum ij,kj->ik: " << einsum("ij,kj->ik", {x, x}) << "\n";
  std::cout << "tril: " << tril(ones({3, 3})) << "\n";
  std::cout << "eye, triu: " << triu(eye(2)) << "\n";
  std::cout << "arange: " << arange(1, 10, 4) << "\n";
  std::cout << "roll: " << roll(arange(4), 1, 0) << "\n";
  std::cout << "where: " << where(x > 2, x, 0) << "\n";
  std::cout << "linspace: " << linspace(0, 1, 5) << "\n";

  const Tensor image = reshape(cast(arange(16), DType::f32), {1, 1, 4, 4});
  std::cout << "max_pool: " << max_pool(image, {2}) << "\n";
  std::cout << "avg_pool: " << avg_pool(image, {2}) << "\n";
  std::cout << "reduce_window: "
            << reduce_window(image, WindowReduce::sum, 0, {1, 1, 3, 3}, {.stride = {1}}) << "\n";
  std::cout << "conv_transpose: "
            << conv_transpose(ones({1, 1, 2}), ones({1, 1, 2}), {.stride = {2}}) << "\n";
  const Tensor y = tensor({1.F, 2.F, 3.F, 4.F});
  std::cout << "var, stddev, norm: " << var(y) << ", " << stddev(y, {}, 0) << ", " << norm(y)
            << "\n";

  const nn::Embedding table{.weight = reshape(y, {2, 2})};
  std::cout << "embedding: " << table(tensor({1, 0, 1})) << "\n";
  std::cout << "rotary: " << nn::rotary(ones({1, 2, 2}), arange(2)) << "\n";
  std::cout << "group_norm: " << nn::group_norm(2, 4)(reshape(y, {1, 4, 1})) << "\n";
  // The third key is a place of the cache that nothing was written to.
  const Tensor keys = tensor({{1.F, 0.F}, {0.F, 1.F}, {9.F, 9.F}});
  std::cout << "attention to 2 keys: " << attention(zeros({1, 2}), keys, keys, {.keys = tensor(2)})
            << "\n";

  // Three places, of which one does not count.
  const Tensor logits = zeros({3, 4});
  std::cout << "cross entropy: " << nn::cross_entropy(logits, tensor({1, 2, -1}), {.ignore = -1})
            << "\n";

  std::cout << "smoothed: "
            << nn::cross_entropy(logits, tensor({1, 2, 3}), {.label_smoothing = 0.1}) << "\n";

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

  // The value with something beside it, and the gradients of two arguments.
  const auto fit = [](const Tensor& w, const Tensor& b) {
    const Tensor error = w * 3 + b - 10;
    return std::pair(error * error, error);
  };
  const auto [loss, error, slopes] = value_and_grad<0, 1>(fit)(tensor(2.F), tensor(1.F));
  std::cout << "loss, error, slopes: " << loss << ", " << error << ", " << std::get<0>(slopes)
            << ", " << std::get<1>(slopes) << "\n";
  const auto [value, along] = jvp([](const Tensor& z) { return z * z; })(tensor(3.F), tensor(1.F));
  std::cout << "jvp: " << value << ", " << along << "\n";

  // An optimiser's step, a rate of its schedule, and an average of weights.
  const Sgd sgd{.momentum = 0.9F};
  const Tensor rate = linear_schedule(5, 0, 1, 10);
  const auto [stepped, state] = sgd.update(y, ones({4}), sgd.init(y), rate);
  std::cout << "stepped: " << stepped << "\n";
  std::cout << "average: " << moving_average(y, stepped, 0.75F) << "\n";

  // Programs are made for a signature and kept, up to a bound; clear() forgets them.
  auto doubled = compile([](const Tensor& z) { return z * 2; });
  doubled(y);
  doubled(x);
  std::cout << "programs: " << doubled.programs();
  doubled.clear();
  std::cout << ", then " << doubled.programs() << "\n";

  // One function and one model for many threads, each with a World of its own.
  const auto shared = share(y);
  simulate(2, [&](World& world) {
    auto own = doubled.on(world);
    const Tensor sum_of_own = sum(own(shared.on(world)));
    if (world.rank() == 0) std::cout << "served: " << sum_of_own << "\n";
  });
}
