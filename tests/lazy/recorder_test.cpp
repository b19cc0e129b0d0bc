#include <tutti/lazy/recorder.h>

#include <atomic>
#include <thread>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::recorder_test {
namespace {

using detail::Recorder;
using testing::HasSubstr;

template <class F>
void on_another_thread(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

void expect_not_mine(Recorder& recorder) {
  EXPECT_FALSE(recorder.is_mine());
  EXPECT_THAT([&] { const Recorder::Claim claim(recorder); },
              testing::ThrowsMessage<UsageError>(HasSubstr("another thread records")));
}

TEST(Recorder, OneThreadAtATimeMakesClaims) {
  Recorder recorder;
  recorder.take();
  on_another_thread([&] {
    expect_not_mine(recorder);
    recorder.take();
    const Recorder::Claim claim(recorder);
    const Recorder::Claim inner(recorder);
  });
  expect_not_mine(recorder);
  recorder.take();
  const Recorder::Claim claim(recorder);
}

TEST(Recorder, NobodyTakesOverInTheMiddleOfAnOperation) {
  Recorder recorder;
  recorder.take();
  {
    const Recorder::Claim claim(recorder);
    on_another_thread([&] {
      EXPECT_THAT([&] { recorder.take(); },
                  testing::ThrowsMessage<UsageError>(HasSubstr("in the middle of an operation")));
      expect_not_mine(recorder);
    });
    EXPECT_TRUE(recorder.is_mine());
    const Recorder::Claim inner(recorder);
  }
  on_another_thread([&] { recorder.take(); });
  expect_not_mine(recorder);
}

TEST(Recorder, NobodyTakesOverWhileAFunctionIsDifferentiated) {
  const World world = init();
  const auto f = [&](const Tensor& x) {
    on_another_thread([&] {
      EXPECT_THAT([&] { world.attach(); },
                  testing::ThrowsMessage<UsageError>(HasSubstr("in the middle of an operation")));
    });
    return sum(x * x);
  };
  const Tensor x = tensor({3.F});
  EXPECT_EQ(grad(f)(x).item<float>(), 6);
  EXPECT_EQ(vjp(f)(x).second(tensor(1.F)).item<float>(), 6);
  EXPECT_EQ(jvp(f)(x, tensor({1.F})).second.item<float>(), 6);
}

// What the threads do under a claim is no race: a plain number counts all of it.
TEST(Recorder, ThreadsThatTakeOverAllTheTimeTearNothing) {
  Recorder recorder;
  std::int64_t counted = 0;
  std::atomic<std::int64_t> done = 0;
  const auto work = [&] {
    for (int i = 0; i < 20'000; ++i) {
      try {
        if (i % 16 == 0) recorder.take();
        const Recorder::Claim claim(recorder);
        const Recorder::Claim inner(recorder);
        ++counted;
        done.fetch_add(1, std::memory_order_relaxed);
      } catch (const UsageError&) {
        // The other one was faster.
      }
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(counted, done.load());
  EXPECT_GT(counted, 0);
}

TEST(Recorder, ATensorMayGoOnAThreadThatRecordsNoMore) {
  World world = init();
  Tensor kept = tensor({1.F}) + 1.F;
  Tensor dropped = tensor({2.F}) + 2.F;
  std::atomic<int> step = 0;
  std::thread other([&] {
    world.attach();
    Tensor own = kept + 1.F;
    step = 1;
    step.notify_all();
    step.wait(1);
    EXPECT_EQ(own.item<float>(), 3);
    EXPECT_EQ(kept.item<float>(), 2);
  });
  step.wait(0);
  dropped = Tensor();
  step = 2;
  step.notify_all();
  other.join();
  world.attach();
  EXPECT_EQ((kept + 1.F).item<float>(), 3);
}

TEST(Recorder, TensorsMayGoWhileTheirRankDoes) {
  for (int i = 0; i < 50; ++i) {
    std::vector<Tensor> recorded(100);
    std::atomic<bool> all = false;
    std::thread other([&] {  // its rank goes with it
      const Tensor x = tensor({1.F});
      for (Tensor& each : recorded) each = x + 1.F;
      all = true;
      all.notify_all();
    });
    all.wait(false);
    recorded.clear();
    other.join();
  }
}

}  // namespace
}  // namespace tutti::test::recorder_test
