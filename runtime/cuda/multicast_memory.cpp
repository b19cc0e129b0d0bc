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
  find_unit(gpus);
  const CUmulticastObjectProp properties = wanted(gpus);
  driver.check(driver.cuMulticastCreate(&memory_, &properties), "cuMulticastCreate");
}

MulticastMemory::MulticastMemory(std::shared_ptr<CudaStream> stream, int gpus, std::size_t bytes,
                                 const Descriptor& exported)
    : stream_(std::move(stream)), bytes_(bytes) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  find_unit(gpus);
  void* const number = reinterpret_cast<void*>(static_cast<std::intptr_t>(exported.number()));
  driver.check(driver.cuMemImportFromShareableHandle(&memory_, number, kByDescriptor),
               "cuMemImportFromShareableHandle");
}

CUmulticastObjectProp MulticastMemory::wanted(int gpus) const {
  CUmulticastObjectProp out{};
  out.numDevices = static_cast<unsigned>(gpus);
  out.size = bytes_;
  out.handleTypes = kByDescriptor;
  return out;
}

void MulticastMemory::find_unit(int gpus) {
  const CudaDriver& driver = stream_->driver();
  const CUmulticastObjectProp properties = wanted(gpus);
  driver.check(
      driver.cuMulticastGetGranularity(&unit_, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
      "cuMulticastGetGranularity");
  if (unit_ > 0 && bytes_ > 0 && bytes_ % unit_ == 0) return;
  throw EnvironmentError("multicast memory is made of pieces of " + std::to_string(unit_) +
                         " bytes, of which " + std::to_string(bytes_) + " bytes are no multiple");
}

// The driver binds from the beginning of an allocation on, wherever in it the address is.
void MulticastMemory::require_beginning(const std::byte* own) const {
  const CudaDriver& driver = stream_->driver();
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  driver.check(driver.cuMemGetAddressRange(&begin, &bytes, reinterpret_cast<CUdeviceptr>(own)),
               "cuMemGetAddressRange");
  if (begin == reinterpret_cast<CUdeviceptr>(own) && bytes >= bytes_) return;
  throw EnvironmentError(
      "the GPU's own memory does not begin where it is to be bound, or ends too "
      "soon: other members would reach something else there");
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
  require_beginning(own);
  CUmemGenericAllocationHandle memory = 0;
  driver.check(driver.cuMemRetainAllocationHandle(&memory, const_cast<std::byte*>(own)),
               "cuMemRetainAllocationHandle");
  const CUresult bound = driver.cuMulticastBindMem(memory_, 0, memory, 0, bytes_, 0);
  driver.cuMemRelease(memory);
  driver.check(bound, "cuMulticastBindMem");
  bound_ = true;
  driver.check(driver.cuMemAddressReserve(&address_, bytes_, unit_, 0, 0), "cuMemAddressReserve");
  driver.check(driver.cuMemMap(address_, bytes_, 0, memory_, 0), "cuMemMap");
  mapped_ = true;
  const CUmemAccessDesc access{
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = stream_->device()},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  driver.check(driver.cuMemSetAccess(address_, bytes_, &access, 1), "cuMemSetAccess");
}

}  // namespace tutti::runtime
