#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/codegen/cuda/fused_comm.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/ir/support/error.h>

#include <string>
#include <vector>

#include "tests/codegen/cuda/companion_kernels.h"
#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

// With NVRTC itself, which needs no GPU.
namespace tutti::codegen::cuda::fused_comm_test {
namespace {

using kernel_testing::following;
using kernel_testing::KernelMaker;
using kernel_testing::leading;
using runtime::CommKernel;
using runtime::Reduction;
using testing::HasSubstr;
using testing::Not;

using Kind = CommKernel::Kind;

TEST(FusedComm, GoesAlongWhereEveryElementIsReadAtItsOwnPoint) {
  const auto reads = [](const Affine& address, std::int64_t elements = 12) {
    KernelMaker maker("copy", {3, 4}, {}, VectorAxis::outer, 16);
    const int from = maker.read(DType::f32);
    const int to = maker.write(DType::f32);
    maker.point();
    maker.store(to, {.outer = {4, 1}, .inner = {}}, maker.load(from, address));
    return goes_along(maker.kernel(), 0, elements);
  };
  EXPECT_TRUE(reads({.outer = {4, 1}, .inner = {}}));
  EXPECT_FALSE(reads({.outer = {4, 1}, .inner = {}}, 24));              // some of it
  EXPECT_FALSE(reads({.outer = {1, 3}, .inner = {}}));                  // turned
  EXPECT_FALSE(reads({.offset = 1, .outer = {4, 1}, .inner = {}}));     // another part
  EXPECT_FALSE(reads({.outer = {0, 1}, .inner = {}}));                  // one row for all
  EXPECT_FALSE(reads({.offset = 11, .outer = {-4, -1}, .inner = {}}));  // from its end
}

TEST(FusedComm, GoesAlongWhereEveryElementIsWrittenOnceAtItsOwnPoint) {
  const auto writes = [](const Affine& address, int stores = 1) {
    KernelMaker maker("copy", {3, 4}, {}, VectorAxis::outer, 16);
    const int from = maker.read(DType::f32);
    const int to = maker.write(DType::f32);
    maker.point();
    const ValueId value = maker.load(from, {.outer = {1, 3}, .inner = {}});
    for (int store = 0; store < stores; ++store) maker.store(to, address, value);
    return goes_along(maker.kernel(), to, 12);
  };
  EXPECT_TRUE(writes({.outer = {4, 1}, .inner = {}}));
  EXPECT_FALSE(writes({.outer = {4, 1}, .inner = {}}, 2));
  EXPECT_FALSE(writes({.outer = {1, 3}, .inner = {}}));
  EXPECT_FALSE(writes({.offset = 4, .outer = {4, 1}, .inner = {}}));
}

CommCompanion follower_of(DType dtype, std::int64_t rows, std::int64_t columns) {
  return {.kernel = following(dtype, DType::f32, rows, columns), .shared = 0};
}
CommCompanion leader_of(DType dtype, std::int64_t rows, std::int64_t columns) {
  return {.kernel = leading(dtype, DType::f32, rows, columns), .shared = 3};
}

TEST(FusedComm, WorksOnWhatTheCollectiveTakesAndGives) {
  const CommKernel sum = {.kind = Kind::all_reduce_one_shot, .dtype = DType::f32};
  EXPECT_THROW(fused_comm_source(sum, {}, follower_of(DType::bf16, 10, 64)), InternalError);
  EXPECT_THROW(fused_comm_source(sum, leader_of(DType::bf16, 10, 64), {}), InternalError);
  EXPECT_THROW(
      fused_comm_source(sum, leader_of(DType::f32, 10, 64), follower_of(DType::bf16, 10, 64)),
      InternalError);
}

class FusedCommOfNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(FusedCommOfNvrtc, CompilesForEachGenerationWithoutSpills) {
  std::vector<Source> sources;
  const int members = CommKernel::kMostMembers;
  const auto add = [&](Kind kind, DType dtype, int bytes, std::int64_t columns) {
    const CommKernel comm = {kind, dtype, Reduction::sum, members, bytes};
    const CommCompanion leader = leader_of(dtype, 1000, columns);
    const CommCompanion follower = follower_of(dtype, 1000, columns);
    sources.push_back(fused_comm_source(comm, {}, follower));
    sources.push_back(fused_comm_source(comm, leader, {}));
    sources.push_back(fused_comm_source(comm, leader, follower));
  };
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8, DType::f64}) {
    add(Kind::all_reduce_one_shot, dtype, 16, 64);
    add(Kind::all_reduce_one_shot, dtype, 16, 77);
  }
  add(Kind::reduce_scatter, DType::f16, 2, 77);
  add(Kind::reduce_scatter, DType::f32, 16, 64);
  const CommKernel gather = {Kind::all_gather, DType::u8, Reduction::sum, members, 16};
  sources.push_back(fused_comm_source(gather, {}, follower_of(DType::f16, 1000, 64)));
  sources.push_back(fused_comm_source(gather, leader_of(DType::f16, 1000, 64), {}));
  for (const char* const target : {"sm_80", "sm_90", "sm_100"}) {
    std::vector<ResourceUse> uses(sources.size());
    for_each_in_parallel(sources.size(),
                         [&](std::size_t i) { uses[i] = compile_source(sources[i], target).use; });
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const ResourceUse& use = uses[i];
      EXPECT_LE(use.registers * CommKernel::kThreads, 65536) << sources[i].text << target;
      EXPECT_LE(use.shared_bytes, 4) << sources[i].text << target;
      EXPECT_EQ(use.spill_stores + use.stack_bytes, 0) << sources[i].text << target;
    }
  }
}

// Whole packs, and what others write is never read as what nobody writes.
TEST_F(FusedCommOfNvrtc, LoadsAndStoresPacks) {
  const CommKernel sum = {.kind = Kind::all_reduce_one_shot, .members = 4};
  for (const Source& source : {fused_comm_source(sum, {}, follower_of(DType::f32, 1000, 64)),
                               fused_comm_source(sum, leader_of(DType::f32, 1000, 64), {})}) {
    const std::string ptx = ptx_of(source, "sm_90");
    EXPECT_THAT(ptx, HasSubstr("st.global.v4"));
    EXPECT_THAT(ptx, HasSubstr("st.release.sys.global.u32"));
    EXPECT_THAT(ptx, Not(HasSubstr(".nc.")));
  }
}

// What a leader stores comes in front of the barrier and the release of the first meeting, and the
// operands of all are read behind the acquire.
TEST_F(FusedCommOfNvrtc, StoresTheOperandInFrontOfTheFirstMeeting) {
  const std::string ptx =
      ptx_of(fused_comm_source({.kind = Kind::all_reduce_one_shot, .members = 4},
                               leader_of(DType::f32, 1000, 64), {}),
             "sm_90");
  const std::size_t store = ptx.find("st.global.v4");
  const std::size_t barrier = ptx.find(".sync", store);
  const std::size_t release = ptx.find("st.release.sys.global.u32", barrier);
  const std::size_t acquire = ptx.find("ld.acquire.sys.global.u32", release);
  EXPECT_LT(store, barrier);
  EXPECT_LT(barrier, release);
  EXPECT_LT(release, acquire);
  EXPECT_NE(acquire, ptx.npos) << ptx;
}

}  // namespace
}  // namespace tutti::codegen::cuda::fused_comm_test
