// A pipeline of three ranks, each with a layer of its own. Activations go on as messages, and their
// gradients come back as messages, too.

#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

namespace {

constexpr std::int64_t kRows = 16, kWidth = 8;

// This rank's part of the loss. Who sends gives a zero: the loss is the sum over the ranks.
Tensor part_of_loss(const nn::Linear& layer, const Tensor& x, const Tensor& wanted, World& world) {
  const int rank = world.rank();
  const Tensor in = rank == 0 ? x : Tensor(recv({kRows, kWidth}, DType::f32, world, rank - 1));
  const Tensor out = tanh(layer(in));
  if (rank + 1 < world.size()) {
    send(out, world, rank + 1);
    return tensor(0.F);
  }
  const Tensor error = out - wanted;
  return mean(error * error);
}

nn::Linear layer_of(int rank) {
  return nn::linear(Key(static_cast<std::uint64_t>(rank)), kWidth, kWidth);
}

// The same layers after each other, on one rank.
Tensor whole_loss(const std::vector<nn::Linear>& layers, const Tensor& x, const Tensor& wanted) {
  Tensor out = x;
  for (const nn::Linear& layer : layers) out = tanh(layer(out));
  const Tensor error = out - wanted;
  return mean(error * error);
}

}  // namespace

int main() {
  simulate(3, [](World& world) {
    const Tensor x = normal({kRows, kWidth}, Key(10));
    const Tensor wanted = tanh(roll(x, 1, 1));
    auto gradient = compile([&](const nn::Linear& layer, const Tensor& in, const Tensor& out) {
      return value_and_grad(
          [&](const nn::Linear& own) { return part_of_loss(own, in, out, world); })(layer);
    });

    nn::Linear layer = layer_of(world.rank());
    const std::vector<nn::Linear> layers = {layer_of(0), layer_of(1), layer_of(2)};
    const auto expected = grad(whole_loss)(layers, x, wanted);
    const nn::Linear own = gradient(layer, x, wanted).second;
    const Tensor distance =
        max(abs(own.weight - expected[static_cast<std::size_t>(world.rank())].weight));
    const float largest = Tensor(all_reduce(distance, world, Reduce::max)).item<float>();
    if (world.rank() == 0 && largest < 1e-6F) {
      std::cout << "the gradients are those of the stages in one\n";
    }

    AdamW optimiser = adam();
    auto state = optimiser.init(layer);
    for (int step = 0; step <= 60; ++step) {
      const auto [loss, slope] = gradient(layer, x, wanted);
      if (world.rank() == 2 && step % 20 == 0) {
        std::cout << "step " << step << ", loss " << loss.item<float>() << "\n";
      }
      std::tie(layer, state) = optimiser.update(std::move(layer), slope, std::move(state), 0.02F);
    }
  });
}
