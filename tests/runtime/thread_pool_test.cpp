#include <tutti/kernels/host/no_signals.h>
#include <tutti/runtime/allowed_cores.h>
#include <tutti/runtime/thread_pool.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/command.h"
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::runtime::thread_pool_test {
namespace {

// As under taskset, or in a container that has some of the cores.
TEST(ThreadPool, OfNoNumberHasAThreadForEachCoreThatItMayUse) {
  std::jthread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(allowed_cores().back(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(ThreadPool(0).threads(), 1);
  }).join();
  EXPECT_EQ(ThreadPool(0).threads(), count_of_allowed_cores());
}

class ThreadPools : public testing::TestWithParam<int> {};

TEST_P(ThreadPools, EveryTileIsVisitedOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (const std::int64_t tiles : {0, 1, 2, 3, 7, 100, 10'001}) {
    std::vector<int> visits(static_cast<std::size_t>(tiles));  // no atomics: a race would be seen
    pool.parallel_for(tiles, [&](std::int64_t begin, std::int64_t end) {
      ASSERT_LT(begin, end);
      for (std::int64_t tile = begin; tile < end; ++tile) ++visits[static_cast<std::size_t>(tile)];
    });
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
  }
}

TEST_P(ThreadPools, ManyLoopsOneAfterAnother) {
  ThreadPool pool(GetParam());
  std::atomic<std::int64_t> sum{0};
  for (int loop = 0; loop < 2000; ++loop) {
    pool.parallel_for(17, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  }
  EXPECT_EQ(sum.load(), 2000 * 17);
}

TEST_P(ThreadPools, AnExceptionReachesTheCallerAndThePoolLives) {
  ThreadPool pool(GetParam());
  for (int loop = 0; loop < 20; ++loop) {
    EXPECT_THROW(pool.parallel_for(100,
                                   [](std::int64_t begin, std::int64_t end) {
                                     if (begin <= 50 && 50 < end) throw std::out_of_range("50");
                                   }),
                 std::out_of_range);
    std::atomic<int> tiles{0};
    pool.parallel_for(
        100, [&](std::int64_t begin, std::int64_t end) { tiles += static_cast<int>(end - begin); });
    EXPECT_EQ(tiles.load(), 100);
  }
}

TEST_P(ThreadPools, NestedLoopsRunInline) {
  ThreadPool pool(GetParam());
  std::atomic<int> inner{0};
  pool.parallel_for(8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const auto outer_thread = std::this_thread::get_id();
      pool.parallel_for(10, [&](std::int64_t from, std::int64_t to) {
        EXPECT_EQ(std::this_thread::get_id(), outer_thread);
        inner += static_cast<int>(to - from);
      });
    }
  });
  EXPECT_EQ(inner.load(), 80);
}

TEST_P(ThreadPools, SeveralThreadsMayUseOnePool) {
  ThreadPool pool(GetParam());
  std::atomic<std::int64_t> tiles{0};
  std::vector<std::thread> users;
  for (int user = 0; user < 3; ++user) {
    users.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop) {
        pool.parallel_for(50, [&](std::int64_t begin, std::int64_t end) { tiles += end - begin; });
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(tiles.load(), 3 * 200 * 50);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPools, testing::Values(1, 2, 4));

TEST(ThreadPool, WorkersTakePart) {
  // Both tiles are held open until the other has begun: one thread alone would never end.
  ThreadPool pool(2);
  std::atomic<int> begun{0};
  pool.parallel_for(2, [&](std::int64_t, std::int64_t) {
    begun.fetch_add(1);
    begun.notify_all();
    begun.wait(1);
  });
  EXPECT_EQ(begun.load(), 2);
}

TEST(ThreadPool, ASleepingWorkerIsWoken) {
  ThreadPool pool(2);
  for (int loop = 0; loop < 3; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // long enough to fall asleep
    std::atomic<int> begun{0};
    pool.parallel_for(2, [&](std::int64_t, std::int64_t) {
      begun.fetch_add(1);
      begun.notify_all();
      begun.wait(1);
    });
  }
}

char state_of_thread(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.at(text.rfind(')') + 2);
}

// There it is a copy without workers.
TEST(ThreadPool, EndsInAProcessThatIsForkedOffWhileAWorkerSleeps) {
  auto pool = std::make_unique<ThreadPool>(2);
  std::atomic<pid_t> worker{0};
  std::atomic<int> begun{0};
  pool->parallel_for(2, [&](std::int64_t, std::int64_t) {
    if (ThreadPool::thread_number() != 0) worker = gettid();
    begun.fetch_add(1);
    begun.notify_all();
    begun.wait(1);
  });
  ASSERT_TRUE(test::comes_true([&] { return state_of_thread(worker) == 'S'; }));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::int64_t tiles = 0;
    pool->parallel_for(100, [&](std::int64_t begin, std::int64_t end) { tiles += end - begin; });
    pool.reset();
    _exit(tiles == 100 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// The caller's first piece that needs it makes signals wait, and they do until the loop is over.
TEST(ThreadPool, SignalsWaitOnceALoop) {
  const auto waits = [] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, SIGALRM) == 1;
  };
  ThreadPool pool(2);
  for (int loop = 0; loop < 2; ++loop) {
    int pieces = 0;
    int begun_waiting = 0;
    pool.parallel_for(1000, [&](std::int64_t, std::int64_t) {
      const bool is_caller = ThreadPool::thread_number() == 0;
      if (is_caller && waits()) ++begun_waiting;
      kernels::NoSignals none;
      none.start();
      if (is_caller) ++pieces;
    });
    EXPECT_EQ(begun_waiting, std::max(pieces - 1, 0));
    EXPECT_FALSE(waits());
  }
}

TEST(FunctionRef, CallsWhatItRefersTo) {
  int calls = 0;
  auto count = [&](int by) { return calls += by; };
  const FunctionRef<int(int)> function = count;
  EXPECT_EQ(function(2), 2);
  EXPECT_EQ(function(3), 5);
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace tutti::runtime::thread_pool_test
