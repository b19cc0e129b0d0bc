// A recurrent network (LSTM: Hochreiter and Schmidhuber 1997) learns a sentence letter by letter,
// and then says it.

#include <tutti/tutti.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace tutti;

namespace {

constexpr const char* kSentence = "the quick brown fox jumps over the lazy dog. ";
constexpr std::int64_t kLetters = 128;
constexpr std::int64_t kHidden = 64;
constexpr int kSteps = 300;

struct Lstm {
  nn::Linear gates;  // [letters + hidden, 4 * hidden]: in, forget, out, new
  nn::Linear head;
  TUTTI_FIELDS(gates, head)
};

struct Memory {
  Tensor hidden;
  Tensor cell;
  TUTTI_FIELDS(hidden, cell)
};

Memory nothing() { return {.hidden = zeros({kHidden}), .cell = zeros({kHidden})}; }

// What comes after a letter: the next memory, and a score for each letter.
std::pair<Memory, Tensor> read(const Lstm& lstm, const Memory& memory, const Tensor& letter) {
  const Tensor seen = concat({one_hot(letter, kLetters, DType::f32), memory.hidden}, 0);
  const std::vector<Tensor> gates = split(reshape(lstm.gates(seen), {4, kHidden}), 4, 0);
  const auto gate = [&](std::size_t i) { return reshape(gates[i], {kHidden}); };
  const Tensor cell = sigmoid(gate(1) + 1.F) * memory.cell + sigmoid(gate(0)) * tanh(gate(3));
  const Tensor hidden = sigmoid(gate(2)) * tanh(cell);
  return {Memory{.hidden = hidden, .cell = cell}, lstm.head(hidden)};
}

Tensor loss(const Lstm& lstm, const Tensor& text) {
  const std::int64_t length = text.shape()[0];
  const Tensor scores =
      scan([&](const Memory& memory, const Tensor& letter) { return read(lstm, memory, letter); },
           nothing(), slice(text, {{0, length - 1}}))
          .second;
  return mean(cross_entropy(scores, slice(text, {{1, length}})));
}

}  // namespace

int main() {
  const std::string twice = std::string(kSentence) + kSentence;
  const Tensor text = from(std::vector<std::int32_t>(twice.begin(), twice.end()),
                           {static_cast<std::int64_t>(twice.size())});
  const auto [first, second] = split(Key(1));
  Lstm lstm = {.gates = nn::linear(first, kLetters + kHidden, 4 * kHidden),
               .head = nn::linear(second, kHidden, kLetters)};
  const AdamW optimiser = adam();
  AdamW::State state = optimiser.init(lstm);

  auto step = compile([&](Lstm model, AdamW::State s, const Tensor& letters) {
    auto [value, gradients] = value_and_grad(loss)(model, letters);
    std::tie(model, s) =
        optimiser.update(model, clip_by_global_norm(gradients, 1.F).first, s, 0.01F);
    return std::tuple(model, s, value);
  });
  for (int i = 0; i <= kSteps; ++i) {
    auto [model, after, value] = step(std::move(lstm), std::move(state), text);
    lstm = std::move(model);
    state = std::move(after);
    if (i % 100 == 0) std::printf("step %3d  loss %.4f\n", i, value.item<float>());
  }

  // The likeliest letter each time, one after another.
  auto next = compile([](const Lstm& model, const Memory& memory, const Tensor& letter) {
    const auto [after, scores] = read(model, memory, letter);
    return std::pair(after, cast(argmax(scores, 0), DType::i32));
  });
  Memory memory = nothing();
  Tensor letter = tensor(std::int32_t{'t'});
  std::string said = "t";
  while (said.size() + 1 < std::string(kSentence).size()) {
    std::tie(memory, letter) = next(lstm, memory, letter);
    said += static_cast<char>(letter.item<std::int32_t>());
  }
  std::printf("says: %s\n", said.c_str());
}
