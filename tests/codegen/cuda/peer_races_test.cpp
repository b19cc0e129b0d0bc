#include "tests/support/cuda/peer_races.h"

#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/kernels/device/texts.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/codegen/cuda/peer_racing.h"
#include "tests/support/cuda/emulator.h"
#include <gmock/gmock.h>

// Kernels of several ranks, which are threads here, and the races between them
// (tests/support/cuda/peer_races.h).
namespace tutti::codegen::cuda::peer_races_test {
namespace {

using peer_racing::Group;
using peer_racing::kPart;
using peer_racing::kPlaces;
using runtime::CommKernel;
using test::cuda::EmulatedModule;
using test::cuda::PeerRaces;
using testing::HasSubstr;
using Kind = CommKernel::Kind;

// ---- Our own kernels ----

struct OwnKernel {
  Kind kind;
  const char* name;
  bool gathers = false;   // the result has a part of each rank
  bool scatters = false;  // the operand has
  bool in_place = false;  // the result may be the operand
};
constexpr std::array kOwn = {
    OwnKernel{Kind::all_reduce_one_shot, "all_reduce_one_shot"},
    OwnKernel{Kind::all_reduce_two_shot, "all_reduce_two_shot", false, false, true},
    OwnKernel{Kind::all_reduce_multimem, "all_reduce_multimem", false, false, true},
    OwnKernel{Kind::all_gather, "all_gather", true},
    OwnKernel{Kind::all_gather_multimem, "all_gather_multimem", true},
    OwnKernel{Kind::reduce_scatter, "reduce_scatter", false, true},
    OwnKernel{Kind::reduce_scatter_multimem, "reduce_scatter_multimem", false, true}};

// Compiled once: that takes longer than all else.
using Modules = std::array<std::unique_ptr<EmulatedModule>, CommKernel::kMostMembers + 1>;

const EmulatedModule& own_kernels(int ranks) {
  static Modules modules;
  auto& module = modules[static_cast<std::size_t>(ranks)];
  if (module == nullptr) {
    std::vector<std::string> texts;
    for (const OwnKernel& own : kOwn) {
      texts.push_back(comm_kernel_source({.kind = own.kind, .members = ranks}).text);
    }
    module = std::make_unique<EmulatedModule>(texts);
  }
  return *module;
}

class PeerRacesOfRanks : public testing::TestWithParam<int> {};

TEST_P(PeerRacesOfRanks, OurKernelsHaveNone) {
  const int ranks = GetParam();
  const EmulatedModule& module = own_kernels(ranks);
  const auto all = static_cast<std::size_t>(ranks) * kPart;
  const auto sum = static_cast<float>(ranks * (ranks + 1) / 2);
  for (std::size_t text = 0; text < kOwn.size(); ++text) {
    const OwnKernel& own = kOwn[text];
    Group group(ranks, module);
    const std::string complaints = group.run([&](int rank) {
      // Some behind each other and at the same places, as replays are, then at others, of more and
      // of fewer blocks.
      for (int round = 0; round < 2; ++round) {
        for (const std::uint32_t blocks : {2U, 1U, 3U}) {
          const std::size_t operand = blocks == 3 ? 2 : 0;
          group.write(rank, operand);
          group.launch(rank, text, own.name, operand, operand + 1, blocks);
          group.launch(rank, text, own.name, operand, operand + 1, blocks);
          group.write(rank, operand);  // at once
          group.launch(rank, text, own.name, operand, operand + 1, blocks);
          const float last = group.read(rank, operand + 1, own.gathers ? all : kPart);
          EXPECT_EQ(last, own.gathers ? static_cast<float>(ranks) : sum) << own.name;
          // The other way round, and what was read is overwritten at once, too.
          group.launch(rank, text, own.name, operand + 1, operand, blocks);
          group.write(rank, operand + 1);
        }
        if (!own.in_place) continue;
        for (int i = 0; i < 3; ++i) group.launch(rank, text, own.name, 0, 0);
      }
    });
    EXPECT_EQ(complaints, "") << own.name;
    EXPECT_GT(group.races().seen(), 12 * kPart * static_cast<std::size_t>(ranks)) << own.name;
  }
}

// All of them by turns, as a program has them.
TEST_P(PeerRacesOfRanks, OurKernelsBehindEachOtherHaveNone) {
  const int ranks = GetParam();
  const EmulatedModule& module = own_kernels(ranks);
  Group group(ranks, module);
  const std::string complaints = group.run([&](int rank) {
    group.write(rank, 0);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t text = 0; text < kOwn.size(); ++text) {
        const std::size_t from = text % kPlaces;
        group.launch(rank, text, kOwn[text].name, from, (from + 1) % kPlaces,
                     1 + static_cast<std::uint32_t>(text) % 3);
      }
    }
  });
  EXPECT_EQ(complaints, "");
}

// ---- Mistakes ----

// Every rank reads what the next one has, and puts it at its result. `kMembers` stands before it.
constexpr std::string_view kMistakes = R"(
#define PARAMETERS const PeerTable *peers, const f32 *operand, f32 *result, u64 elements
#define BEGIN                                        \
  __shared__ u32 given_up;                           \
  Meeting meeting(*peers, kMembers, &given_up);      \
  const int next = (peers->position + 1) % kMembers; \
  const u64 i = first_pack();
// A word for each rank behind the operand.
#define FLAG(rank) (reinterpret_cast<u32*>(meeting.at(const_cast<f32*>(operand), rank)) + elements)
#define TELL                                              \
  for (int rank = 0; rank < kMembers; ++rank) {           \
    store_release_system(FLAG(rank) + peers->position, 1U); \
  }
#define WAIT                                                              \
  for (int rank = 0; rank < kMembers; ++rank) {                           \
    while (load_acquire_system(FLAG(peers->position) + rank) != 1U) pause_in_wait(); \
  }

extern "C" __global__ void right(PARAMETERS) {
  BEGIN
  if (!meeting.meet()) return;
  result[i] = meeting.at(operand, next)[i];
  if (meeting.meet()) meeting.leave();
}
extern "C" __global__ void no_first_meeting(PARAMETERS) {
  BEGIN
  result[i] = meeting.at(operand, next)[i];
  if (meeting.meet()) meeting.leave();
}
extern "C" __global__ void no_last_meeting(PARAMETERS) {
  BEGIN
  if (!meeting.meet()) return;
  result[i] = meeting.at(operand, next)[i];
  meeting.leave();
}
// What one rank writes, the one before it reads.
extern "C" __global__ void results(PARAMETERS) {
  BEGIN
  if (!meeting.meet()) return;
  result[i] = f32(i);
  if (!meeting.meet()) return;
  result[elements + i] = meeting.at(result, next)[i];
  if (meeting.meet()) meeting.leave();
}
extern "C" __global__ void no_meeting_between(PARAMETERS) {
  BEGIN
  if (!meeting.meet()) return;
  result[i] = f32(i);
  result[elements + i] = meeting.at(result, next)[i];
  if (meeting.meet()) meeting.leave();
}
// The same by words of its own, of one block.
extern "C" __global__ void told(PARAMETERS) {
  BEGIN
  result[i] = f32(i);
  __syncthreads();
  if (threadIdx.x == 0) {
    TELL
    WAIT
  }
  __syncthreads();
  result[elements + i] = meeting.at(result, next)[i];
}
extern "C" __global__ void told_by_each(PARAMETERS) {
  BEGIN
  if (threadIdx.x == 0) {
    result[0] = 1;
    TELL
    WAIT
    result[elements] = meeting.at(result, next)[0];
  }
}
extern "C" __global__ void told_before_others_wrote(PARAMETERS) {
  BEGIN
  result[i] = f32(i);
  if (threadIdx.x == 0) {
    TELL
    WAIT
  }
  __syncthreads();
  result[elements + i] = meeting.at(result, next)[i];
}
extern "C" __global__ void told_before_it_wrote(PARAMETERS) {
  BEGIN
  if (threadIdx.x == 0) {
    TELL
    result[0] = 1;
    WAIT
    result[elements] = meeting.at(result, next)[0];
  }
}
extern "C" __global__ void read_before_others_were_told(PARAMETERS) {
  BEGIN
  result[i] = f32(i);
  __syncthreads();
  if (threadIdx.x == 0) {
    TELL
    WAIT
  }
  result[elements + i] = meeting.at(result, next)[i];
}
extern "C" __global__ void told_by_what_orders_nothing(PARAMETERS) {
  BEGIN
  result[i] = f32(i);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int rank = 0; rank < kMembers; ++rank) {
      volatile u32* const flag = FLAG(rank) + peers->position;
      *flag = 1;
    }
    WAIT
  }
  __syncthreads();
  result[elements + i] = meeting.at(result, next)[i];
}
)";

class PeerRaceMistakes : public testing::TestWithParam<int> {
 protected:
  // What is complained of where all write their operands, run that, and write them again.
  static std::string complaints_of(const std::string& kernel, std::uint32_t blocks = 2) {
    const int ranks = GetParam();
    static Modules modules;
    auto& module = modules[static_cast<std::size_t>(ranks)];
    if (module == nullptr) {
      const std::string_view pieces[] = {"collectives"};
      module = std::make_unique<EmulatedModule>(std::vector{
          kernels::device_texts(pieces) + "constexpr int kMembers = " + std::to_string(ranks) +
          ";\n" + std::string(kMistakes)});
    }
    Group group(ranks, *module);
    return group.run([&](int rank) {
      group.write(rank, 0, kPart);
      group.launch(rank, 0, kernel, 0, 1, blocks);
      group.write(rank, 0, kPart);
    });
  }
};

TEST_P(PeerRaceMistakes, KernelsWithoutAnyHaveNone) {
  EXPECT_EQ(complaints_of("right"), "");
  EXPECT_EQ(complaints_of("results"), "");
  EXPECT_EQ(complaints_of("told", 1), "");
  EXPECT_EQ(complaints_of("told_by_each", 1), "");
}

TEST_P(PeerRaceMistakes, ReadingWithoutTheFirstMeetingIsFound) {
  EXPECT_THAT(complaints_of("no_first_meeting"), HasSubstr("nothing orders the two"));
}

TEST_P(PeerRaceMistakes, WritingWithoutTheLastMeetingIsFound) {
  EXPECT_THAT(complaints_of("no_last_meeting"), HasSubstr("nothing orders the two"));
}

// However late a rank looks who has come.
TEST_P(PeerRaceMistakes, ReadingWhatWasWrittenWithoutAMeetingBetweenIsFound) {
  EXPECT_THAT(complaints_of("no_meeting_between"), HasSubstr("nothing orders the two"));
}

TEST_P(PeerRaceMistakes, TellingBeforeOtherThreadsHaveWrittenIsFound) {
  EXPECT_THAT(complaints_of("told_before_others_wrote", 1), HasSubstr("nothing orders the two"));
}

TEST_P(PeerRaceMistakes, TellingBeforeTheThreadItselfHasWrittenIsFound) {
  EXPECT_THAT(complaints_of("told_before_it_wrote", 1), HasSubstr("nothing orders the two"));
}

TEST_P(PeerRaceMistakes, ReadingBeforeOneThreadHasWaitedForAllIsFound) {
  EXPECT_THAT(complaints_of("read_before_others_were_told", 1),
              HasSubstr("nothing orders the two"));
}

TEST_P(PeerRaceMistakes, TellingWithoutReleaseIsFound) {
  EXPECT_THAT(complaints_of("told_by_what_orders_nothing", 1), HasSubstr("nothing orders the two"));
}

// ---- By itself ----

TEST(PeerRaces, SayWhoDidWhatWhere) {
  alignas(4) std::array<std::byte, 64> memory{};
  PeerRaces races;
  races.add_memory(1, memory.data(), memory.size());
  races.access_of_host(1, memory.data(), 64, true, "a copy");
  {
    PeerRaces::Launch launch(races, 0, "sums", 2, 4);
    launch.access(1, 3, memory.data() + 20, 4, false);
    launch.access(1, 2, memory.data() + 24, 4, false);  // the same again
  }
  EXPECT_EQ(races.complaints(),
            "a race between ranks: rank 0 (sums, thread 3 of block 1) reads byte 20 of the memory "
            "of rank 1, which rank 1 (a copy, thread 0 of block 0) wrote, and nothing orders the "
            "two\n");
}

// Whoever looks late sees what was stored one after another.
TEST(PeerRaces, OrderNothingByWhatIsStoredLater) {
  std::array<std::byte, 4> memory{};
  std::uint32_t word = 0;
  PeerRaces races;
  races.add_memory(0, memory.data(), memory.size());
  PeerRaces::Launch first(races, 0, "first", 1, 1);
  PeerRaces::Launch second(races, 1, "second", 1, 1);
  first.store_release(0, 0, &word, 4, 7);
  first.access(0, 0, memory.data(), 4, true);
  first.store_release(0, 0, &word, 4, 8);
  EXPECT_EQ(word, 8U);
  EXPECT_EQ(second.load_acquire(0, 0, &word, 4), 7U);
  EXPECT_EQ(second.load_acquire(0, 0, &word, 4), 8U);
  second.access(0, 0, memory.data(), 4, false);
  EXPECT_EQ(races.complaints(), "");
  word = 3;  // by the host
  EXPECT_EQ(second.load_acquire(0, 0, &word, 4), 3U);
}

// A rank knows at its next launch what it knew, and others by a third one.
TEST(PeerRaces, KnowWhatOthersKnewOfOthers) {
  std::array<std::byte, 4> memory{};
  std::array<std::uint32_t, 2> words{};
  PeerRaces races;
  races.add_memory(0, memory.data(), memory.size());
  races.access_of_host(0, memory.data(), 4, true, "a copy");
  PeerRaces::Launch(races, 0, "first", 1, 1).store_release(0, 0, words.data(), 4, 1);
  {
    PeerRaces::Launch second(races, 1, "second", 1, 2);
    second.load_acquire(0, 1, words.data(), 4);
    second.access(0, 1, memory.data(), 4, false);
    second.barrier(0);
    second.store_release(0, 0, &words[1], 4, 1);
  }
  PeerRaces::Launch third(races, 2, "third", 1, 1);
  third.load_acquire(0, 0, &words[1], 4);
  third.access(0, 0, memory.data(), 4, true);
  EXPECT_EQ(races.complaints(), "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, PeerRacesOfRanks, testing::Values(2, 4, 8));
INSTANTIATE_TEST_SUITE_P(Ranks, PeerRaceMistakes, testing::Values(2, 4));

}  // namespace
}  // namespace tutti::codegen::cuda::peer_races_test
