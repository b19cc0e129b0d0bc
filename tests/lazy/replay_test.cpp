#include <tutti/tutti.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "examples/char_gpt.h"
#include "tests/support/steady_state.h"
#include <gtest/gtest.h>

// What a call of a compiled function asks of the system once everything has been used before.
namespace tutti::test::replay_test {
namespace {

TEST(Replay, OfASmallFunctionAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  auto f = compile([](const Tensor& x, float scale) {
    Tensor a = x;
    for (int i = 0; i < 10; ++i) a = tanh(a) * scale + 0.1F;
    return std::tuple(a, sum(a));
  });
  const Tensor x = from(std::vector<float>(16, 0.5F), {16});
  EXPECT_EQ(least_allocations(thread_allocations, [&] { f(x, 1.01F); }), AllocationCount());
}

// Of the result's own containers: AdamW's state holds three vectors, and a model one.
constexpr std::uint64_t kVectors = 4;

// Uses calls of the training step of examples/train_char_gpt/train_char_gpt.cpp.
void with_gpt_step(World& world, const std::function<void(const std::function<void()>&)>& use) {
  Gpt gpt = replicated(init_gpt(Key(42)), world);
  const AdamW adamw;
  AdamW::State state = adamw.init(gpt);
  const auto loss = [&](const Gpt& model, const Tensor& x, const Tensor& y) -> Tensor {
    return all_reduce(nn::cross_entropy(logits(model, x), y), world, Reduce::mean);
  };
  auto step = compile([&](Gpt model, AdamW::State adam, Tensor x, Tensor y, float rate) {
    auto [value, grads] = value_and_grad(loss)(model, x, y);
    std::tie(model, adam) = adamw.update(model, grads, adam, rate);
    return std::tuple(model, adam, value);
  });
  const Shape shape = {2, GptSizes().context};
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(shape[0] * shape[1]), 7);
  const Tensor x = from(tokens, shape);
  Tensor value;
  const auto call = [&] {
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), x, x, 1e-3F);
  };
  for (int i = 0; i < 3; ++i) call();
  use(call);
  EXPECT_EQ(step.programs(), 1U);
}

AllocationCount count_gpt_step(World& world, AllocationCount (*count)()) {
  AllocationCount counted;
  with_gpt_step(world, [&](const auto& call) { counted = least_allocations(count, call); });
  return counted;
}

SimulateOptions two_threads() {
  SimulateOptions options;
  options.threads = 2;
  return options;
}

TEST(Replay, OfAGptStepAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  simulate(
      1,
      [](World& world) {
        const AllocationCount counted = count_gpt_step(world, process_allocations);
        EXPECT_EQ(counted.allocations, kVectors) << counted;
        EXPECT_EQ(counted.frees, kVectors) << counted;
        EXPECT_EQ(counted.mappings, 0) << counted;
        EXPECT_EQ(counted.minor_faults, 0) << counted;
      },
      two_threads());
}

TEST(Replay, OfAGptStepCallsTheSystemForNothing) {
  simulate(
      1,
      [](World& world) {
        with_gpt_step(world,
                      [](const auto& call) { expect_no_system_calls(call, MatmulLibrary::used); });
      },
      two_threads());
}

TEST(Replay, OfAGptStepOfTwoRanksAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  simulate(2, [](World& world) {
    const AllocationCount counted = count_gpt_step(world, thread_allocations);
    EXPECT_EQ(counted.allocations, kVectors) << counted;
    EXPECT_EQ(counted.mappings, 0) << counted;
    EXPECT_EQ(counted.minor_faults, 0) << counted;
  });
}

// ---- Programs of all kinds.

using Call = std::function<void()>;

template <class F, class... Arguments>
Call call_of(F function, const Arguments&... arguments) {
  const auto shared = std::make_shared<F>(std::move(function));
  return [shared, arguments...] { (*shared)(arguments...); };
}

Call attention_with_gradient() {
  auto f = compile([](const Tensor& q, const Tensor& k, const Tensor& v) {
    return value_and_grad<0, 1, 2>([](const Tensor& a, const Tensor& b, const Tensor& c) {
      return sum(attention(a, b, c, {.causal = true}));
    })(q, k, v);
  });
  const auto some = [](std::uint64_t seed) { return normal({2, 2, 160, 32}, Key(seed)); };
  return call_of(std::move(f), some(1), some(2), some(3));
}

Call scan_of_products() {
  auto f = compile([](const Tensor& h, const Tensor& weight, const Tensor& xs) {
    return scan(
        [&](const Tensor& carry, const Tensor& x) {
          const Tensor next = tanh(matmul(carry, weight) + x);
          return std::pair(next, next);
        },
        h, xs);
  });
  return call_of(std::move(f), normal({32, 64}, Key(1)), normal({64, 64}, Key(2)),
                 normal({20, 32, 64}, Key(3)));
}

Call while_loop_of_numbers() {
  auto f = compile([](const Tensor& x) {
    return while_loop([](const Tensor& y) { return sum(y) < 1000.F; },
                      [](const Tensor& y) { return y * 1.5F; }, x);
  });
  return call_of(std::move(f), from(std::vector<float>(16, 0.5F), {16}));
}

struct ConvNet {
  Tensor first;
  Tensor second;
  TUTTI_FIELDS(first, second)
};

Call convolution_training_step() {
  auto step = compile([](const ConvNet& net, const Tensor& x, float rate) {
    const auto loss = [](const ConvNet& own, const Tensor& images) -> Tensor {
      const Tensor hidden = relu(conv(images, own.first, {.padding = {1}}));
      const Tensor out = conv(hidden, own.second, {.stride = {2}});
      return mean(out * out);
    };
    const auto [value, gradient] = value_and_grad(loss)(net, x);
    return std::tuple(ConvNet{.first = net.first - rate * gradient.first,
                              .second = net.second - rate * gradient.second},
                      value);
  });
  const ConvNet net = {.first = normal({16, 3, 3, 3}, Key(1)),
                       .second = normal({32, 16, 3, 3}, Key(2))};
  return call_of(std::move(step), net, normal({8, 3, 24, 24}, Key(3)), 1e-3F);
}

Call order_and_indices() {
  auto f = compile([](const Tensor& x, const Tensor& indices) {
    return std::tuple(sort(x), topk(x, 5), cumsum(x, 1), scatter_add(x, indices, x),
                      take(x, indices));
  });
  return call_of(std::move(f), normal({64, 300}, Key(1)), arange(64));
}

Call pads_and_moves() {
  auto f = compile([](const Tensor& x) {
    return std::tuple(pad(x, {1, 2}, {3, 4}, 0.F), pad(x, {0, 1}, {1, 0}, {1, 2}, -1.F),
                      concat({x, transpose(x)}, 1), slice(x, {{3, 20}, {1, 7}}));
  });
  return call_of(std::move(f), normal({200, 200}, Key(1)));
}

Call twenty_products() {
  auto f = compile([](const Tensor& x, const Tensor& weights) {
    Tensor total = sum(x);
    for (std::int64_t i = 0; i < 20; ++i) {
      total = total + sum(matmul(x, slice(weights, {{}, {0, 64 + 8 * i}})));
    }
    return total;
  });
  return call_of(std::move(f), normal({96, 96}, Key(1)), normal({96, 300}, Key(2)));
}

Call product_of_halves() {
  auto f = compile([](const Tensor& x, const Tensor& y) { return matmul(x, y); });
  return call_of(std::move(f), cast(normal({80, 1100}, Key(1)), DType::f16),
                 cast(normal({1100, 300}, Key(2)), DType::f16));
}

struct Program {
  const char* name;
  Call (*make)();
  MatmulLibrary library;

  friend void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }
};

constexpr Program kPrograms[] = {
    {"attention_with_gradient", attention_with_gradient, MatmulLibrary::used},
    {"scan_of_products", scan_of_products, MatmulLibrary::used},
    {"while_loop_of_numbers", while_loop_of_numbers, MatmulLibrary::unused},
    {"convolution_training_step", convolution_training_step, MatmulLibrary::used},
    {"order_and_indices", order_and_indices, MatmulLibrary::unused},
    {"pads_and_moves", pads_and_moves, MatmulLibrary::unused},
    {"twenty_products", twenty_products, MatmulLibrary::used},
    {"product_of_halves", product_of_halves, MatmulLibrary::used},
};

class ReplayOf : public testing::TestWithParam<Program> {};

TEST_P(ReplayOf, AllocatesNothing) {
  simulate(1, [](World&) { expect_no_allocations(GetParam().make()); }, two_threads());
}

TEST_P(ReplayOf, CallsTheSystemForNothing) {
  simulate(
      1, [](World&) { expect_no_system_calls(GetParam().make(), GetParam().library); },
      two_threads());
}

INSTANTIATE_TEST_SUITE_P(Programs, ReplayOf, testing::ValuesIn(kPrograms),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace tutti::test::replay_test
