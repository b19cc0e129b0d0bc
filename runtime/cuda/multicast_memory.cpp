#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/multicast_memory.h>

#include <cstdint>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr CUmemAllocationHandleType kByDescriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

}  // namespace

bool can_multicast(const CudaStream& stream) {
  return can_map_memory(stream) && has_attribute(stream, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
}

MulticastMemory::MulticastMemory(std::shared_ptr<CudaStream> stream, int gpus, std::size_t bytes)
    : stream_(std::move(stream)), bytes_(bytes) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  CUmulticastObjectProp wanted{};
  wanted.numDevices = static_cast<unsigned>(gpus);
  wanted.size = bytes;
  wanted.handleTypes = kByDescriptor;
  std::size_t unit = 0;
  driver.check(driver.cuMulticastGetGranularity(&unit, &wanted, CU_MULTICAST_GRANULARITY_MINIMUM),
               "cuMulticastGetGranularity");
  if (bytes % unit != 0) {
    throw EnvironmentError("multicast memory is made of pieces of " + std::to_string(unit) +
                           " bytes, and the GPU's own memory of smaller ones");
  }
  driver.check(driver.cuMulticastCreate(&memory_, &wanted), "cuMulticastCreate");
}

MulticastMemory::MulticastMemory(std::shared_ptr<CudaStream> stream, const Descriptor& exported,
                                 std::size_t bytes)
    : stream_(std::move(stream)), bytes_(bytes) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  void* const number = reinterpret_cast<void*>(static_cast<std::intptr_t>(exported.number()));
  driver.check(driver.cuMemImportFromShareableHandle(&memory_, number, kByDescriptor),
               "cuMemImportFromShareableHandle");
}

MulticastMemory::~MulticastMemory() {
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) release();
}

void MulticastMemory::release() noexcept {
  const CudaDriver& driver = stream_->driver();
  if (mapped_) driver.cuMemUnmap(address_, bytes_);
  if (address_ != 0) driver.cuMemAddressFree(address_, bytes_);
  if (bound_) driver.cuMulticastUnbind(memory_, stream_->device(), 0, bytes_);
  if (memory_ != 0) driver.cuMemRelease(memory_);
}

Descriptor MulticastMemory::export_memory() const {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  int number = -1;
  driver.check(driver.cuMemExportToShareableHandle(&number, memory_, kByDescriptor, 0),
               "cuMemExportToShareableHandle");
  return Descriptor(number);
}

void MulticastMemory::add_gpu() {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuMulticastAddDevice(memory_, stream_->device()), "cuMulticastAddDevice");
}

void MulticastMemory::bind(const std::byte* own) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  CUmemGenericAllocationHandle memory = 0;
  driver.check(driver.cuMemRetainAllocationHandle(&memory, const_cast<std::byte*>(own)),
               "cuMemRetainAllocationHandle");
  const CUresult bound = driver.cuMulticastBindMem(memory_, 0, memory, 0, bytes_, 0);
  driver.cuMemRelease(memory);
  driver.check(bound, "cuMulticastBindMem");
  bound_ = true;
  driver.check(driver.cuMemAddressReserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
  driver.check(driver.cuMemMap(address_, bytes_, 0, memory_, 0), "cuMemMap");
  mapped_ = true;
  const CUmemAccessDesc access{
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = stream_->device()},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  driver.check(driver.cuMemSetAccess(address_, bytes_, &access, 1), "cuMemSetAccess");
}

}  // namespace tutti::runtime
