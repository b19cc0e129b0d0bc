#include <sstream>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/golden.h"

// How many kernels known patterns become, at most. What they become now stands in golden texts, so
// that a number that shrinks is seen and blessed.
namespace tutti::test::kernel_counts_test {
namespace {

struct Counts {
  std::size_t kernels = 0;   // generated ones, those that follow a matmul's tiles included
  std::size_t calls = 0;     // of the library
  std::size_t launches = 0;  // parallel loops, each of one kernel or call or several
};

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

Counts counts_of(const std::string& plan) {
  Counts counts;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t word = line.find_first_not_of(" 0123456789:");
    if (word == std::string::npos) continue;
    const std::string_view text = std::string_view(line).substr(word);
    if (text.starts_with("launch ")) ++counts.kernels;
    if (text.starts_with("call ")) {
      ++counts.calls;
      counts.kernels += occurrences(line, "\" then ");
    }
    const bool step = line.find(": ") < word;
    const bool runs =
        text.starts_with("launch ") || text.starts_with("call ") || text == "together";
    if (step && runs) ++counts.launches;
  }
  return counts;
}

// Expects the plan that f becomes for these arguments to have no more of each, and to have as many
// as the golden text of that name says.
template <class F, class... Arguments>
void expect_counts(const std::string& name, const Counts& most, F f,
                   const Arguments&... arguments) {
  auto compiled = compile(std::move(f));
  compiled(arguments...);
  const Counts counts = counts_of(compiled.plan());
  EXPECT_LE(counts.kernels, most.kernels) << compiled.plan();
  EXPECT_LE(counts.calls, most.calls) << compiled.plan();
  EXPECT_LE(counts.launches, most.launches) << compiled.plan();
  const std::string text = "kernels " + std::to_string(counts.kernels) + "\nlibrary calls " +
                           std::to_string(counts.calls) + "\nlaunches " +
                           std::to_string(counts.launches) + "\n";
  EXPECT_TRUE(matches_golden(text, "lazy/golden/" + name + ".counts"));
}

// The value of f and its gradient against a cotangent.
template <class F>
auto with_gradient(F f) {
  return [f](const auto& x, const Tensor& cotangent) {
    Tensor value;
    auto gradient = grad([&](const auto& t) {
      value = f(t);
      return sum(value * cotangent);
    })(x);
    return std::tuple(value, std::move(gradient));
  };
}

Tensor masked_softmax(const Tensor& scores) {
  const std::int64_t time = scores.size(-1);
  const Tensor visible = iota({time, time}, 0) >= iota({time, time}, 1);
  return softmax(select(visible, scores * 0.125F, -1e9F));
}

struct Block {
  nn::Norm norm1, norm2;
  nn::Linear qkv, out, up, down;
  TUTTI_FIELDS(norm1, norm2, qkv, out, up, down)

  Tensor operator()(const Tensor& x) const {
    const std::int64_t batch = x.size(0), time = x.size(1), width = x.size(2), heads = 4;
    const Tensor parts = reshape(qkv(norm1(x)), {batch, time, 3, heads, width / heads});
    const auto part = [&](std::int64_t i) {
      return transpose(squeeze(slice(parts, {{}, {}, {i, i + 1}}), {2}), {0, 2, 1, 3});
    };
    const Tensor weights = masked_softmax(matmul(part(0), transpose(part(1), {0, 1, 3, 2})));
    const Tensor mixed = transpose(matmul(weights, part(2)), {0, 2, 1, 3});
    const Tensor y = x + out(reshape(mixed, {batch, time, width}));
    return y + down(gelu(up(norm2(y)), Gelu::tanh));
  }
};

Block block(std::int64_t width) {
  const auto [k1, k2, k3, k4] = split<4>(Key(1));
  return {nn::norm(width),
          nn::norm(width),
          nn::linear(k1, width, 3 * width),
          nn::linear(k2, width, width),
          nn::linear(k3, width, 4 * width),
          nn::linear(k4, 4 * width, width)};
}

TEST(KernelCounts, SoftmaxIsOneKernel) {
  const auto f = [](const Tensor& x) { return softmax(x); };
  const Tensor x = ones({64, 48});
  expect_counts("softmax", {1, 0, 1}, f, x);
  // One more adds up what the gradient is of.
  expect_counts("softmax_gradient", {3, 0, 3}, with_gradient(f), x, x);
}

TEST(KernelCounts, LayerNormIsOneKernelForwardAndTwoPassesBackward) {
  const auto f = [](const nn::Norm& norm, const Tensor& x) { return norm(x); };
  const auto gradient = [&](const nn::Norm& norm, const Tensor& x, const Tensor& cotangent) {
    struct Both {
      nn::Norm norm;
      Tensor x;
      TUTTI_FIELDS(norm, x)
    };
    return grad([&](const Both& both) { return sum(f(both.norm, both.x) * cotangent); })(
        Both{norm, x});
  };
  const Tensor x = ones({8, 64, 48});
  expect_counts("layer_norm", {1, 0, 1}, f, nn::norm(48), x);
  // The statistics, the sum that the gradient is of, one pass over rows and one over columns, which
  // is divided into parts that a last kernel adds.
  expect_counts("layer_norm_gradient", {5, 0, 5}, gradient, nn::norm(48), x, x);
}

TEST(KernelCounts, CrossEntropyIsOneKernelBesideItsMean) {
  const auto f = [](const Tensor& logits, const Tensor& labels) {
    return nn::cross_entropy(logits, labels);
  };
  const Tensor logits = ones({8, 64, 48});
  const Tensor labels = zeros({8, 64}, DType::i32);
  expect_counts("cross_entropy", {2, 0, 2}, f, logits, labels);
  expect_counts("cross_entropy_gradient", {3, 0, 3}, value_and_grad(f), logits, labels);
}

TEST(KernelCounts, MaskedSoftmaxOfAttentionIsOneKernelBesideTheMask) {
  const Tensor scores = ones({2, 4, 32, 32});
  // The mask is one of its own: smaller than the scores, it is not computed for each.
  expect_counts("masked_softmax", {2, 0, 2}, masked_softmax, scores);
  expect_counts("masked_softmax_gradient", {4, 0, 4}, with_gradient(masked_softmax), scores,
                scores);
}

TEST(KernelCounts, GeluIsOneKernel) {
  const auto f = [](const Tensor& x) { return gelu(x, Gelu::tanh); };
  const Tensor x = ones({64, 48});
  expect_counts("gelu", {1, 0, 1}, f, x);
  expect_counts("gelu_gradient", {2, 0, 2}, with_gradient(f), x, x);
}

TEST(KernelCounts, AdamWOverFiftyTensorsIsTwoLaunches) {
  std::vector<Tensor> model;
  for (std::int64_t i = 0; i < 50; ++i) {
    model.push_back(i % 3 == 0 ? ones({16 + i}) : ones({8, 4 + i % 5}));
  }
  const AdamW adamw;
  const auto step = [&](const std::vector<Tensor>& weights, const std::vector<Tensor>& grads,
                        const AdamW::State& state,
                        float rate) { return adamw.update(weights, grads, state, rate); };
  // What depends on the number of the step alone, then all tensors together.
  expect_counts("adamw", {51, 0, 2}, step, model, model, adamw.init(model), 0.1F);
}

TEST(KernelCounts, AGptBlockAndItsTrainingStep) {
  const Block weights = block(32);
  const Tensor x = ones({4, 16, 32});
  expect_counts(
      "gpt_block", {7, 7, 11}, [](const Block& b, const Tensor& t) { return b(t); }, weights, x);
  const AdamW adamw;
  const auto step = [&](const Block& model, const AdamW::State& state, const Tensor& t) {
    const Block gradients = grad([&](const Block& b) { return sum(b(t)); })(model);
    return adamw.update(model, gradients, state, 0.1F);
  };
  expect_counts("gpt_step", {22, 23, 24}, step, weights, adamw.init(weights), x);
}

// With tiles that the sizes do not fill.
TEST(KernelCounts, AnEpilogueChangesNoBits) {
  const auto product = [](const Tensor& x, const Tensor& w) { return matmul(x, w); };
  const auto after = [](const Tensor& y) { return softmax(tanh(y * 0.5F)); };
  const auto activation = [](const Tensor& y) { return tanh(y * 0.5F + 1.F); };
  const auto check = [&](const Tensor& x, const Tensor& w, auto rest) {
    auto together = compile([&](const Tensor& a, const Tensor& b) { return rest(product(a, b)); });
    auto first = compile(product);
    auto second = compile(rest);
    EXPECT_EQ(together(x, w).template to_vector<float>(),
              second(first(x, w)).template to_vector<float>());
    EXPECT_THAT(together.plan(), testing::HasSubstr("\" then "));
  };
  check(normal({300, 70}, Key(1)), normal({70, 520}, Key(2)), activation);
  check(normal({5, 33, 17}, Key(1)), normal({5, 17, 100}, Key(2)), activation);
  check(normal({5, 33, 17}, Key(1)), normal({5, 17, 100}, Key(2)), after);
  check(normal({515, 130}, Key(1)), normal({130, 96}, Key(2)), after);
}

}  // namespace
}  // namespace tutti::test::kernel_counts_test
