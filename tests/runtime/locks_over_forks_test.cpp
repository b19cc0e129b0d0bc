#include <tutti/ir/support/leaf_mutex.h>
#include <tutti/runtime/spin_lock.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/runtime/processes.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace tutti::runtime::locks_over_forks_test {
namespace {

template <class Lock>
class LocksOverForks : public testing::Test {};
using Locks = testing::Types<LeafMutex, SpinLock>;
TYPED_TEST_SUITE(LocksOverForks, Locks);

// Another thread has it most of the time.
TYPED_TEST(LocksOverForks, AForkedProcessFindsThemFreeAndWhatTheyGuardWhole) {
  TypeParam lock;
  volatile int first = 0;
  volatile int second = 0;
  std::atomic<bool> stops{false};
  std::thread other([&] {
    while (!stops) {
      {
        const std::scoped_lock held(lock);
        first = first + 1;
        for (int i = 0; i < 100; ++i) second = second;
        second = second + 1;
      }
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 20; ++i) {
    Child child([&]() -> std::string {
      alarm(20);
      const std::scoped_lock held(lock);
      return first == second ? "whole" : "half done";
    });
    EXPECT_EQ(child.end(), "whole");
  }
  stops = true;
  other.join();
}

// Those that were destroyed are gone for good, in whatever order they go.
TYPED_TEST(LocksOverForks, ComeAndGo) {
  auto first = std::make_unique<TypeParam>();
  auto second = std::make_unique<TypeParam>();
  auto third = std::make_unique<TypeParam>();
  second = nullptr;
  first = nullptr;
  Child child([&]() -> std::string {
    const std::scoped_lock held(*third);
    return "";
  });
  EXPECT_EQ(child.end(), "");
  third = nullptr;
  EXPECT_EQ(Child([]() -> std::string { return ""; }).end(), "");
}

// Another thread makes and destroys some meanwhile.
TYPED_TEST(LocksOverForks, ComeAndGoWhileProcessesAreForkedOff) {
  std::atomic<bool> stops{false};
  std::thread other([&] {
    while (!stops) const TypeParam lock;
  });
  for (int i = 0; i < 100; ++i) {
    Child child([]() -> std::string {
      alarm(20);
      return "";
    });
    EXPECT_EQ(child.end(), "");
  }
  stops = true;
  other.join();
}

}  // namespace
}  // namespace tutti::runtime::locks_over_forks_test
