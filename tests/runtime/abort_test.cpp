// Abort in whatever stage the ranks are: each ends with the reason, none hangs.

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::abort_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr int kRanks = 3;

// Starts, tests, waits for and drops collectives of all sizes without end; counts them.
void work_for_ever(HostBackend& backend, Communicator& world, unsigned seed,
                   std::atomic<int>& started) {
  std::minstd_rand random(seed);  // the same on every rank
  const std::shared_ptr<Buffer> operand = backend.allocate(400'000);
  std::fill_n(operand->data(), operand->bytes(), std::byte{1});
  std::vector<std::shared_ptr<Work>> works;
  for (;;) {
    CollectiveCall call{
        .kind = random() % 2 == 0 ? CollectiveKind::all_reduce : CollectiveKind::reduce,
        .reduction = Reduction::bit_or,
        .dtype = DType::i32};
    call.parts = {{.operand = operand->data(), .elements = random() % 2 == 0 ? 10 : 100'000}};
    works.push_back(world.start(std::move(call), {operand}));
    started.fetch_add(1);
    switch ((random() + static_cast<unsigned>(backend.rank())) % 4) {
      case 0:
        works.back()->wait();
        break;
      case 1:
        works.back()->test();
        break;
      case 2:
        world.released(works.back()->sequence());
        break;
      default:
        works.clear();
    }
  }
}

// A second thread of rank 0 aborts once that many collectives have been started.
void work_until_aborted(HostBackend& backend, int number) {
  const auto world = backend.communicator(first_ranks(kRanks), "world");
  std::atomic<int> started{0};
  std::thread watch;
  if (backend.rank() == 0) {
    watch = std::thread([&] {
      while (started.load() < number) std::this_thread::yield();
      world->abort("number " + std::to_string(number));
    });
  }
  try {
    work_for_ever(backend, *world, static_cast<unsigned>(number), started);
  } catch (const CommError&) {
    if (watch.joinable()) watch.join();
    throw;
  }
}

TEST(Abort, InAnyStageOfThreads) {
  for (int number = 0; number < 60; ++number) {
    const auto thrown =
        run_ranks(kRanks, [&](HostBackend& backend) { work_until_aborted(backend, number); });
    ASSERT_THAT(thrown, Each(HasSubstr("was aborted: number " + std::to_string(number))));
  }
}

TEST(Abort, InAnyStageOfProcesses) {
  for (int number = 0; number < 20; ++number) {
    const auto said =
        run_processes(kRanks, [&](HostBackend& backend) { work_until_aborted(backend, number); });
    ASSERT_THAT(said, Each(HasSubstr("was aborted: number " + std::to_string(number))));
  }
}

}  // namespace
}  // namespace tutti::runtime::abort_test
