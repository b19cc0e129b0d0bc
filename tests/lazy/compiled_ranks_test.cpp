#include <atomic>
#include <thread>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// One compiled function on several ranks, and how many of its programs are kept.
namespace tutti::test::compiled_ranks_test {
namespace {

using testing::HasSubstr;

TEST(CompiledRanks, ManyThreadsCallOneFunctionEachForItsWorld) {
  int traced = 0;  // by one rank at a time: no atomic
  const auto f = compile([&](const Tensor& x, float scale) {
    ++traced;
    return sum(x) * scale;
  });
  constexpr int kThreads = 8;
  constexpr std::int64_t kSizes = 16;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const World world = init({.threads = 1});
      for (int call = 0; call < 200; ++call) {
        const std::int64_t size = 1 + (call * 7 + i) % kSizes;
        const auto scale = static_cast<float>(call + i);
        const float got = f.on(world)(ones({size}), scale).item<float>();
        if (got != static_cast<float>(size) * scale) ++wrong;
      }
      if (f.on(world).programs() != kSizes) ++wrong;
      if (f.on(world).calls() != 200) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(traced, kThreads * kSizes);
}

TEST(CompiledRanks, TheFunctionItselfIsForTheRankThatCallsItFirst) {
  auto f = compile([](const Tensor& x) { return x + 1.F; });
  const World first = init();
  f(tensor({1.F}));
  EXPECT_EQ(f.on(first).calls(), 1);
  const World second = init();
  auto own = f.on(second);
  EXPECT_EQ(own.calls(), 0);
  EXPECT_EQ(own(tensor({2.F})).item<float>(), 3);
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"f.on(world)"});
}

TEST(CompiledRanks, OfAWorldIsForNobodyElse) {
  auto f = compile([](const Tensor& x) { return x; });
  const World first = init();
  auto own = f.on(first);
  const World second = init();
  expect_error<UsageError>([&] { own(tensor({1.F})); }, {"belongs to another rank"});
}

TEST(CompiledRanks, RanksOfOneWorldShareAFunctionThatCommunicates) {
  const auto f = compile([](const Tensor& x) { return all_reduce(x, Group({0, 1, 2})) + x; });
  simulate(3, [&](World& world) {
    auto own = f.on(world);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(
          own(full({2}, static_cast<float>(world.rank()))).to_vector<float>(),
          Floats({3.F + static_cast<float>(world.rank()), 3.F + static_cast<float>(world.rank())}));
    }
    EXPECT_EQ(own.programs(), 1U);
  });
}

// A number in memory of its own, and whether it is gone.
struct Watched {
  std::shared_ptr<bool> gone = std::make_shared<bool>(false);
  std::shared_ptr<float> number = std::make_shared<float>(3.F);

  Tensor tensor() const {
    return view(number.get(), {1}, DType::f32,
                [gone = gone, number = number](void*) { *gone = true; });
  }
};

TEST(CompiledRanks, ProgramsGoWithTheirWorld) {
  const Watched watched;
  const auto f = compile([&](const Tensor& x) { return x * constant(watched.tensor()); });
  {
    const World world = init();
    EXPECT_EQ(f.on(world)(tensor({2.F})).item<float>(), 6);
    EXPECT_EQ(f.on(world).programs(), 1U);
  }
  EXPECT_FALSE(*watched.gone);
  const World world = init();
  EXPECT_EQ(f.on(world).programs(), 0U);
  EXPECT_TRUE(*watched.gone);
}

TEST(CompiledRanks, AFunctionThatThrowsOnOneRankWorksOnTheOthers) {
  const auto f = compile([](const Tensor& x) {
    if (x.size(0) == 2) throw std::runtime_error("no");
    return x * 2.F;
  });
  const World world = init();
  EXPECT_THROW(f.on(world)(ones({2})), std::runtime_error);
  std::thread([&] {
    const World other = init();
    EXPECT_EQ(f.on(other)(ones({3})).to_vector<float>(), Floats({2, 2, 2}));
  }).join();
  EXPECT_EQ(f.on(world)(ones({1})).item<float>(), 2);
}

TEST(CompiledRanks, OneInsideOthersIsRecordedByOneRankAtATime) {
  std::atomic<int> inside = 0;
  std::atomic<bool> together = false;
  auto inner = compile([&](const Tensor& x) {
    if (++inside > 1) together = true;
    for (int i = 0; i < 1000 && !together; ++i) std::this_thread::yield();
    --inside;
    return x * 2.F;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, own = inner]() mutable {
      const World world = init({.threads = 1});
      for (std::int64_t size = 1; size < 20; ++size) {
        auto outer = compile([&](const Tensor& x) { return own(x) + 1.F; });
        EXPECT_EQ(sum(outer(ones({size}))).item<float>(), 3 * static_cast<float>(size));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(together);
}

TEST(CompiledPrograms, ThoseThatRanLastAreKept) {
  auto f = compile([](const Tensor& x, std::int64_t number) { return x + number; });
  const Tensor x = tensor({1.F});
  for (std::int64_t i = 0; i < 1100; ++i) EXPECT_EQ(f(x, i).item<float>(), 1 + float(i));
  EXPECT_LE(f.programs(), 1024U);
  EXPECT_GE(f.programs(), 768U);
  EXPECT_THAT(f.explain(), HasSubstr("compiled 1100 times"));
  EXPECT_EQ(f(x, 1099).item<float>(), 1100);
  EXPECT_EQ(f(x, 500).item<float>(), 501);
  EXPECT_THAT(f.explain(), HasSubstr("compiled 1100 times")) << "these are known";
  EXPECT_EQ(f(x, 0).item<float>(), 1);
  EXPECT_THAT(f.explain(), HasSubstr("compiled 1101 times")) << "this one was forgotten";
}

TEST(CompiledPrograms, ClearForgetsThemAndWhatTheyHold) {
  const Watched watched;
  auto f = compile([&](const Tensor& x) { return x * constant(watched.tensor()); });
  EXPECT_EQ(f(tensor({2.F})).item<float>(), 6);
  EXPECT_FALSE(*watched.gone);
  f.clear();
  EXPECT_TRUE(*watched.gone);
  EXPECT_EQ(f.programs(), 0U);
  expect_error<UsageError>([&] { (void)f.plan(); }, {"plan()", "clear()"}, __LINE__ - 7);
  *watched.number = 4;
  EXPECT_EQ(f(tensor({2.F})).item<float>(), 8) << "recorded anew";
  EXPECT_EQ(f.programs(), 1U);
  EXPECT_EQ(f.calls(), 2);
}

}  // namespace
}  // namespace tutti::test::compiled_ranks_test
