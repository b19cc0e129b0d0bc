#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// What is computed, when, and how often.
namespace tutti::test::laziness_test {
namespace {

TEST(Laziness, NothingIsComputedBeforeItIsRead) {
  const CompiledGraphs graphs;
  const Tensor x = tensor({1.F, 2.F, 3.F});
  const Tensor y = exp(x) + 1.F;
  EXPECT_EQ(y.shape(), Shape({3}));
  EXPECT_EQ(y.dtype(), DType::f32);
  EXPECT_EQ(y.size(-1), 3);
  EXPECT_FALSE(computed(y));
  EXPECT_EQ(graphs.count(), 0U);
  EXPECT_FLOAT_EQ(y.to_vector<float>()[0], std::exp(1.F) + 1);
  EXPECT_TRUE(computed(y));
  EXPECT_EQ(graphs.count(), 1U);
  y.to_vector<float>();
  EXPECT_EQ(graphs.count(), 1U) << "it is data from then on";
}

TEST(Laziness, ValuesMetOnTheWayBecomeData) {
  const Tensor x = tensor({1.F, 2.F});
  const Tensor y = x + 1.F;
  const Tensor z = y * 2.F;
  EXPECT_EQ(z.to_vector<float>(), Floats({4, 6}));
  EXPECT_TRUE(computed(y));
  EXPECT_EQ(y.to_vector<float>(), Floats({2, 3}));
}

TEST(Laziness, DroppedIntermediatesAreNotKept) {
  const CompiledGraphs graphs;
  Tensor x = tensor({{1.F, 2.F, 5.F}});
  for (int i = 0; i < 5; ++i) x = x * 2.F + 1.F;
  x.to_vector<float>();
  ASSERT_EQ(graphs.count(), 1U);
  EXPECT_EQ(graphs.last().results().size(), 1U);
}

TEST(Laziness, WhatNobodyAskedForStaysRecorded) {
  const CompiledGraphs graphs;
  const Tensor x = tensor({1.F, 2.F, 7.F});
  const Tensor asked = x + 1.F;
  const Tensor other = x * 3.F;
  EXPECT_EQ(asked.to_vector<float>(), Floats({2, 3, 8}));
  EXPECT_FALSE(computed(other));
  EXPECT_EQ(graphs.count(ir::Op::mul), 0);
  EXPECT_EQ(other.to_vector<float>(), Floats({3, 6, 21}));
}

TEST(Laziness, WhatIsComputedIsNotComputedAgain) {
  const CompiledGraphs graphs;
  const Tensor x = tensor({1.F, 2.F, 7.F, 9.F});
  const Tensor power = exp(x);
  const Tensor later = sin(power);
  eval(power);
  EXPECT_FALSE(computed(later));
  later.to_vector<float>();
  EXPECT_EQ(graphs.count(ir::Op::exp), 1);
  // The handle to exp(x) is gone by the time it is needed again: it is data all the same.
  Tensor root;
  {
    const Tensor inner = cos(x);
    root = sqrt(inner);
    const Tensor side = inner + 1.F;
    eval(side);
  }
  root.to_vector<float>();
  EXPECT_EQ(graphs.count(ir::Op::cos), 1);
}

TEST(Laziness, LongTracesAreComputedPieceByPiece) {
  Tensor x = tensor({0.F, 1.F});
  for (int i = 0; i < 100000; ++i) x = x + 1;
  EXPECT_EQ(x.to_vector<float>(), Floats({100000, 100001}));
}

TEST(Laziness, SeveralAreComputedAtOnce) {
  const CompiledGraphs graphs;
  const Tensor x = tensor({{3.F}, {4.F}});
  const std::vector<Tensor> both = {x + 1.F, x * 2.F};
  eval(both);
  EXPECT_EQ(graphs.count(), 1U);
  EXPECT_TRUE(computed(both[0]) && computed(both[1]));
}

TEST(Laziness, TheSameTraceCompilesOnce) {
  const auto run = [](float from) {
    const Tensor x = tensor({from, 1.F, 2.F, 3.F, 4.F, 5.F});
    return (tanh(x) * x).to_vector<float>();
  };
  run(0.5F);
  const CompiledGraphs graphs;
  EXPECT_FLOAT_EQ(run(0.25F)[0], std::tanh(0.25F) * 0.25F);
  EXPECT_EQ(graphs.count(), 0U);
}

TEST(Laziness, EagerModeComputesAtOnce) {
  World world = init();
  world.set_eager(true);
  const Tensor y = tensor({1.F}) + 1.F;
  EXPECT_TRUE(computed(y));
  EXPECT_EQ(y.item<float>(), 2);
}

TEST(Laziness, CopiesAreTheSameValue) {
  const Tensor x = tensor({1.F}) + 1.F;
  const Tensor same = x;
  eval(same);
  EXPECT_TRUE(computed(x));
  EXPECT_EQ(x.state(), same.state());
}

TEST(Laziness, AnEmptyHandleSaysSo) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  expect_error<UsageError>([&] { none.shape(); }, {"never given a value"});
  expect_error<UsageError>([&] { return none + 1; }, {"never given a value"});
}

TEST(Laziness, DataOutlivesTheWorldAndWhatWasNotComputedDoesNot) {
  Tensor data;
  Tensor lost;
  {
    World world = init();
    data = tensor({1.F}) + 1.F;
    eval(data);
    lost = data + 1.F;
  }
  EXPECT_EQ(data.item<float>(), 2);
  expect_error<UsageError>([&] { return lost.item<float>(); },
                           {"has no value", "World was closed", "laziness_test.cpp"});
}

TEST(Laziness, AnotherThreadIsToldToAttach) {
  World world = init();
  const Tensor x = tensor({1.F});
  std::thread([&] {
    expect_error<UsageError>([&] { return x + 1.F; }, {"world.attach()", "laziness_test.cpp"});
    world.attach();
    EXPECT_EQ((x + 1.F).item<float>(), 2);
  }).join();
  world.attach();
}

// As a static object's is of the main thread's.
struct DestructionAfterAll {
  std::string& said;
  ~DestructionAfterAll() {
    try {
      tensor({1.F});
    } catch (const UsageError& error) {
      said = error.what();
    }
  }
};

TEST(Laziness, NothingIsRecordedAfterTheEndOfAThreadWithoutAWorld) {
  std::string said;
  std::thread([&] {
    thread_local const DestructionAfterAll last{said};
    EXPECT_EQ((tensor({1.F}) + 1.F).item<float>(), 2);
  }).join();
  EXPECT_THAT(said, testing::HasSubstr("the program ends"));
}

TEST(Laziness, ViewsLookAtTheCallersMemory) {
  Floats memory = {1, 2, 3, 4};
  int released = 0;
  {
    const Tensor x = view(memory.data(), {2, 2}, DType::f32, [&](void* data) {
      EXPECT_EQ(data, memory.data());
      ++released;
    });
    const Tensor y = transpose(x) + 1.F;
    EXPECT_EQ(y.to_vector<float>(), Floats({2, 4, 3, 5}));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

// As code does that releases a view's memory.
TEST(Laziness, NothingIsEvaluatedInTheMiddleOfAProgram) {
  auto twice = compile([](const Tensor& x) { return x * 2.F; });
  const Tensor x = tensor({1.F});
  const Tensor y = x + 1.F;
  const Group alone(std::vector<std::int64_t>{0}, "alone");
  {
    const detail::RankContext::Running running(detail::RankContext::current());
    expect_error<UsageError>([&] { twice(x); }, {"while a program runs"});
    EXPECT_THROW(eval(y), UsageError);
    EXPECT_THROW(alone.close(), UsageError);
    eval(x);
  }
  EXPECT_EQ(twice(x).item<float>(), 2);
  EXPECT_EQ(y.item<float>(), 2);
}

TEST(Laziness, CodeThatReleasesMemoryInACallNeitherCallsNorForgetsTheFunction) {
  auto twice = compile([](const Tensor& x) { return x * 2.F; });
  Floats memory = {1};
  std::string called;
  std::string cleared;
  const auto release = [&](void*) {
    try {
      twice(tensor({1.F}));
    } catch (const UsageError& error) {
      called = error.what();
    }
    try {
      twice.clear();
    } catch (const UsageError& error) {
      cleared = error.what();
    }
  };
  Tensor x = view(memory.data(), {1}, DType::f32, release);
  EXPECT_EQ(twice(std::move(x)).item<float>(), 2);
  EXPECT_THAT(called, testing::HasSubstr("by code that releases memory"));
  EXPECT_THAT(cleared, testing::HasSubstr("clear: a call of the compiled function"));
  EXPECT_EQ(twice.programs(), 1U);
}

TEST(Laziness, ABodyDoesNotForgetItsFunction) {
  std::function<void()> forget;
  auto twice = compile([&](const Tensor& x) {
    forget();
    return x * 2.F;
  });
  forget = [&] { twice.clear(); };
  expect_error<UsageError>([&] { twice(tensor({1.F})); }, {"clear: a call", "whose body"},
                           kNowhere);
  forget = [] {};
  EXPECT_EQ(twice(tensor({1.F})).item<float>(), 2);
}

TEST(Laziness, NothingIsRecordedInTheMiddleOfAProgram) {
  const Tensor x = tensor({1.F});
  const Tensor y = x + 1.F;
  const Key key(1);
  {
    const detail::RankContext::Running running(detail::RankContext::current());
    {
      const detail::RankContext::Running inner(detail::RankContext::current());
    }
    const std::string said = "something is recorded";
    expect_error<UsageError>([&] { return x + 1.F; }, {said});
    expect_error<UsageError>([&] { return -y; }, {said});
    expect_error<UsageError>([&] { return select(y > 0.F, y, x); }, {said});
    expect_error<UsageError>([&] { return concat({y, y}); }, {said});
    expect_error<UsageError>([&] { return softmax(y); }, {said});
    expect_error<UsageError>([&] { return zeros({2}); }, {said});
    expect_error<UsageError>([&] { return arange(3); }, {said});
    expect_error<UsageError>([&] { return Key(2); }, {said});
    expect_error<UsageError>([&] { return normal({2}, key); }, {said});
    expect_error<UsageError>([&] { grad([](const Tensor& z) { return sum(z * z); })(y); }, {said});
    EXPECT_EQ(tensor({3.F}).item<float>(), 3) << "data is not recorded";
  }
  EXPECT_EQ((y * 2.F).item<float>(), 4);
}

TEST(Laziness, DumpShowsWhatIsRecordedWithItsLines) {
  const Tensor x = tensor({1.F, 2.F});
  const unsigned line = __LINE__ + 1;
  const Tensor y = exp(x) + 1.F;
  EXPECT_THAT(dump_ir(y),
              testing::AllOf(testing::HasSubstr("exp("), testing::HasSubstr("laziness_test.cpp"),
                             testing::HasSubstr("cpp:" + std::to_string(line))));
  EXPECT_FALSE(computed(y));
  eval(y);
  EXPECT_THAT(dump_ir(y), testing::HasSubstr("already computed"));
}

}  // namespace
}  // namespace tutti::test::laziness_test
