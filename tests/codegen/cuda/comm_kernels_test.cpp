#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/ir/support/error.h>

#include <vector>

#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

// With NVRTC itself, which needs no GPU.
namespace tutti::codegen::cuda::comm_kernels_test {
namespace {

using runtime::CommKernel;
using runtime::Reduction;
using testing::HasSubstr;
using testing::Not;

using Kind = CommKernel::Kind;

std::vector<CommKernel> some_of_each_kind() {
  std::vector<CommKernel> out;
  for (const int members : {2, 8}) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::u64}) {
      out.push_back({Kind::all_reduce_one_shot, dtype, Reduction::sum, members, 16});
    }
    out.push_back({Kind::all_reduce_two_shot, DType::f32, Reduction::product, members, 16});
    out.push_back({Kind::all_reduce_two_shot, DType::i8, Reduction::max, members, 16});
    out.push_back({Kind::reduce_scatter, DType::f16, Reduction::sum, members, 2});
    out.push_back({Kind::reduce_scatter, DType::f64, Reduction::min, members, 16});
    for (const int bytes : {1, 16}) {
      out.push_back({Kind::all_gather, DType::u8, Reduction::sum, members, bytes});
    }
  }
  return out;
}

std::vector<CommKernel> kernels_for(std::string_view target) {
  std::vector<CommKernel> out = some_of_each_kind();
  if (target == "sm_80") return out;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    out.push_back({Kind::all_reduce_multimem, dtype, Reduction::sum, 8, 16});
    out.push_back({Kind::reduce_scatter_multimem, dtype, Reduction::sum, 8, 16});
  }
  out.push_back({Kind::all_gather_multimem, DType::u8, Reduction::sum, 8, 16});
  return out;
}

class CommKernelsOfNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

// A block always fits, so that one a multiprocessor does.
TEST_F(CommKernelsOfNvrtc, CompileForEachGenerationWithoutSpills) {
  for (const char* const target : {"sm_80", "sm_90", "sm_100"}) {
    const std::vector<CommKernel> kernels = kernels_for(target);
    std::vector<ResourceUse> uses(kernels.size());
    for_each_in_parallel(kernels.size(), [&](std::size_t i) {
      uses[i] = compile_source(comm_kernel_source(kernels[i]), target).use;
    });
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const Source source = comm_kernel_source(kernels[i]);
      const ResourceUse& use = uses[i];
      EXPECT_GT(use.registers, 0) << source.name << " " << target;
      EXPECT_LE(use.registers * CommKernel::kThreads, 65536) << source.name << " " << target;
      EXPECT_LE(use.shared_bytes, 4) << source.name << " " << target;
      EXPECT_EQ(use.spill_stores + use.stack_bytes, 0) << source.name << " " << target;
    }
  }
}

// What others write is never read as what nobody writes (ld.global.nc); flags are stored and loaded
// for the whole system.
TEST_F(CommKernelsOfNvrtc, LoadAndStoreForTheWholeSystem) {
  for (const Kind kind : {Kind::all_reduce_one_shot, Kind::all_reduce_two_shot, Kind::all_gather,
                          Kind::reduce_scatter}) {
    const std::string ptx =
        ptx_of(comm_kernel_source({.kind = kind, .dtype = DType::f32, .members = 4}), "sm_90");
    EXPECT_THAT(ptx, HasSubstr("st.release.sys.global.u32"));
    EXPECT_THAT(ptx, HasSubstr("ld.acquire.sys.global.u32"));
    EXPECT_THAT(ptx, HasSubstr("%globaltimer"));
    EXPECT_THAT(ptx, HasSubstr(".v4"));
    EXPECT_THAT(ptx, Not(HasSubstr(".nc.")));
    EXPECT_TRUE(ptx.find("fence.sc.sys") != ptx.npos || ptx.find("membar.sys") != ptx.npos);
  }
}

// What GPUs store by their own addresses and load by those of multicast memory are two proxies.
TEST_F(CommKernelsOfNvrtc, TheSwitchAddsAndStores) {
  const auto has = [](DType dtype, const std::string& load) {
    const std::string ptx = ptx_of(
        comm_kernel_source({.kind = Kind::all_reduce_multimem, .dtype = dtype, .members = 4}),
        "sm_90");
    EXPECT_THAT(ptx, HasSubstr("multimem.ld_reduce.relaxed.sys.global.add." + load));
    EXPECT_THAT(ptx, HasSubstr("multimem.st.relaxed.sys.global.v4.f32"));
    EXPECT_THAT(ptx, HasSubstr("fence.proxy.alias"));
    EXPECT_THAT(ptx, Not(HasSubstr("ld.global.v4")));
  };
  has(DType::f32, "v4.f32");
  has(DType::f16, "acc::f32.v4.f16x2");
  has(DType::bf16, "acc::f32.v4.bf16x2");
}

// What is moved once goes through the switch on one side alone.
TEST_F(CommKernelsOfNvrtc, TheSwitchGathersAndScatters) {
  const std::string gather = ptx_of(
      comm_kernel_source({.kind = Kind::all_gather_multimem, .dtype = DType::u8, .members = 4}),
      "sm_90");
  EXPECT_THAT(gather, HasSubstr("multimem.st.relaxed.sys.global.v4.f32"));
  EXPECT_THAT(gather, Not(HasSubstr("multimem.ld_reduce")));
  const std::string scatter =
      ptx_of(comm_kernel_source(
                 {.kind = Kind::reduce_scatter_multimem, .dtype = DType::bf16, .members = 4}),
             "sm_90");
  EXPECT_THAT(scatter, HasSubstr("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2"));
  EXPECT_THAT(scatter, Not(HasSubstr("multimem.st")));
  for (const std::string& ptx : {gather, scatter}) {
    EXPECT_THAT(ptx, HasSubstr("fence.proxy.alias"));
    EXPECT_THAT(ptx, Not(HasSubstr(".nc.")));
  }
}

TEST(CommKernels, AreThoseThatThereAre) {
  for (const Kind kind : {Kind::all_reduce_multimem, Kind::reduce_scatter_multimem}) {
    const auto multimem = [=](DType dtype, Reduction reduction, int bytes) {
      return comm_kernel_source({kind, dtype, reduction, 4, bytes});
    };
    EXPECT_THROW(multimem(DType::i32, Reduction::sum, 16), InternalError);
    EXPECT_THROW(multimem(DType::f32, Reduction::max, 16), InternalError);
    EXPECT_THROW(multimem(DType::f32, Reduction::sum, 8), InternalError);
  }
  EXPECT_THROW(comm_kernel_source({Kind::all_gather_multimem, DType::u8, Reduction::sum, 4, 8}),
               InternalError);
  EXPECT_THROW(comm_kernel_source({.members = 9}), InternalError);
  EXPECT_THROW(comm_kernel_source({.members = 1}), InternalError);
  EXPECT_THROW(comm_kernel_source({.bytes_at_once = 2}), InternalError);
  EXPECT_THROW(comm_kernel_source({.dtype = DType::boolean}), InternalError);
  EXPECT_THROW(comm_kernel_source({.reduction = Reduction::mean}), InternalError);
}

}  // namespace
}  // namespace tutti::codegen::cuda::comm_kernels_test
