#include "tests/support/steady_state.h"

#include <algorithm>
#include <array>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace tutti::test {

namespace {

constexpr int kWarmUps = 3;
constexpr int kRounds = 12;

constexpr auto kWaiting = std::to_array<long>({SYS_futex, SYS_sched_yield});
// A clock that can't be read without a call, as on some virtual machines, is the machine's affair.
constexpr auto kClocks = std::to_array<long>({SYS_clock_gettime});
// That no other code asks for memory, expect_no_allocations() sees.
constexpr auto kOfMatmulLibrary =
    std::to_array<long>({SYS_brk, SYS_mmap, SYS_munmap, SYS_madvise, SYS_rt_sigprocmask});

SystemCallCounts least_system_calls(const SystemCallCounter& counter,
                                    const std::function<void()>& call) {
  SystemCallCounter::Numbers least{};
  for (int round = 0; round < kRounds; ++round) {
    const SystemCallCounter::Numbers before = counter.numbers();
    call();
    const SystemCallCounter::Numbers now = counter.numbers();
    for (std::size_t i = 0; i < least.size(); ++i) {
      const std::uint64_t made = now[i] - before[i];
      least[i] = round == 0 ? made : std::min(least[i], made);
    }
  }
  SystemCallCounts out;
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (least[i] > 0) out[static_cast<long>(i)] = least[i];
  }
  return out;
}

}  // namespace

AllocationCount least_allocations(AllocationCount (*count)(), const std::function<void()>& call) {
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

void expect_no_allocations(const std::function<void()>& call) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (int i = 0; i < kWarmUps; ++i) call();
  EXPECT_EQ(least_allocations(process_allocations, call), AllocationCount());
}

void expect_no_system_calls(const std::function<void()>& call, MatmulLibrary library) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer calls the system itself";
  for (int i = 0; i < kWarmUps; ++i) call();
  const SystemCallCounter counter;
  if (!counter.refusal().empty()) GTEST_SKIP() << counter.refusal();
  SystemCallCounts calls = least_system_calls(counter, call);
  const auto allow = [&](std::span<const long> numbers) {
    for (const long number : numbers) calls.erase(number);
  };
  allow(kWaiting);
  allow(kClocks);
  if (library == MatmulLibrary::used) allow(kOfMatmulLibrary);
  EXPECT_THAT(calls, testing::IsEmpty()) << "the numbers of calls, and how many there were of each";
}

}  // namespace tutti::test
