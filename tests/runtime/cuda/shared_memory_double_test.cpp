#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/multicast_memory.h>

#include "tests/runtime/cuda/testing.h"
#include <fcntl.h>

// The double of the driver, checked: memory that devices give each other.
namespace tutti::runtime::shared_memory_double_test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kUnit = std::size_t{2} << 20;

FakeCudaSetup two_devices() {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  return setup;
}

class SharedMemoryOfDouble : public testing::Test {
 protected:
  void TearDown() override {
    for (auto& gpu : gpus_) gpu = nullptr;
    EXPECT_EQ(fake_.left(), "");
  }

  const CudaDriver& driver() { return fake_.driver(); }
  const std::shared_ptr<CudaStream>& stream(std::size_t gpu) { return gpus_[gpu]->stream(); }

  test::FakeCuda fake_{two_devices()};
  std::array<std::unique_ptr<CudaAccelerator>, 2> gpus_ = {
      std::make_unique<CudaAccelerator>(fake_.driver(), 0),
      std::make_unique<CudaAccelerator>(fake_.driver(), 1)};
};

TEST_F(SharedMemoryOfDouble, IsOneForAllWhoMapIt) {
  const auto own = map_memory(stream(0), kUnit);
  const std::vector<float> values = count_up(64);
  gpus_[0]->copy_in(own->data(), values.data(), 256);
  gpus_[0]->synchronize();
  const auto exported = export_memory(*stream(0), own->data());
  const auto by_descriptor = map_peer_memory(stream(1), exported, own->bytes());
  const auto by_address = map_peer_memory(stream(1), own->data(), own->bytes());
  for (const auto& theirs : {by_descriptor, by_address}) {
    std::vector<float> seen(64);
    gpus_[1]->copy_out(seen.data(), theirs->data(), 256);
    EXPECT_EQ(seen, values);
    EXPECT_NE(theirs->data(), own->data());
  }
  EXPECT_EQ(fake_.complaints(), "");
}

// It is there until the last one is done with it.
TEST_F(SharedMemoryOfDouble, OutlivesWhoMadeIt) {
  auto own = map_memory(stream(0), kUnit);
  const std::vector<float> values = count_up(64);
  gpus_[0]->copy_in(own->data(), values.data(), 256);
  gpus_[0]->synchronize();
  const auto theirs = map_peer_memory(stream(1), export_memory(*stream(0), own->data()), kUnit);
  own = nullptr;
  std::vector<float> seen(64);
  gpus_[1]->copy_out(seen.data(), theirs->data(), 256);
  EXPECT_EQ(seen, values);
  EXPECT_EQ(fake_.complaints(), "");
}

TEST_F(SharedMemoryOfDouble, IsNotReachedByDevicesThatReachNoOthers) {
  const auto own = map_memory(stream(0), kUnit);
  int can = 0;
  driver().cuDeviceCanAccessPeer(&can, 1, 0);
  EXPECT_EQ(can, 1);
  fake_.isolate();
  driver().cuDeviceCanAccessPeer(&can, 1, 0);
  EXPECT_EQ(can, 0);
  EXPECT_THAT(message_of<EnvironmentError>([&] {
                map_peer_memory(stream(1), export_memory(*stream(0), own->data()), kUnit);
              }),
              HasSubstr("cuMemSetAccess failed: CUDA_ERROR_INVALID_DEVICE"));
  EXPECT_THAT(fake_.complaints(), HasSubstr("the device does not reach that memory"));
}

TEST_F(SharedMemoryOfDouble, ComplainsOfDescriptorsOfSomethingElse) {
  const Descriptor other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_THROW(map_peer_memory(stream(1), other, kUnit), EnvironmentError);
  EXPECT_THAT(fake_.complaints(), HasSubstr("a descriptor of no device's memory"));
}

TEST_F(SharedMemoryOfDouble, ComplainsOfMemoryThatWasNotMadeToBeShared) {
  const CudaStream::Entered entered = stream(0)->enter();
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  CUmemGenericAllocationHandle memory = 0;
  ASSERT_EQ(driver().cuMemCreate(&memory, kUnit, &wanted, 0), CUDA_SUCCESS);
  int descriptor = -1;
  EXPECT_EQ(driver().cuMemExportToShareableHandle(&descriptor, memory,
                                                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fake_.complaints(), HasSubstr("it was not made to be shared by a descriptor"));
  driver().cuMemRelease(memory);
}

// ---- Multicast memory ----

TEST_F(SharedMemoryOfDouble, MulticastMemoryIsBoundOnceAllDevicesAreAdded) {
  const auto own = map_memory(stream(0), kUnit);
  {
    MulticastMemory first(stream(0), 2, own->bytes());
    first.add_gpu();
    EXPECT_THROW(first.bind(own->data()), EnvironmentError);
    EXPECT_THAT(fake_.complaints(), HasSubstr("the driver waits for devices that were not added"));
    const auto theirs = map_memory(stream(1), kUnit);
    MulticastMemory second(stream(1), 2, theirs->bytes(), first.export_memory());
    second.add_gpu();
    first.bind(own->data());
    second.bind(theirs->data());
    EXPECT_NE(first.address(), second.address());
  }
  EXPECT_EQ(fake_.complaints(), "");
}

TEST_F(SharedMemoryOfDouble, ComplainsOfMulticastMemoryOfOtherSizesAndDevices) {
  EXPECT_THAT(message_of<EnvironmentError>([&] { MulticastMemory(stream(0), 2, kUnit / 2); }),
              HasSubstr("multicast memory is made of pieces of"));
  MulticastMemory one(stream(0), 1, kUnit);
  one.add_gpu();
  EXPECT_THROW(one.add_gpu(), EnvironmentError);
  EXPECT_THAT(fake_.complaints(), HasSubstr("the device was added before"));
  MulticastMemory of_other(stream(1), 1, kUnit, one.export_memory());
  EXPECT_THROW(of_other.add_gpu(), EnvironmentError);
  EXPECT_THAT(fake_.complaints(), HasSubstr("more devices than it is for"));
  const auto theirs = map_memory(stream(1), kUnit);
  EXPECT_THROW(of_other.bind(theirs->data()), EnvironmentError);
  EXPECT_THAT(fake_.complaints(), HasSubstr("the device was not added"));
}

TEST_F(SharedMemoryOfDouble, OlderDevicesHaveNoMulticastMemory) {
  EXPECT_TRUE(can_multicast(*stream(0)));
  fake_.isolate();
  EXPECT_FALSE(can_multicast(*stream(0)));
}

}  // namespace
}  // namespace tutti::runtime::shared_memory_double_test
