#include <tutti/codegen/cuda/comm_epilogue.h>
#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/ir/support/error.h>

#include <string>
#include <vector>

#include "tests/codegen/cuda/following_kernel.h"
#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

// With NVRTC itself, which needs no GPU.
namespace tutti::codegen::cuda::comm_epilogue_test {
namespace {

using kernel_testing::following;
using kernel_testing::KernelMaker;
using runtime::CommKernel;
using runtime::Reduction;
using testing::HasSubstr;
using testing::Not;

using Kind = CommKernel::Kind;

TEST(CommEpilogue, GoesAlongWhereEveryElementIsReadAtItsOwnPoint) {
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

TEST(CommEpilogue, ReadsWhatTheCollectiveGives) {
  EXPECT_THROW(fused_comm_source({.kind = Kind::all_reduce_one_shot, .dtype = DType::f32},
                                 following(DType::bf16, DType::f32, 10, 64), 0),
               InternalError);
}

class CommEpilogueOfNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(CommEpilogueOfNvrtc, CompilesForEachGenerationWithoutSpills) {
  std::vector<Source> sources;
  const int members = CommKernel::kMostMembers;
  const auto add = [&](Kind kind, DType dtype, int bytes, std::int64_t columns) {
    sources.push_back(fused_comm_source({kind, dtype, Reduction::sum, members, bytes},
                                        following(dtype, DType::f32, 1000, columns), 0));
  };
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8, DType::f64}) {
    add(Kind::all_reduce_one_shot, dtype, 16, 64);
    add(Kind::all_reduce_one_shot, dtype, 16, 77);
  }
  add(Kind::reduce_scatter, DType::f16, 2, 77);
  add(Kind::reduce_scatter, DType::f32, 16, 64);
  sources.push_back(fused_comm_source({Kind::all_gather, DType::u8, Reduction::sum, members, 16},
                                      following(DType::f16, DType::f32, 1000, 64), 0));
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
TEST_F(CommEpilogueOfNvrtc, LoadsAndStoresPacks) {
  const std::string ptx =
      ptx_of(fused_comm_source({.kind = Kind::all_reduce_one_shot, .members = 4},
                               following(DType::f32, DType::f32, 1000, 64), 0),
             "sm_90");
  EXPECT_THAT(ptx, HasSubstr("st.global.v4"));
  EXPECT_THAT(ptx, HasSubstr("st.release.sys.global.u32"));
  EXPECT_THAT(ptx, Not(HasSubstr(".nc.")));
}

}  // namespace
}  // namespace tutti::codegen::cuda::comm_epilogue_test
