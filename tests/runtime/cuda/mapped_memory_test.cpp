#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/mapped_memory.h>

#include <memory>
#include <string>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::mapped_memory_test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kUnit = std::size_t{2} << 20;

FakeCudaSetup in_fabric(bool channel) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.fabric = true;
  setup.channel = channel;
  return setup;
}

// A GPU on one switch with those of other hosts.
class MappedMemory : public testing::Test {
 protected:
  // What the driver says when it is asked for a handle that other hosts can take.
  static CUresult export_to_fabric(const CudaStream& stream, Buffer& memory) {
    const CudaStream::Entered entered = stream.enter();
    const CudaDriver& driver = stream.driver();
    CUmemGenericAllocationHandle handle = 0;
    driver.cuMemRetainAllocationHandle(&handle, memory.data());
    CUmemFabricHandle out{};
    const CUresult result =
        driver.cuMemExportToShareableHandle(&out, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0);
    driver.cuMemRelease(handle);
    return result;
  }
};

TEST_F(MappedMemory, CanBeGivenByBothKindsOfHandles) {
  test::FakeCuda fake(in_fabric(true));
  {
    CudaAccelerator gpu(fake.driver(), 0);
    const auto memory = map_memory(gpu.stream(), 1000);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(memory->bytes(), kUnit);
    EXPECT_EQ(export_to_fabric(*gpu.stream(), *memory), CUDA_SUCCESS);
    EXPECT_TRUE(export_memory(*gpu.stream(), memory->data()).valid());
  }
  EXPECT_EQ(fake.complaints(), "");
  EXPECT_EQ(fake.left(), "");
}

// As where nobody has set up the fabric's channels.
TEST_F(MappedMemory, IsGivenByDescriptorsWhereTheSystemForbidsTheFabric) {
  test::FakeCuda fake(in_fabric(false));
  {
    CudaAccelerator gpu(fake.driver(), 0);
    const auto memory = map_memory(gpu.stream(), 1000);
    ASSERT_NE(memory, nullptr);
    EXPECT_THAT(fake.calls(), HasSubstr("cuMemCreate 2097152 = CUDA_ERROR_NOT_PERMITTED\n"));
    EXPECT_TRUE(export_memory(*gpu.stream(), memory->data()).valid());
    EXPECT_EQ(fake.complaints(), "");
    EXPECT_EQ(export_to_fabric(*gpu.stream(), *memory), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_THAT(fake.complaints(), HasSubstr("it was not made for other hosts"));
  EXPECT_EQ(fake.left(), "");
}

TEST_F(MappedMemory, IsNoneWhereDescriptorsAreForbiddenToo) {
  test::FakeCuda fake(in_fabric(false));
  {
    CudaAccelerator gpu(fake.driver(), 0);
    fake.fail("cuMemCreate", 2, CUDA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(map_memory(gpu.stream(), 1000), nullptr);
    EXPECT_NE(map_memory(gpu.stream(), 1000), nullptr);
  }
  EXPECT_EQ(fake.complaints(), "");
  EXPECT_EQ(fake.left(), "");
}

TEST_F(MappedMemory, OtherFailuresAreErrors) {
  test::FakeCuda fake(in_fabric(true));
  {
    CudaAccelerator gpu(fake.driver(), 0);
    EXPECT_THROW(map_memory(gpu.stream(), std::size_t{1} << 28), OutOfMemoryError);
    fake.fail("cuMemCreate", 1, CUDA_ERROR_UNKNOWN);
    EXPECT_THAT(message_of<EnvironmentError>([&] { map_memory(gpu.stream(), 1000); }),
                HasSubstr("cuMemCreate failed: CUDA_ERROR_UNKNOWN"));
  }
  EXPECT_EQ(fake.complaints(), "");
  EXPECT_EQ(fake.left(), "");
}

}  // namespace
}  // namespace tutti::runtime::mapped_memory_test
