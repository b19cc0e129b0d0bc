#include <tutti/runtime/comm/shm/shm.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/message_of.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tutti::runtime::shm_test {
namespace {

using testing::Each;
using testing::HasSubstr;

void in_processes(std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
  run_processes_well(ranks, body);
}

class ShmExchanges : public testing::TestWithParam<int> {
 protected:
  void expect_right(std::vector<Exchange> (*all)(std::int64_t ranks)) const {
    run_exchanges(in_processes, GetParam(), all(GetParam()));
  }
};

TEST_P(ShmExchanges, EveryKindAndPlace) { expect_right(every_kind_and_place); }
TEST_P(ShmExchanges, EveryKindAndDType) { expect_right(every_kind_and_dtype); }
TEST_P(ShmExchanges, EveryReduction) { expect_right(every_reduction); }
TEST_P(ShmExchanges, EveryRootAndPermutation) { expect_right(every_root_and_permutation); }
TEST_P(ShmExchanges, UnevenParts) { expect_right(uneven_parts); }
TEST_P(ShmExchanges, Lists) { expect_right(lists); }

INSTANTIATE_TEST_SUITE_P(Ranks, ShmExchanges, testing::Range(1, 5));

// More than this machine has cores, often.
TEST(Shm, EightProcesses) { run_exchanges(in_processes, 8, every_kind_and_place(8)); }
TEST(Shm, EightProcessesInTwoGroups) {
  run_exchanges(in_processes, 8, mixed_in_two_groups(8, 300));
}

// Two ranks that send to each other before they look for what they get.
TEST(Shm, MessagesInBothDirectionsAtOnce) {
  constexpr int kMessages = 200;
  constexpr int kBurst = 50;  // all under way at once, fewer than the ring holds
  run_processes_well(2, [&](HostBackend& backend) {
    const auto rank = static_cast<int>(backend.rank());
    const auto out = backend.communicator({rank, 1 - rank}, "p2p");
    const auto in = backend.communicator({1 - rank, rank}, "p2p");
    const auto message = [&](int number, int from) {
      const std::size_t elements = number % 3 == 0 ? 40'000 : 5;
      return std::vector<float>(elements, static_cast<float>(1000 * from + number));
    };
    const auto send_recv = [](const std::vector<float>& data) {
      CollectiveCall call{.kind = CollectiveKind::send_recv};
      call.parts = {{.operand = data.data(), .elements = static_cast<std::int64_t>(data.size())}};
      return call;
    };
    for (int first = 0; first < kMessages; first += kBurst) {
      std::vector<std::shared_ptr<Work>> arriving;
      for (int i = first; i < first + kBurst; ++i)
        out->start(send_recv(message(i, rank)));  // copied at once
      for (int i = first; i < first + kBurst; ++i) {
        arriving.push_back(in->start(send_recv(message(i, 1 - rank))));
      }
      for (int i = first; i < first + kBurst; ++i) {
        Work& work = *arriving[static_cast<std::size_t>(i - first)];
        work.wait();
        const std::vector<float> expected = message(i, 1 - rank);
        const auto* arrived = reinterpret_cast<const float*>(work.result(0)->data());
        EXPECT_EQ(std::vector<float>(arrived, arrived + expected.size()), expected);
      }
    }
    EXPECT_EQ(out->start(send_recv({1}))->result(0), nullptr);  // a sender has no result
    in->start(send_recv({1}))->wait();
  });
}

TEST(Shm, ListsThatDoNotMatchNameBothSides) {
  const auto said = run_processes(3, [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    const std::vector<float> operand(6);
    CollectiveCall call{.kind = CollectiveKind::all_to_all};
    call.parts = {{.operand = operand.data(),
                   .elements = 6,
                   .axis_size = 6,
                   .sizes = {1, 2, 3},
                   .receive_sizes = std::vector<std::int64_t>(3, backend.rank() + 1)}};
    if (backend.rank() == 1) call.parts[0].receive_sizes[2] = 7;
    world->start(std::move(call))->wait();
  });
  EXPECT_THAT(said, Each(HasSubstr("collective #1 of group \"world\" (all_to_all f32[6]) does not "
                                   "match: rank 2 sends 2 to rank 1, which expects 7")));
}

// Rank 0 changes what it gave after it has announced it, and before rank 1 takes part.
TEST(Shm, LargeBlocksOfTensorsAreReadWhereTheyLie) {
  run_processes_well(2, [](HostBackend& backend) {
    constexpr std::int64_t kElements = 1 << 16;
    Allocator tensors(host_blocks(backend.large_blocks()));
    const auto group = backend.communicator(first_ranks(2), "group");
    const auto other = backend.communicator(first_ranks(2), "other");
    const auto operand = tensors.allocate(kElements * sizeof(float));
    auto* const numbers = reinterpret_cast<float*>(operand->data());
    std::fill_n(numbers, kElements, 1.0F);
    const auto sum = [&] {
      CollectiveCall call{.kind = CollectiveKind::all_reduce};
      call.parts = {{.operand = numbers, .elements = kElements}};
      return group->start(std::move(call), {operand});
    };
    std::shared_ptr<Work> work;
    if (backend.rank() == 0) {
      work = sum();
      std::fill_n(numbers, kElements, 10.0F);
    }
    other->start(CollectiveCall{})->wait();
    if (backend.rank() == 1) work = sum();
    work->wait();
    const auto* const result = reinterpret_cast<const float*>(work->result(0)->data());
    EXPECT_EQ(std::count(result, result + kElements, 11.0F), kElements);
  });
}

TEST(Shm, AForkedProcessKeepsLargeTensorsAsTheyWere) {
  run_processes_well(2, [](HostBackend& backend) {
    constexpr std::size_t kBytes = 1 << 20;
    Allocator tensors(host_blocks(backend.large_blocks()));
    const auto block = tensors.allocate(kBytes);
    std::fill_n(block->data(), kBytes, std::byte{1});
    Child child([&]() -> std::string {
      const auto begin = block->data();
      const auto same = std::count(begin, begin + kBytes, std::byte{1});
      return std::to_string(kBytes - static_cast<std::size_t>(same)) + " bytes differ";
    });
    std::fill_n(block->data(), kBytes, std::byte{2});
    EXPECT_EQ(child.end(), "0 bytes differ");
  });
}

// Calls body(allocate) for tensors and for what collectives need. What came back last is allocated
// first.
void for_both_uses(
    HostBackend& backend,
    const std::function<void(const std::function<std::shared_ptr<Buffer>()>&)>& body) {
  constexpr std::size_t kBytes = 1 << 20;
  Allocator tensors(host_blocks(backend.large_blocks()), Allocator::kDefaultCacheBytes,
                    backend.memory_use());
  body([&] { return tensors.allocate(kBytes); });
  body([&] { return backend.allocate(kBytes); });
}

void fill_block(Buffer& buffer, int value) {
  std::fill_n(buffer.data(), buffer.bytes(), static_cast<std::byte>(value));
}

// A block in use and one that is free, both full of ones, which a rank writes while a process that
// was forked off waits.
class BlocksOfFork {
 public:
  explicit BlocksOfFork(std::function<std::shared_ptr<Buffer>()> allocate)
      : allocate_(std::move(allocate)), in_use_(allocate_()) {
    const std::shared_ptr<Buffer> free = allocate_();
    place_ = free->data();
    fill_block(*in_use_, 1);
    fill_block(*free, 1);
    EXPECT_EQ(pipe(ends_.data()), 0);
  }

  const std::byte* in_use() const { return in_use_->data(); }
  const std::byte* free() const { return place_; }

  // In the forked process: until the rank has written.
  void wait() {
    close(ends_[1]);
    char none = 0;
    EXPECT_EQ(::read(ends_[0], &none, 1), 0);
  }
  // In the rank, which takes the free one again.
  std::shared_ptr<Buffer> overwrite(int value) {
    close(ends_[0]);
    std::shared_ptr<Buffer> again = allocate_();
    EXPECT_EQ(again->data(), place_);
    fill_block(*in_use_, value);
    fill_block(*again, value);
    close(ends_[1]);
    return again;
  }

 private:
  const std::function<std::shared_ptr<Buffer>()> allocate_;
  const std::shared_ptr<Buffer> in_use_;
  const std::byte* place_ = nullptr;
  std::array<int, 2> ends_{};
};

// It changes there as the rank writes, until the forked process writes there itself.
TEST(Shm, AForkedProcessHasNoCopyOfWhatIsFree) {
  run_processes_well(2, [](HostBackend& backend) {
    for_both_uses(backend, [](const std::function<std::shared_ptr<Buffer>()>& allocate) {
      BlocksOfFork blocks(allocate);
      Child child([&]() -> std::string {
        blocks.wait();
        const std::shared_ptr<Buffer> again = allocate();
        EXPECT_EQ(again->data(), blocks.free());
        EXPECT_EQ(again->data()[again->bytes() / 2], std::byte{2});
        EXPECT_EQ(blocks.in_use()[again->bytes() / 2], std::byte{1});
        fill_block(*again, 3);
        return std::to_string(std::to_integer<int>(again->data()[0]));
      });
      const std::shared_ptr<Buffer> again = blocks.overwrite(2);
      EXPECT_EQ(child.end(), "3");
      EXPECT_EQ(std::count(again->data(), again->data() + again->bytes(), std::byte{2}),
                static_cast<std::ptrdiff_t>(again->bytes()));
    });
  });
}

// Also where nobody has the block.
__attribute__((no_sanitize("address", "thread"))) int byte_at(const std::byte* at) {
  return std::to_integer<int>(*static_cast<const volatile std::byte*>(at));
}

// Then it has a copy of all. As a handler of signals may, which has interrupted an allocation.
TEST(Shm, AProcessIsForkedOffWhereNobodyCanSayWhatIsFree) {
  run_processes_well(2, [](HostBackend& backend) {
    for_both_uses(backend, [&](const std::function<std::shared_ptr<Buffer>()>& allocate) {
      BlocksOfFork blocks(allocate);
      std::optional<Child> child;
      {
        const std::scoped_lock lock(backend.memory_use()->lock());
        child.emplace([&]() -> std::string {
          blocks.wait();
          return std::to_string(byte_at(blocks.in_use())) + " " +
                 std::to_string(byte_at(blocks.free()));
        });
      }
      blocks.overwrite(2);
      EXPECT_EQ(child->end(), "1 1");
    });
  });
}

// Another thread may have been at it, and have had its lock, when the process was forked off.
TEST(Shm, AForkedProcessTakesNothingOfItsRanksMemoryAndGivesNothingBack) {
  run_processes_well(2, [](HostBackend& backend) {
    constexpr std::size_t kBytes = 1 << 20;
    const std::unique_ptr<BlockSource> part = backend.large_blocks();
    std::atomic<bool> stops{false};
    std::thread other([&] {
      while (!stops) {
        void* const taken = part->take(kBytes);
        if (taken != nullptr) part->give_back(taken, kBytes);
        std::this_thread::yield();
      }
    });
    Allocator tensors(host_blocks(backend.large_blocks()));
    const std::shared_ptr<Buffer> own = backend.allocate(kBytes);
    for (int i = 0; i < 10; ++i) {
      std::shared_ptr<Buffer> tensor = tensors.allocate(kBytes);
      Child child([&]() -> std::string {
        alarm(20);
        EXPECT_EQ(part->take(kBytes), nullptr);
        tensor = nullptr;
        tensors.trim();
        fill_block(*tensors.allocate(kBytes), 1);  // the system's
        return message_of<OutOfMemoryError>([&] { backend.allocate(kBytes); });
      });
      EXPECT_THAT(child.end(), HasSubstr("was forked off a rank, and gets nothing of the ranks'"));
    }
    stops = true;
    other.join();
  });
}

// The peer is not there before the forked process has ended, and would write where that reads.
TEST(Shm, AForkedProcessCompletesNothingOfItsRank) {
  run_processes_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(2), "world");
    const auto other = backend.communicator(first_ranks(2), "other");
    std::vector<float> x(3, 1);
    std::vector<float> y;
    if (backend.rank() == 0) {
      const auto work = world->start(all_reduce_call(x, y));
      std::vector<float> z;
      const auto next = world->start(all_reduce_call(x, z));
      Child child([&]() -> std::string {
        EXPECT_THROW(next->wait(), UsageError);
        const std::string text = message_of<UsageError>([&] { work->wait(); });
        EXPECT_THAT(text, HasSubstr("this process was forked off rank 0 and is no rank itself"));
        EXPECT_EQ(message_of<UsageError>([&] { work->test(); }), text);
        EXPECT_THROW(world->wait_released(1), UsageError);
        EXPECT_NO_THROW(backend.close(first_ranks(2), "world"));
        return "";
      });
      EXPECT_EQ(child.end(), "");
      other->start(barrier_call())->wait();
      next->wait();
      EXPECT_EQ(z, y);
    } else {
      other->start(barrier_call())->wait();
      std::vector<float> z;
      world->start(all_reduce_call(x, y))->wait();
      world->start(all_reduce_call(x, z))->wait();
    }
    EXPECT_EQ(y, std::vector<float>(3, 2));
  });
}

TEST(Shm, TensorsLeaveHalfOfTheMemoryToCollectives) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  ShmOptions options;
  options.segment_bytes = 64 * kMiB;
  const auto fill = [](HostBackend& backend) {
    std::vector<std::shared_ptr<Buffer>> blocks;
    {
      Allocator tensors(host_blocks(backend.large_blocks()));
      for (int i = 0; i < 64; ++i) {  // more than there is: the rest is ordinary memory
        blocks.push_back(tensors.allocate(kMiB));
        std::fill_n(blocks.back()->data(), kMiB, std::byte{1});
      }
    }
    for (int i = 0; i < 12; ++i) blocks.push_back(backend.allocate(kMiB));
    blocks.erase(blocks.begin(), blocks.begin() + 64);
    for (int i = 0; i < 12; ++i) blocks.push_back(backend.allocate(kMiB));
  };
  run_processes_well(2, fill, options);
}

TEST(Shm, ATimeOutMayBeAsLongAsTheClockCounts) {
  ShmOptions options;
  options.host.timeout = std::chrono::milliseconds::max();
  const auto meet = [](HostBackend& backend) {
    backend.communicator(first_ranks(2), "world")->start(barrier_call())->wait();
  };
  run_processes_well(2, meet, options);
}

TEST(Shm, AHundredGroupsOfTheSameRanks) {
  run_processes_well(3, [](HostBackend& backend) {
    std::vector<std::shared_ptr<Work>> works;
    std::vector<float> operand(3, static_cast<float>(backend.rank()));
    std::vector<std::vector<float>> results(100);
    for (int i = 0; i < 100; ++i) {
      operand.assign(3, static_cast<float>(i));
      const auto group = backend.communicator(first_ranks(3), "group " + std::to_string(i));
      works.push_back(group->start(all_reduce_call(operand, results[static_cast<std::size_t>(i)])));
      EXPECT_EQ(works.back()->sequence(), 1U);
    }
    backend.finish();
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(results[i], std::vector<float>(3, 3 * static_cast<float>(i)));
    }
  });
}

}  // namespace
}  // namespace tutti::runtime::shm_test
