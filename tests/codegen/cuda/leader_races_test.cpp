#include <tutti/codegen/cuda/fused_comm.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/codegen/cuda/peer_racing.h"
#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

// Collectives whose kernels make their operands themselves, and the races between ranks that they
// would have if they met too late, or made other parts than the same blocks of the others read.
namespace tutti::codegen::cuda::leader_races_test {
namespace {

using kernel_testing::KernelMaker;
using peer_racing::Group;
using peer_racing::kElements;
using peer_racing::kPart;
using runtime::CommKernel;
using test::cuda::EmulatedModule;
using testing::HasSubstr;
using Kind = CommKernel::Kind;

struct LedKernel {
  Kind kind;
  std::string_view name;
  bool gathers = false;   // the result has a part of each rank
  bool scatters = false;  // the operand has
};
constexpr std::array kLed = {LedKernel{Kind::all_reduce_one_shot, "all_reduce_one_shot"},
                             LedKernel{Kind::all_gather, "all_gather", true},
                             LedKernel{Kind::reduce_scatter, "reduce_scatter", false, true}};

// b1[i] = b0[i] * 2, which is the operand.
CommCompanion doubling(std::int64_t elements) {
  KernelMaker maker("doubling", {elements}, {}, VectorAxis::outer, 64);
  const int from = maker.read(DType::f32);
  const int to = maker.write(DType::f32);
  maker.point();
  const Affine dense{.outer = {1}, .inner = {}};
  maker.store(to, dense,
              maker.op(ir::ScalarOp::mul, maker.load(from, dense), maker.constant(DType::f32, 2)));
  return {.kernel = maker.kernel(), .shared = to};
}

std::string with_all(std::string text, std::string_view piece, std::string_view by) {
  EXPECT_NE(text.find(piece), text.npos) << piece;
  for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + by.size())) {
    text.replace(at, piece.size(), by);
  }
  return text;
}

// Texts as they are; without the first meeting, or with one that no thread of a block waits in;
// with blocks that make what others read.
enum class Mistake : std::uint8_t { none, no_meeting, no_barrier, other_blocks };

std::string text_with(Mistake mistake, const std::string& text) {
  switch (mistake) {
    case Mistake::no_meeting:
      return with_all(text, "if (!meeting.meet()) return;", "");
    case Mistake::no_barrier:
      return with_all(text, "    ++epoch_;\n    __syncthreads();\n", "    ++epoch_;\n");
    case Mistake::other_blocks:
      return with_all(
          text,
          "for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * "
          "Spec::lanes) {\n      first(",
          "for (u64 at = (u64(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x) * "
          "Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {\n      first(");
    default:
      return text;
  }
}

class LeaderRaces : public testing::TestWithParam<int> {
 protected:
  // What is complained of where all do that a few times, behind each other and at the same places.
  static std::string complaints_of(const LedKernel& led, Mistake mistake) {
    const int ranks = GetParam();
    const std::uint64_t all = kElements * static_cast<std::uint64_t>(ranks);
    const Source source = fused_comm_source(
        {.kind = led.kind, .members = ranks},
        doubling(led.scatters ? static_cast<std::int64_t>(all) : std::int64_t{kElements}), {});
    const EmulatedModule module({text_with(mistake, source.text)});
    const std::vector<float> ones(all, 1.F);
    Group group(ranks, module, mistake == Mistake::none);
    return group.run([&](int rank) {
      for (const std::uint32_t blocks : {3U, 1U, 2U, 3U}) {
        group.launch(rank, 0, source.name, 0, 1, blocks, {const_cast<float*>(ones.data())});
        if (mistake != Mistake::none) continue;
        const float last = group.read(rank, 1, led.gathers ? all * sizeof(float) : kPart);
        EXPECT_EQ(last, led.gathers ? 2.F : 2.F * static_cast<float>(ranks)) << led.name;
      }
    });
  }
};

TEST_P(LeaderRaces, ThereAreNone) {
  for (const LedKernel& led : kLed) EXPECT_EQ(complaints_of(led, Mistake::none), "") << led.name;
}

TEST_P(LeaderRaces, AreFoundWhereBlocksDoNotMeetInFrontOfReading) {
  for (const LedKernel& led : kLed) {
    EXPECT_THAT(complaints_of(led, Mistake::no_meeting), HasSubstr("nothing orders the two"))
        << led.name;
  }
}

TEST_P(LeaderRaces, AreFoundWhereABlockDoesNotWaitForItsThreads) {
  EXPECT_THAT(complaints_of(kLed[0], Mistake::no_barrier), HasSubstr("nothing orders the two"));
}

TEST_P(LeaderRaces, AreFoundWhereABlockMakesWhatAnotherOneReads) {
  for (const LedKernel& led : kLed) {
    EXPECT_THAT(complaints_of(led, Mistake::other_blocks), HasSubstr("nothing orders the two"))
        << led.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LeaderRaces, testing::Values(2, 4));

}  // namespace
}  // namespace tutti::codegen::cuda::leader_races_test
