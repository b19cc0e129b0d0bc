// A convolutional network learns digits that this program draws.

#include <tutti/tutti.h>

#include <array>
#include <iostream>
#include <string_view>

using namespace tutti;

namespace {

constexpr std::int64_t kSteps = 600;
constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kSize = 12;  // of an image

struct Network {
  Tensor first;   // [8, 1, 3, 3]
  Tensor second;  // [16, 8, 3, 3]
  nn::BatchNorm norm;
  nn::Linear head;
  TUTTI_FIELDS(first, second, norm, head)
};

struct State {
  Network network;
  Sgd::State optimiser;
  nn::BatchStatistics statistics;
  Tensor step;
  TUTTI_FIELDS(network, optimiser, statistics, step)
};

constexpr Sgd kOptimiser = {.momentum = 0.9F, .nesterov = true, .weight_decay = 1e-4F};

State start() {
  const auto [a, b, c] = split<3>(Key(1));
  State out;
  out.network = {.first = normal({8, 1, 3, 3}, a) * 0.3F,
                 .second = normal({16, 8, 3, 3}, b) * 0.15F,
                 .norm = nn::batch_norm(16),
                 .head = nn::linear(c, 16 * 3 * 3, 10)};
  out.optimiser = kOptimiser.init(out.network);
  out.statistics = nn::batch_statistics(16);
  out.step = tensor(std::int64_t{0});
  return out;
}

// [10, 7, 5], a bit a point.
Tensor font() {
  constexpr std::array<std::string_view, 10> kRows = {
      "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
      "01110 10001 00001 00110 01000 10000 11111", "01110 10001 00001 00110 00001 10001 01110",
      "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
      "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
      "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100"};
  std::vector<float> points;
  for (const std::string_view digit : kRows) {
    for (const char point : digit) {
      if (point != ' ') points.push_back(point == '1' ? 1.F : 0.F);
    }
  }
  return from(points, {10, 7, 5});
}

struct Batch {
  Tensor images;  // [batch, 1, 12, 12]
  Tensor labels;  // [batch]
  TUTTI_FIELDS(images, labels)
};

// Digits at places of their own, in noise.
Batch draw(const Tensor& digits, const Key& key) {
  const auto [of_label, of_row, of_column, of_noise] = split<4>(key);
  const Tensor labels = randint({kBatch}, of_label, 0, 10);
  const Tensor framed = pad(take(digits, labels), {0, 0, 0}, {0, kSize - 7, kSize - 5}, 0.F);
  // Image i, moved down and to the right: row r of it is row r - shift.
  const auto moved = [](const Tensor& x, const Tensor& shift, std::int64_t axis) {
    Shape places = axis == 1 ? Shape{1, kSize, 1} : Shape{1, 1, kSize};
    const Tensor index = mod(iota(places, axis) + kSize - expand_dims(shift, {1, 2}), kSize);
    return take_along_axis(x, broadcast_to(index, {kBatch, kSize, kSize}), axis);
  };
  const Tensor down = moved(framed, randint({kBatch}, of_row, 0, kSize - 6), 1);
  const Tensor placed = moved(down, randint({kBatch}, of_column, 0, kSize - 4), 2);
  const Tensor noise = normal({kBatch, kSize, kSize}, of_noise) * 0.3F;
  return {.images = expand_dims(placed + noise, {1}), .labels = labels};
}

std::pair<Tensor, nn::BatchStatistics> scores(const Network& network, const Tensor& images,
                                              const nn::BatchStatistics& statistics) {
  Tensor x = max_pool(relu(conv(images, network.first, {.padding = {1}})), {2});
  auto [normal, next] = network.norm.train(conv(x, network.second, {.padding = {1}}), statistics);
  x = max_pool(relu(normal), {2});
  return {network.head(reshape(x, {kBatch, -1})), next};
}

Tensor right_share(const Tensor& logits, const Tensor& labels) {
  return mean(cast(argmax(logits, 1) == labels, DType::f32));
}

std::pair<State, Tensor> train(State state, const Batch& batch) {
  const auto loss = [&](const Network& network) {
    auto [logits, next] = scores(network, batch.images, state.statistics);
    return std::pair(nn::cross_entropy(logits, batch.labels, {.label_smoothing = 0.05}), next);
  };
  auto [value, next, gradients] = value_and_grad(loss)(state.network);
  auto [clipped, length] = clip_by_global_norm(gradients, 1.F);
  const Tensor rate = warmup_cosine_schedule(state.step, 0.05, 10, kSteps);
  std::tie(state.network, state.optimiser) =
      kOptimiser.update(std::move(state.network), clipped, std::move(state.optimiser), rate);
  state.statistics = next;
  state.step += 1;
  return {std::move(state), value};
}

}  // namespace

int main() {
  const Tensor digits = font();
  auto batches = compile(draw);
  auto step = compile(train);
  State state = start();
  for (std::int64_t i = 0; i < kSteps; ++i) {
    Tensor loss;
    std::tie(state, loss) = step(std::move(state), batches(digits, fold_in(Key(2), i)));
    if (i % 200 == 0) std::cout << "step " << i << ": loss " << loss.item<float>() << "\n";
  }
  const Batch test = batches(digits, Key(3));
  const Tensor logits = scores(state.network, test.images, state.statistics).first;
  std::cout << "right: " << right_share(logits, test.labels).item<float>() << "\n";
}
