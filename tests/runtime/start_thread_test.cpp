#include <tutti/ir/support/error.h>
#include <tutti/runtime/start_thread.h>
#include <tutti/runtime/thread_pool.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace tutti::runtime::start_thread_test {
namespace {

using testing::HasSubstr;

// In a child: this user has no more threads. It is not the administrator, for whom no limit holds.
void forbid_threads() {
  constexpr uid_t kNobody = 65534;
  EXPECT_EQ(geteuid() == 0 ? setuid(kNobody) : 0, 0);
  const rlimit limit{.rlim_cur = 0, .rlim_max = 0};
  EXPECT_EQ(setrlimit(RLIMIT_NPROC, &limit), 0);
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(StartThread, RunsAndIsWaitedFor) {
  std::atomic<int> sum = 0;
  run_threads(4, [&](int i) { sum += i; }, [](int, const std::string&) { FAIL(); });
  EXPECT_EQ(sum, 6);
}

TEST(StartThread, WithoutMoreOfThemIsAnError) {
  Child limited([] {
    forbid_threads();
    return error_of([] { start_thread([] {}).join(); });
  });
  EXPECT_THAT(limited.end(), HasSubstr("the system has no more threads (limited by ulimit -u?)"));
}

TEST(StartThread, ThoseThatAreNotStartedAreGivenUpByNumber) {
  Child limited([] {
    forbid_threads();
    std::string gave_up;
    const std::string error = error_of([&] {
      run_threads(3, [](int) {}, [&](int i, const std::string&) { gave_up += std::to_string(i); });
    });
    return gave_up + ": " + error;
  });
  EXPECT_THAT(limited.end(), HasSubstr("012: the system has no more threads"));
}

TEST(StartThread, APoolWithoutItsThreadsIsAnError) {
  Child limited([] {
    forbid_threads();
    EXPECT_EQ(ThreadPool(1).threads(), 1);
    return error_of([] { const ThreadPool pool(4); });
  });
  EXPECT_THAT(limited.end(), HasSubstr("the system has no more threads"));
}

}  // namespace
}  // namespace tutti::runtime::start_thread_test
