// Compiling for a rank of a world that need not exist.

#include <tutti/ir/parse/parse.h>

#include <numeric>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::lower_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::int64_t> kEight = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(Lower, GivesIrPlanAndCodeOfAnyRank) {
  auto f = compile([](const Tensor& x, float factor) {
    return all_reduce(x * factor, kEight) + cast(rank_index(kEight), DType::f32);
  });
  for (const int rank : {0, 7}) {
    const Lowered lowered = f.lower({.world = 8, .rank = rank}, abstract({4, 5}), 2.F);
    EXPECT_THAT(lowered.ir(), HasSubstr("mesh (world = 8)"));
    EXPECT_THAT(lowered.ir(), HasSubstr("async f32[4,5] rep(world)"));
    EXPECT_THAT(lowered.ir("fuse"), HasSubstr("all_reduce("));
    EXPECT_THAT(lowered.plan(), HasSubstr("rank " + std::to_string(rank)));
    EXPECT_THAT(lowered.plan(),
                HasSubstr("start w0 = all_reduce \"all_reduce sum f32[4,5]\" over @ranks"));
    EXPECT_THAT(lowered.kernels(), HasSubstr("mul"));
    if (codegen::kDefaultPlanMode == codegen::PlanMode::native) {
      EXPECT_THAT(lowered.llvm(), HasSubstr("define "));
    }
    EXPECT_EQ(lowered.cuda(), "");
  }
  EXPECT_EQ(f.calls(), 0);
  EXPECT_EQ(f.programs(), 0U);
}

TEST(Lower, HasAMeshIfItIsGivenOne) {
  const DeviceMesh mesh({{"dp", 4}, {"tp", 2}});
  auto f = compile([&](const Tensor& x) { return all_reduce(x, mesh["tp"]); });
  const auto text = [&](int world, const std::vector<MeshDimension>& dimensions) {
    return f.lower({.world = world, .rank = 5, .mesh = dimensions}, abstract({2})).ir();
  };
  EXPECT_THAT(text(8, {{"dp", 4}, {"tp", 2}}), HasSubstr("async f32[2] rep(tp)"));
  EXPECT_THAT(text(8, {}), Not(HasSubstr("rep(")));
  expect_error<UsageError>([&] { text(8, {{"dp", 4}}); }, {"a mesh of 4 ranks in a world of 8"},
                           kNowhere);
  simulate(1, [](World& world) {
    auto captures = compile([&](const Tensor& x) { return Tensor(all_reduce(x, world)); });
    EXPECT_THAT(captures.lower({}, abstract({2})).ir(), HasSubstr("all_reduce"));
    expect_error<UsageError>([&] { captures.lower({.world = 8, .rank = 3}, abstract({2})); },
                             {"does not include this rank, 3", "stays that World"}, kNowhere);
  });
  expect_error<UsageError>([&] { f.lower({.world = 2, .rank = 2}, abstract({2})); },
                           {"rank 2 of a world of 2", "numbered from 0"}, kNowhere);
  EXPECT_THROW(text(4, {}), UsageError);  // the group names rank 4
}

// What a rank needs to communicate is not made: for so many ranks it would fill the memory.
TEST(Lower, TheWorldMayBeFarLargerThanThisMachine) {
  constexpr int kRanks = 65'536;
  std::vector<std::int64_t> all(kRanks);
  std::iota(all.begin(), all.end(), 0);
  const Group world(all);
  const DeviceMesh mesh({{"dp", kRanks / 8}, {"tp", 8}});
  auto f = compile([&](const Tensor& x) {
    const Tensor sum = all_reduce(all_reduce(x, mesh["tp"]), mesh["dp"]);
    return all_gather(all_reduce(sum, world), mesh["tp"]);
  });
  const Lowered lowered = f.lower({.world = kRanks, .rank = 3}, abstract({1024}));
  EXPECT_THAT(lowered.plan(), HasSubstr("rank 3"));
  EXPECT_THAT(lowered.plan(), HasSubstr("start w3 = all_gather"));
}

TEST(Lower, AbstractTensorsMayBeReplicated) {
  auto f = compile([&](const Tensor& w, const Tensor& x) {
    return grad([](const Tensor& v, const Tensor& y) { return sum(v * y); })(w, x);
  });
  const std::string ir =
      f.lower({.world = 8}, abstract({2}, DType::f32, {.replicated = true}), abstract({2})).ir();
  EXPECT_THAT(ir, HasSubstr("f32[2] rep(world)"));
  EXPECT_THAT(ir, HasSubstr("all_reduce("));
}

TEST(Lower, TakesRealTensorsAndLeavesThemAlone) {
  auto f = compile([](const std::vector<Tensor>& x) { return x[0] + x[1]; });
  std::vector<Tensor> x = {tensor({1.F}), tensor({2.F}) * 3.F};
  EXPECT_THAT(f.lower({}, x).ir(), HasSubstr("add("));
  EXPECT_EQ(f(x).item<float>(), 7);
}

TEST(Lower, RanksMayHaveDifferentPrograms) {
  // A pipeline of two stages.
  auto f = compile([](const Tensor& x) -> Tensor {
    const Group group({0, 1});
    if (group.position() == 0) {
      send(x * 2.F, group, 1);
      return x;
    }
    return recv({3}, DType::f32, group, 0) + 1.F;
  });
  const std::string first = f.lower({.world = 2, .rank = 0}, abstract({3})).ir();
  const std::string second = f.lower({.world = 2, .rank = 1}, abstract({3})).ir();
  EXPECT_THAT(first, HasSubstr("send("));
  EXPECT_THAT(second, HasSubstr("recv("));
  EXPECT_EQ(ir::parse(first).functions.size(), 1U);
}

TEST(Abstract, HasATypeAndNothingElse) {
  const Tensor x = abstract({2, 3}, DType::bf16);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.dtype(), DType::bf16);
  const std::vector<std::string> parts = {"abstract, made at lower_test.cpp", "no data"};
  expect_error<UsageError>([&] { x.array(); }, parts);
  expect_error<UsageError>([&] { eval(x); }, parts);
  expect_error<UsageError>([&] { x + 1.F; }, parts);
  auto f = compile([](const Tensor& t) { return t + t; });
  EXPECT_THROW(f(x), UsageError);
}

}  // namespace
}  // namespace tutti::test::lower_test
