#include <tutti/kernels/host/collective_run.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/whole_collective.h"
#include <gtest/gtest.h>

namespace tutti::kernels::collective_run_test {
namespace {

using test::Collective;
using test::collective;
using test::even_tensor;
using test::Runs;
using test::Tensor;
using test::uneven_tensor;
using test::WholeCollective;
using Kind = CollectiveKind;

constexpr Kind kKinds[] = {
    Kind::all_reduce, Kind::reduce,         Kind::all_gather, Kind::gather,              //
    Kind::scatter,    Kind::broadcast,      Kind::all_to_all, Kind::collective_permute,  //
    Kind::send_recv,  Kind::reduce_scatter, Kind::scan_ranks};

// The legal numbers of members up to five.
std::vector<int> groups(Kind kind) {
  return kind == Kind::send_recv ? std::vector{2} : std::vector{1, 2, 3, 4, 5};
}

void check(const Collective& call, const std::vector<Tensor>& tensors, Runs& runs) {
  WholeCollective whole(call, tensors, runs);
  whole.check_one_shot();
  whole.check_chunks();
  if (has_common_result(call.kind)) whole.check_common_result();
}

TEST(CollectiveRun, EveryKindAndDTypeComputesWhatTheReferenceDoes) {
  Runs runs;
  for (const Kind kind : kKinds) {
    for (const DType dtype : kernel_testing::kAllDTypes) {
      for (const int members : groups(kind)) {
        const Collective call = collective(kind, dtype, members);
        for (const std::int64_t share : {0, 1, 50}) {
          check(call, {even_tensor(kind, members, 1, share, 1)}, runs);
          check(call, {even_tensor(kind, members, 3, share, 2)}, runs);
        }
      }
    }
  }
}

TEST(CollectiveRun, SeveralChunksComputeWhatTheReferenceDoes) {
  Runs runs;
  for (const Kind kind : kKinds) {
    for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
      for (const int members : groups(kind)) {
        const std::int64_t elements = 3 * kChunkBytes / size_of(dtype) / members + 1000;
        const Collective call = collective(kind, dtype, members);
        check(call, {even_tensor(kind, members, 1, elements, 1)}, runs);
        check(call, {even_tensor(kind, members, elements / 9, 3, 3)}, runs);
      }
    }
  }
}

TEST(CollectiveRun, EveryReductionWorksInEveryKindThatReduces) {
  Runs runs;
  for (const Kind kind : {Kind::all_reduce, Kind::reduce, Kind::reduce_scatter}) {
    for (const DType dtype : kernel_testing::kAllDTypes) {
      for (const Reduction reduction : test::reductions_of(dtype)) {
        for (const int members : {1, 2, 3, 5}) {
          Collective call = collective(kind, dtype, members);
          call.reduction = reduction;
          check(call, {even_tensor(kind, members, 2, 77, 3)}, runs);
        }
      }
    }
  }
}

TEST(CollectiveRun, UnevenPartsLieInTheMembersOrderAlongAnyAxis) {
  Runs runs;
  for (const Kind kind : kKinds) {
    if (!has_axis(kind)) continue;
    for (const int members : groups(kind)) {
      for (const std::int64_t scale : {1, 400}) {
        for (const auto& [outer, inner] : {std::pair{1, 1}, {4, 1}, {1, 5}, {3, 7}, {0, 2}}) {
          int turn = 0;  // 0, 3, 1, 4, 2 times the scale
          const auto share = [&] { return turn++ * 3 % 5 * scale; };
          const Tensor tensor = uneven_tensor(kind, members, outer, inner, share);
          check(collective(kind, DType::i16, members), {tensor}, runs);
          check(collective(kind, DType::f32, members), {tensor}, runs);
        }
        check(collective(kind, DType::f32, members),
              {uneven_tensor(kind, members, 2, 2, [] { return 0; })}, runs);
      }
    }
  }
}

TEST(CollectiveRun, EveryMemberMayBeTheRoot) {
  Runs runs;
  for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter}) {
    for (int root = 0; root < 3; ++root) {
      Collective call = collective(kind, DType::f32, 3);
      call.root = root;
      check(call, {even_tensor(kind, 3, 2, 9, 2)}, runs);
    }
  }
}

TEST(CollectiveRun, APermutationMaySwapStayOrLeaveMembersOut) {
  Runs runs;
  for (const auto& pairs : std::vector<std::vector<std::pair<int, int>>>{
           {}, {{0, 1}, {1, 0}}, {{2, 2}}, {{0, 1}, {1, 2}, {2, 0}}, {{3, 0}}}) {
    Collective call = collective(Kind::collective_permute, DType::i32, 4);
    call.pairs = pairs;
    check(call, {even_tensor(call.kind, 4, 1, 30'000, 1), Tensor{}, Tensor{.axis = 3}}, runs);
  }
}

TEST(CollectiveRun, AScanStopsBeforeOrBehindTheOwnOperandFromEitherEnd) {
  Runs runs;
  for (const DType dtype : {DType::boolean, DType::u8, DType::i64, DType::f8_e4m3fn, DType::f32}) {
    for (const Reduction reduction : test::reductions_of(dtype)) {
      for (const int range : {0, 1, 2, 3}) {
        Collective call = collective(Kind::scan_ranks, dtype, 4);
        call.reduction = reduction;
        call.scan = {.exclusive = range % 2 == 1, .reverse = range / 2 == 1};
        check(call, {even_tensor(call.kind, 4, 1, 7, 1), even_tensor(call.kind, 4, 1, 30'000, 1)},
              runs);
      }
    }
  }
}

TEST(CollectiveRun, RandomListsComputeWhatTheReferenceDoes) {
  Runs runs;
  std::minstd_rand random(20'240'607);
  const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random()) % end; };
  for (int turn = 0; turn < 400; ++turn) {
    const Kind kind = kKinds[below(std::size(kKinds))];
    const int members = kind == Kind::send_recv ? 2 : static_cast<int>(1 + below(5));
    const DType dtype = kernel_testing::kAllDTypes[static_cast<std::size_t>(below(kDTypeCount))];
    Collective call = collective(kind, dtype, members);
    call.root = static_cast<int>(below(members));
    const auto reductions = test::reductions_of(dtype);
    call.reduction =
        reductions[static_cast<std::size_t>(below(static_cast<std::int64_t>(reductions.size())))];
    std::vector<int> targets(static_cast<std::size_t>(members));
    std::iota(targets.begin(), targets.end(), 0);
    std::shuffle(targets.begin(), targets.end(), random);
    for (auto& [source, target] : call.pairs) target = targets[static_cast<std::size_t>(source)];
    std::vector<Tensor> tensors;
    const std::int64_t scale = below(4) == 0 ? 4000 : 12;
    for (std::int64_t part = below(5); part >= 0; --part) {
      const auto share = [&] { return below(3) == 0 ? 0 : below(scale); };
      const std::int64_t outer = 1 + below(4);
      const std::int64_t inner = 1 + below(4);
      tensors.push_back(below(2) == 0 ? even_tensor(kind, members, outer, share(), inner)
                                      : uneven_tensor(kind, members, outer, inner, share));
    }
    SCOPED_TRACE("turn " + std::to_string(turn));
    check(call, tensors, runs);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CollectiveRun, ManySmallPartsShareChunks) {
  Runs runs;
  for (const Kind kind : kKinds) {
    const Collective call = collective(kind, DType::f32, 2);
    check(call, std::vector<Tensor>(500, even_tensor(kind, 2, 1, 37, 1)), runs);
  }
}

TEST(CollectiveRun, ResultsTooLargeForCachesAreTheSame) {
  Runs runs;
  for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter}) {
    const std::int64_t elements = (8 << 20) / 8 + 4321;
    const Collective call = collective(kind, DType::f64, 2);
    check(call, {even_tensor(kind, 2, 1, 3, 1), even_tensor(kind, 2, 3, elements / 3, 1)}, runs);
  }
}

TEST(CollectiveRun, AResultMayBeTheOperandWhereNobodyReadsItLater) {
  Runs runs;
  for (const std::int64_t elements : {100, 50'000}) {
    WholeCollective(collective(Kind::all_reduce, DType::f32, 3), {Tensor{.axis = elements}}, runs)
        .check_in_place(0, 2);
    WholeCollective(collective(Kind::reduce, DType::f32, 3), {Tensor{.axis = elements}}, runs)
        .check_in_place(2, 2);
    WholeCollective(collective(Kind::broadcast, DType::f32, 3), {Tensor{.axis = elements}}, runs)
        .check_in_place(2, 2);
  }
}

// Whether all ranks compute for themselves; every rank and is_one_shot agree.
bool one_shot(Kind kind, int members, const std::vector<Tensor>& tensors) {
  Runs runs;
  WholeCollective whole(collective(kind, DType::f32, members), tensors, runs);
  const bool first = whole.prepare(0).one_shot();
  for (int rank = 0; rank < members; ++rank) {
    EXPECT_EQ(whole.prepare(rank).one_shot(), first);
    std::vector<PartShape> shapes;
    for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape(kind, rank));
    if (tensors[0].splits.empty()) {
      EXPECT_EQ(is_one_shot(kind, DType::f32, shapes, members), first);
    }
  }
  return first;
}

TEST(CollectiveRun, OneShotEndsAt64KiBOfOperandsOnAverage) {
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    EXPECT_TRUE(one_shot(kind, 2, {Tensor{.axis = 16384}}));
    EXPECT_FALSE(one_shot(kind, 2, {Tensor{.axis = 16386}}));
    EXPECT_FALSE(one_shot(kind, 2, {Tensor{.axis = 8192}, Tensor{.axis = 8194}}));
  }
  EXPECT_TRUE(one_shot(Kind::all_gather, 2, {Tensor{.sizes = {32768, 0}}}));
  EXPECT_FALSE(one_shot(Kind::gather, 2, {Tensor{.sizes = {32768, 1}}}));
  EXPECT_TRUE(one_shot(Kind::reduce_scatter, 2, {Tensor{.sizes = {16383, 1}}}));
  EXPECT_FALSE(one_shot(Kind::scatter, 2, {Tensor{.sizes = {16384, 1}}}));
  EXPECT_TRUE(one_shot(Kind::all_to_all, 2, {Tensor{.splits = {{32000, 768}, {0, 0}}}}));
  EXPECT_FALSE(one_shot(Kind::all_to_all, 2, {Tensor{.splits = {{32000, 768}, {0, 1}}}}));
}

}  // namespace
}  // namespace tutti::kernels::collective_run_test
