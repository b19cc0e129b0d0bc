#include <tutti/runtime/comm/progress_thread.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::runtime::progress_thread_test {
namespace {

constexpr std::size_t kLargeElements = 50'000;  // above one-shot
constexpr std::chrono::seconds kPatience{60};   // of a test that fails

std::shared_ptr<LocalFabric> fabric_of(std::int64_t ranks) {
  return std::make_shared<LocalFabric>(ranks, HostOptions{.timeout = kPatience, .progress = true});
}

std::shared_ptr<Buffer> floats(std::size_t elements, float value) {
  auto* const data = new std::vector<float>(elements, value);
  return Buffer::wrap(data->data(), elements * sizeof(float), [data](void*) { delete data; });
}

std::shared_ptr<const PreparedCall> sum_of(Communicator& group, std::size_t elements) {
  return group.prepare({.kind = CollectiveKind::all_reduce,
                        .parts = {{.elements = static_cast<std::int64_t>(elements)}}});
}

// One rank starts and never looks again, until the other has seen that it is done.
class ProgressThreads : public testing::TestWithParam<std::size_t> {};

TEST_P(ProgressThreads, CompleteWhatARankDoesNotWaitFor) {
  std::barrier everybody(2);
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const auto call = sum_of(*group, GetParam());
    const std::shared_ptr<Buffer> operand =
        floats(GetParam(), 1.F + static_cast<float>(backend.rank()));
    const std::shared_ptr<Work> work = group->start(call, {{operand}});
    if (backend.rank() == 0) {
      EXPECT_NO_THROW(group->wait_released(work->sequence()));
    }
    everybody.arrive_and_wait();
    EXPECT_TRUE(work->test());
    EXPECT_EQ(*reinterpret_cast<const float*>(work->result(0)->data()), 3.F);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

INSTANTIATE_TEST_SUITE_P(Elements, ProgressThreads, testing::Values(5, kLargeElements));

// Two groups in one order: the thread goes past what a peer is late for.
TEST(ProgressThread, CompletesWhatCanBeWhereverItStands) {
  std::barrier everybody(3);
  const auto thrown = run_ranks(fabric_of(3), [&](HostBackend& backend) {
    std::shared_ptr<Work> late;
    std::shared_ptr<Work> work;
    std::shared_ptr<Buffer> operand = floats(5, 1.F);
    const auto all = backend.communicator(first_ranks(3), "all");
    const auto call = sum_of(*all, 5);
    if (backend.rank() < 2) {
      const auto pair = backend.communicator(first_ranks(2), "pair");
      late = all->start(call, {{operand}});
      work = pair->start(sum_of(*pair, 5), {{operand}});
      const auto start = std::chrono::steady_clock::now();
      while (!work->test() && std::chrono::steady_clock::now() - start < kPatience) {
        std::this_thread::yield();
      }
      EXPECT_TRUE(work->test());
    }
    everybody.arrive_and_wait();
    if (backend.rank() == 2) late = all->start(call, {{operand}});
    late->wait();
    EXPECT_EQ(*reinterpret_cast<const float*>(late->result(0)->data()), 3.F);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

// What a user gave is dropped by his own thread, though the other one completes what it is for and
// nobody holds the work any more. Rank 1 stays away until rank 0 has seen that it is done.
TEST_P(ProgressThreads, DropNothingOfTheUsers) {
  std::barrier everybody(2);
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    std::atomic<int> dropped{0};
    std::atomic<bool> elsewhere{false};
    std::vector<float> data(GetParam(), 1.F);
    std::vector<float> sum(GetParam());
    const auto own = std::this_thread::get_id();
    const auto give = [&](std::vector<float>& values) {
      return Buffer::wrap(values.data(), values.size() * sizeof(float), [&](void*) {
        ++dropped;
        elsewhere = elsewhere || std::this_thread::get_id() != own;
      });
    };
    std::uint64_t sequence = 0;
    {
      const auto call = sum_of(*group, GetParam());
      const std::shared_ptr<Buffer> results[] = {give(sum)};
      sequence = group->start(call, {{give(data)}}, {.results = results})->sequence();
    }
    if (backend.rank() == 0) {
      EXPECT_NO_THROW(group->wait_released(sequence));
    }
    everybody.arrive_and_wait();
    EXPECT_FALSE(elsewhere);
    EXPECT_TRUE(group->released(sequence));
    backend.close(first_ranks(2), "pair");
    everybody.arrive_and_wait();
    EXPECT_EQ(sum[0], 2.F);
    backend.leave("");
    EXPECT_EQ(dropped, 2);
    EXPECT_FALSE(elsewhere);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

// More than the ring has slots for: what waits for one is announced by the thread.
TEST(ProgressThread, AnnouncesWhatIsQueued) {
  std::barrier everybody(2);
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const auto call = sum_of(*group, 5);
    std::shared_ptr<Work> last;
    for (int i = 0; i < 300; ++i) last = group->start(call, {{floats(5, 1.F)}});
    if (backend.rank() == 0) {
      EXPECT_NO_THROW(group->wait_released(last->sequence()));
    }
    everybody.arrive_and_wait();
    EXPECT_TRUE(last->test());
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

TEST(ProgressThread, ServesProcesses) {
  ShmOptions options;
  options.host.progress = true;
  const auto in_processes = [&](std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
    EXPECT_THAT(run_processes(ranks, body, options), testing::Each(""));
  };
  run_exchanges(in_processes, 3, every_kind_and_place(3));
  run_exchanges(in_processes, 4, mixed_in_two_groups(4, 300));
}

TEST(ProgressThread, TellsWhyACallFailed) {
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const std::size_t elements = backend.rank() == 0 ? 5 : 6;
    const std::shared_ptr<Work> work =
        group->start(sum_of(*group, elements), {{floats(elements, 1.F)}});
    work->wait();
  });
  EXPECT_THAT(thrown, testing::Each(testing::HasSubstr("does not match")));
}

TEST(ProgressThread, LeavesResultsAsTheyAre) {
  const auto in_threads = [](std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
    EXPECT_THAT(run_ranks(fabric_of(ranks), body), testing::Each(""));
  };
  run_exchanges(in_threads, 3, every_kind_and_place(3));
  run_exchanges(in_threads, 3, lists(3));
  run_exchanges(in_threads, 4, mixed_in_two_groups(4, 300));
}

// A process that is forked off has no such thread, and what that was at is whole there: it neither
// waits for its turn nor for its end.
TEST(ProgressThread, IsNotThereInAProcessThatIsForkedOff) {
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const std::shared_ptr<Work> work = group->start(sum_of(*group, 5), {{floats(5, 1.F)}});
    work->wait();
    for (int i = 0; i < 3; ++i) {
      group->start(sum_of(*group, kLargeElements), {{floats(kLargeElements, 1.F)}});
    }
    if (backend.rank() == 0) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        work->wait();
        backend.leave("");
        _exit(work->test() ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    group->start(sum_of(*group, 5), {{floats(5, 1.F)}})->wait();
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

}  // namespace
}  // namespace tutti::runtime::progress_thread_test
