// Data parallel training: every rank holds the same model and its own rows of the batch. The
// program is the same for any number of ranks, and so is the loss.
#include <tutti/tutti.h>

#include <cstdio>

using namespace tutti;

constexpr std::int64_t kRows = 64, kInputs = 8, kHidden = 32;

struct Model {
  nn::Linear hidden, out;
  TUTTI_FIELDS(hidden, out)
};

Model init_model(const Key& key) {
  const auto [first, second] = split(key);
  return {.hidden = nn::linear(first, kInputs, kHidden), .out = nn::linear(second, kHidden, 1)};
}

void train(World& world) {
  // Marked as the same on every rank (which is checked): types carry the mark from here on.
  Model model = replicated(init_model(Key(1)), world);
  const AdamW adamw;
  AdamW::State state = adamw.init(model);

  // This rank's rows: the i-th random number depends on the key and i alone, so every rank can make
  // the whole batch and keep its part.
  const std::int64_t rows = kRows / world.size(), first = world.rank() * rows;
  const Tensor x = slice(normal({kRows, kInputs}, Key(2)), {{first, first + rows}});
  const Tensor y = sin(sum(x, {1}, true));

  // The loss ends in the mean over ranks. As the model is replicated, its gradient is that of the
  // global mean: the all_reduce of the gradients comes from the types.
  const auto loss = [&](const Model& m, const Tensor& points, const Tensor& values) {
    const Tensor error = m.out(tanh(m.hidden(points))) - values;
    return all_reduce(mean(error * error), world, Reduce::mean);
  };
  auto step = compile([&](Model m, AdamW::State s, Tensor points, Tensor values) {
    auto [value, gradients] = value_and_grad(loss)(m, points, values);
    std::tie(m, s) = adamw.update(m, gradients, s, 0.01F);
    return std::tuple(m, s, value);
  });

  for (int i = 0; i <= 100; ++i) {
    Tensor value;
    std::tie(model, state, value) = step(std::move(model), std::move(state), x, y);
    if (i % 50 == 0 && world.rank() == 0) {  // only one rank looks: nobody hangs
      std::printf("ranks %d  step %3d  loss %.4f\n", world.size(), i, value.item<float>());
    }
  }
}

int main() {
  for (const int ranks : {1, 2, 4}) simulate(ranks, train);
}
