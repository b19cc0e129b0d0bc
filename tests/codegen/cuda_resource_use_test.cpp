#include <tutti/codegen/cuda/resource_use.h>

#include <gmock/gmock.h>

namespace tutti::codegen::cuda::cuda_resource_use_test {
namespace {

constexpr const char* kLog = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'bar' for 'sm_90'
ptxas info    : Function properties for bar
ptxas         .     976 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 976 bytes cumulative stack size
ptxas info    : Compile time = 12.388 ms
ptxas info    : Compiling entry function 'foo' for 'sm_90'
ptxas info    : Function properties for foo
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1200 bytes smem
)";

TEST(CudaResourceUse, IsReadForEachKernelOfALog) {
  const ResourceUse bar = {.registers = 32,
                           .shared_bytes = 0,
                           .stack_bytes = 976,
                           .spill_stores = 12,
                           .spill_loads = 16,
                           .barriers = 0};
  EXPECT_EQ(resource_use_in(kLog, "bar"), bar);
  const ResourceUse foo = {.registers = 255,
                           .shared_bytes = 1200,
                           .stack_bytes = 0,
                           .spill_stores = 0,
                           .spill_loads = 0,
                           .barriers = 1};
  EXPECT_EQ(resource_use_in(kLog, "foo"), foo);
}

TEST(CudaResourceUse, IsZeroWhereTheLogSaysNothing) {
  EXPECT_EQ(resource_use_in(kLog, "fo"), ResourceUse{});
  EXPECT_EQ(resource_use_in("", "bar"), ResourceUse{});
}

}  // namespace
}  // namespace tutti::codegen::cuda::cuda_resource_use_test
