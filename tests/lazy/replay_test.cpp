#include <tutti/tutti.h>

#include <algorithm>
#include <vector>

#include "examples/char_gpt.h"
#include "tests/support/allocation_count.h"
#include <gtest/gtest.h>

// What a call of a compiled function asks of the system once everything has been used before.
namespace tutti::test::replay_test {
namespace {

// The least of several rounds: which thread gets which tile is chance, and with it when a thread
// does something for the first time.
constexpr int kRounds = 12;

template <class Call>
AllocationCount least(AllocationCount (*count)(), Call&& call) {
  AllocationCount least;
  for (int round = 0; round < kRounds; ++round) {
    const AllocationCount before = count();
    call();
    const AllocationCount now = count() - before;
    const auto keep = [&](std::uint64_t AllocationCount::* number) {
      least.*number = round == 0 ? now.*number : std::min(least.*number, now.*number);
    };
    keep(&AllocationCount::allocations);
    keep(&AllocationCount::frees);
    keep(&AllocationCount::mappings);
    keep(&AllocationCount::minor_faults);
  }
  return least;
}

TEST(Replay, OfASmallFunctionAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  auto f = compile([](const Tensor& x, float scale) {
    Tensor a = x;
    for (int i = 0; i < 10; ++i) a = tanh(a) * scale + 0.1F;
    return std::tuple(a, sum(a));
  });
  const Tensor x = from(std::vector<float>(16, 0.5F), {16});
  EXPECT_EQ(least(thread_allocations, [&] { f(x, 1.01F); }), AllocationCount());
}

// Of the result's own containers: AdamW's state holds three vectors, and a model one.
constexpr std::uint64_t kVectors = 4;

// The training step of examples/train_char_gpt/train_char_gpt.cpp.
AllocationCount count_gpt_step(World& world, AllocationCount (*count)()) {
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
  const std::vector<std::int32_t> tokens(2 * kContext, 7);
  const Tensor x = from(tokens, {2, kContext});
  Tensor value;
  const auto call = [&] {
    std::tie(gpt, state, value) = step(std::move(gpt), std::move(state), x, x, 1e-3F);
  };
  for (int i = 0; i < 3; ++i) call();
  const AllocationCount counted = least(count, call);
  EXPECT_EQ(step.programs(), 1U);
  return counted;
}

TEST(Replay, OfAGptStepAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  SimulateOptions options;
  options.threads = 2;
  simulate(
      1,
      [](World& world) {
        const AllocationCount counted = count_gpt_step(world, process_allocations);
        EXPECT_EQ(counted.allocations, kVectors) << counted;
        EXPECT_EQ(counted.frees, kVectors) << counted;
        EXPECT_EQ(counted.mappings, 0) << counted;
        EXPECT_EQ(counted.minor_faults, 0) << counted;
      },
      options);
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

}  // namespace
}  // namespace tutti::test::replay_test
