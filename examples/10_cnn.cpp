// A convolutional network learns digits that this program draws, or those of files.
//
//   cnn
//   cnn FOLDER     (digits_images.npy and digits_labels.npy: examples/10_cnn_digits.py writes them)

#include <tutti/tutti.h>

#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace tutti;

namespace {

constexpr std::int64_t kSteps = 600;
constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kSize = 12;  // of an image that is drawn

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

// Of images of that size.
State start(std::int64_t size) {
  const auto [a, b, c] = split<3>(Key(1));
  State out;
  out.network = {.first = normal({8, 1, 3, 3}, a) * 0.3F,
                 .second = normal({16, 8, 3, 3}, b) * 0.15F,
                 .norm = nn::batch_norm(16),
                 .head = nn::linear(c, 16 * (size / 4) * (size / 4), 10)};
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

struct Digits {
  Tensor images;  // [count, 1, size, size]
  Tensor labels;  // [count]
  TUTTI_FIELDS(images, labels)
};

// Digits at places of their own, in noise.
Digits draw(const Tensor& digits, const Key& key) {
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

// Of a folder's files: those to learn, and the last fifth, to be asked about.
std::pair<Digits, Digits> read(const std::filesystem::path& folder) {
  const Tensor images = expand_dims(load_npy(folder / "digits_images.npy"), {1});
  const Tensor labels = load_npy(folder / "digits_labels.npy");
  const std::int64_t learned = labels.size(0) * 4 / 5;
  return {{.images = slice(images, {{0, learned}}), .labels = slice(labels, {{0, learned}})},
          {.images = slice(images, {{learned}}), .labels = slice(labels, {{learned}})}};
}

// Some at random.
Digits pick(const Digits& digits, const Key& key) {
  const Tensor which = randint({kBatch}, key, 0, digits.labels.size(0));
  return {.images = take(digits.images, which), .labels = take(digits.labels, which)};
}

// In training batches are normalised by themselves, later by what was seen then.
std::pair<Tensor, nn::BatchStatistics> scores(const Network& network, const Tensor& images,
                                              const nn::BatchStatistics& statistics,
                                              bool training) {
  Tensor x = max_pool(relu(conv(images, network.first, {.padding = {1}})), {2});
  x = conv(x, network.second, {.padding = {1}});
  auto [normal, next] = training ? network.norm.train(x, statistics)
                                 : std::pair(network.norm(x, statistics), statistics);
  x = max_pool(relu(normal), {2});
  return {network.head(reshape(x, {images.size(0), -1})), next};
}

float right_share(const State& state, const Digits& digits) {
  const Tensor logits = scores(state.network, digits.images, state.statistics, false).first;
  return mean(cast(argmax(logits, 1) == digits.labels, DType::f32)).item<float>();
}

std::pair<State, Tensor> train(State state, const Digits& batch) {
  const auto loss = [&](const Network& network) {
    auto [logits, next] = scores(network, batch.images, state.statistics, true);
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

// Learns what batch_of(key) gives.
template <class BatchOf>
State learn(State state, BatchOf batch_of) {
  auto step = compile(train);
  for (std::int64_t i = 0; i < kSteps; ++i) {
    Tensor loss;
    std::tie(state, loss) = step(std::move(state), batch_of(fold_in(Key(2), i)));
    if (i % 200 == 0) std::cout << "step " << i << ": loss " << loss.item<float>() << "\n";
  }
  return state;
}

void learn_drawn() {
  auto batch = compile(draw);
  const Tensor digits = font();
  const State state = learn(start(kSize), [&](const Key& key) { return batch(digits, key); });
  std::cout << "right: " << right_share(state, batch(digits, Key(3))) << "\n";
}

void learn_from(const std::filesystem::path& folder) {
  auto batch = compile(pick);
  const auto [digits, others] = read(folder);
  const State state = learn(start(digits.images.size(2)),
                            [&, &all = digits](const Key& key) { return batch(all, key); });
  std::cout << "right: " << right_share(state, others) << " of " << others.labels.size(0) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1) {
      learn_from(argv[1]);
    } else {
      learn_drawn();
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
