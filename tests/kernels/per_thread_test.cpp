#include <tutti/kernels/host/per_thread.h>

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace tutti::kernels::per_thread_test {
namespace {

struct Counted {
  static inline std::atomic<int> alive = 0;

  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }

  int number = 0;
};

constinit thread_local PerThread<Counted> counted;

TEST(PerThread, EachThreadHasItsOwnToItsEnd) {
  counted.get().number = 1;
  const int before = Counted::alive;
  std::thread([&] {
    EXPECT_EQ(counted.get().number, 0);
    counted.get().number = 2;
    EXPECT_EQ(counted.get().number, 2);
    EXPECT_EQ(Counted::alive, before + 1);
  }).join();
  EXPECT_EQ(Counted::alive, before);
  EXPECT_EQ(counted.get().number, 1);
}

// As a static World uses the main thread's.
struct DestroyedLast {
  Counted*& used;
  ~DestroyedLast() { used = &counted.get(); }
};

TEST(PerThread, IsMadeAnewWhereItIsUsedAfterItsEnd) {
  Counted* used = nullptr;
  const int before = Counted::alive;
  std::thread([&] {
    thread_local const DestroyedLast last{used};
    counted.get().number = 2;
  }).join();
  ASSERT_NE(used, nullptr);
  EXPECT_EQ(Counted::alive, before + 1);
  EXPECT_EQ(used->number, 0);
  const std::unique_ptr<Counted> freed(used);  // by nobody else
}

}  // namespace
}  // namespace tutti::kernels::per_thread_test
