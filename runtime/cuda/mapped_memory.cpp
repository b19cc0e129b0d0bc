#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/blocks.h>
#include <tutti/runtime/cuda/mapped_memory.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace tutti::runtime {

namespace {

// A piece of memory and the addresses that it is mapped to, as far as they are there.
class Mapping {
 public:
  Mapping(std::shared_ptr<CudaStream> stream, std::size_t bytes)
      : stream_(std::move(stream)), bytes_(bytes) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    const auto undo = [&driver = stream_->driver(), bytes = bytes_, memory = memory_,
                       address = address_, mapped = mapped_] {
      if (mapped) driver.cuMemUnmap(address, bytes);
      if (address != 0) driver.cuMemAddressFree(address, bytes);
      if (memory != 0) driver.cuMemRelease(memory);
    };
    if (!mapped_ || is_peers_) {
      const CudaStream::Entered entered = stream_->try_enter();
      if (entered) undo();
      return;
    }
    // To unmap is not to wait.
    try {
      stream_->releases().release(undo);
    } catch (const std::exception&) {
      // The host has no memory: it stays for good.
    }
  }

  // The first is the only one that may find no room.
  CUresult create(const CUmemAllocationProp& wanted) {
    return stream_->driver().cuMemCreate(&memory_, bytes_, &wanted, 0);
  }
  void take(CUmemGenericAllocationHandle memory) {
    memory_ = memory;
    is_peers_ = true;
  }
  void map(const CUmemLocation& reachable_from) {
    const CudaDriver& driver = stream_->driver();
    driver.check(driver.cuMemAddressReserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
    driver.check(driver.cuMemMap(address_, bytes_, 0, memory_, 0), "cuMemMap");
    mapped_ = true;
    const CUmemAccessDesc access{.location = reachable_from,
                                 .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    driver.check(driver.cuMemSetAccess(address_, bytes_, &access, 1), "cuMemSetAccess");
  }
  void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  const std::shared_ptr<CudaStream> stream_;
  const std::size_t bytes_;
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
  bool mapped_ = false;
  bool is_peers_ = false;  // who used it was asked before
};

CUmemLocation location_of(const CudaStream& stream) {
  return {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = stream.device()};
}

// Whether the machine does not give memory of a kind, as some containers and systems do.
bool is_refused(CUresult result) {
  return result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_NOT_PERMITTED;
}

std::shared_ptr<Buffer> map_handle(const std::shared_ptr<CudaStream>& stream, std::size_t bytes,
                                   CUmemGenericAllocationHandle memory) {
  auto mapping = std::make_shared<Mapping>(stream, bytes);
  mapping->take(memory);
  mapping->map(location_of(*stream));
  void* const data = mapping->data();
  return Buffer::wrap(data, bytes,
                      [mapping = std::move(mapping)](void*) mutable { mapping.reset(); });
}

}  // namespace

bool has_attribute(const CudaStream& stream, CUdevice_attribute attribute) {
  int value = 0;
  const CUresult result = stream.driver().cuDeviceGetAttribute(&value, attribute, stream.device());
  return result == CUDA_SUCCESS && value != 0;
}

bool can_map_memory(const CudaStream& stream) {
  return has_attribute(stream, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
         has_attribute(stream, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
}

std::shared_ptr<Buffer> map_memory(const std::shared_ptr<CudaStream>& stream, std::size_t bytes,
                                   const std::shared_ptr<MemoryUse>& use) {
  const CudaStream::Entered entered = stream->enter();
  if (!can_map_memory(*stream)) return nullptr;
  const CudaDriver& driver = stream->driver();
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = location_of(*stream);
  // So that network cards reach it, too.
  wanted.allocFlags.gpuDirectRDMACapable =
      has_attribute(*stream, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED) ? 1 : 0;
  const MemoryLabel label = {.what = "places of programs that communicate", .where = {}};
  std::size_t size = 0;
  std::shared_ptr<Mapping> mapping;
  const auto create = [&](unsigned handles) {
    wanted.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(handles);
    std::size_t unit = 0;
    const CUresult known =
        driver.cuMemGetAllocationGranularity(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (is_refused(known)) return known;
    driver.check(known, "cuMemGetAllocationGranularity");
    size = (bytes + unit - 1) / unit * unit;
    mapping = std::make_shared<Mapping>(stream, size);
    CUresult created = mapping->create(wanted);
    if (created == CUDA_ERROR_OUT_OF_MEMORY && CudaCaches::trim(stream->index())) {
      created = mapping->create(wanted);
    }
    if (created == CUDA_ERROR_OUT_OF_MEMORY && stream->releases().wait_for_peers_work()) {
      CudaCaches::trim(stream->index());  // with what was put off
      created = mapping->create(wanted);
    }
    return created;
  };
  // Where GPUs of several hosts hang on one switch, NCCL gives all that it registers by handles of
  // that fabric, to the ranks of this host, too. Who may is a matter of the system's (IMEX).
  constexpr unsigned kDescriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUresult created = CUDA_ERROR_NOT_SUPPORTED;
  if (has_attribute(*stream, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED)) {
    created = create(kDescriptor | CU_MEM_HANDLE_TYPE_FABRIC);
  }
  if (is_refused(created)) created = create(kDescriptor);
  if (created == CUDA_ERROR_OUT_OF_MEMORY) {
    throw OutOfMemoryError(out_of_memory_text(size, label, *use, CudaBlocks(stream).describe()));
  }
  // Some containers do not let processes share it at all.
  if (is_refused(created)) return nullptr;
  driver.check(created, "cuMemCreate");
  mapping->map(wanted.location);
  void* const data = mapping->data();
  auto counted = std::make_shared<MemoryUse::Counted>(use, size, label);
  return Buffer::wrap(data, size,
                      [mapping = std::move(mapping), counted = std::move(counted)](void*) mutable {
                        mapping.reset();
                        counted.reset();
                      });
}

std::shared_ptr<Buffer> map_peer_memory(const std::shared_ptr<CudaStream>& stream,
                                        const std::byte* theirs, std::size_t bytes) {
  const CudaStream::Entered entered = stream->enter();
  const CudaDriver& driver = stream->driver();
  CUmemGenericAllocationHandle memory = 0;
  driver.check(driver.cuMemRetainAllocationHandle(&memory, const_cast<std::byte*>(theirs)),
               "cuMemRetainAllocationHandle");
  return map_handle(stream, bytes, memory);
}

std::shared_ptr<Buffer> map_peer_memory(const std::shared_ptr<CudaStream>& stream,
                                        const Descriptor& exported, std::size_t bytes) {
  const CudaStream::Entered entered = stream->enter();
  const CudaDriver& driver = stream->driver();
  CUmemGenericAllocationHandle memory = 0;
  void* const number = reinterpret_cast<void*>(static_cast<std::intptr_t>(exported.number()));
  driver.check(driver.cuMemImportFromShareableHandle(&memory, number,
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
               "cuMemImportFromShareableHandle");
  return map_handle(stream, bytes, memory);
}

Descriptor export_memory(const CudaStream& stream, const std::byte* begin) {
  const CudaStream::Entered entered = stream.enter();
  const CudaDriver& driver = stream.driver();
  CUmemGenericAllocationHandle memory = 0;
  driver.check(driver.cuMemRetainAllocationHandle(&memory, const_cast<std::byte*>(begin)),
               "cuMemRetainAllocationHandle");
  int number = -1;
  const CUresult exported = driver.cuMemExportToShareableHandle(
      &number, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  driver.cuMemRelease(memory);
  driver.check(exported, "cuMemExportToShareableHandle");
  return Descriptor(number);
}

}  // namespace tutti::runtime
