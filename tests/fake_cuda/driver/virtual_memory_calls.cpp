#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/driver/multicast.h"
#include "tests/fake_cuda/driver/state.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Memory that is made in one call, and mapped to addresses in another.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::DeviceRange;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::kMappedUnit;
using tutti::fake_cuda::Memory;
using tutti::fake_cuda::State;

namespace {

void require_units(std::size_t bytes) {
  if (bytes == 0 || bytes % kMappedUnit != 0) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, "the size is no multiple of the granularity"};
  }
}

// That is mapped to exactly these addresses.
State::Physical& mapped_at(State& state, CUdeviceptr address, std::size_t bytes) {
  for (auto& [handle, each] : state.physical) {
    if (each.bytes == bytes && each.mapped.contains(address)) return each;
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing is mapped there"};
}

constexpr unsigned kDescriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
constexpr unsigned kOfFabric = CU_MEM_HANDLE_TYPE_FABRIC;

// The memory of a device is a file of memory that is called after the device.
constexpr std::string_view kFileName = "fake_gpu_memory_";

int new_file(int device, std::size_t bytes) {
  const int file =
      memfd_create((std::string(kFileName) + std::to_string(device)).c_str(), MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    throw std::runtime_error("no memory file");
  }
  return file;
}

// What a file is called.
std::string name_of_file(int file) {
  std::array<char, 256> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(link.c_str(), path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// The device that a file of that name is the memory of.
int device_of_file(const std::string& name) {
  const std::size_t at = name.find(kFileName);
  if (at == std::string::npos) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, "a descriptor of no device's memory"};
  }
  return std::atoi(name.c_str() + at + kFileName.size());
}

// What another process, or this one, has exported.
State::Physical import_file(int file) {
  const std::string name = name_of_file(file);
  State::Physical out{.file = fcntl(file, F_DUPFD_CLOEXEC, 3), .imported = true};
  if (name.find(tutti::fake_cuda::kMulticastFile) != std::string::npos) {
    out.multicast = tutti::fake_cuda::import_multicast(out.file);
    out.bytes = tutti::fake_cuda::multicast_bytes(*out.multicast);
    return out;
  }
  out.device = device_of_file(name);
  struct stat status{};
  fstat(file, &status);
  out.bytes = static_cast<std::size_t>(status.st_size);
  return out;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* unit, const CUmemAllocationProp* /*wanted*/,
                                       CUmemAllocationGranularity_flags /*which*/) {
  return driver_call("cuMemGetAllocationGranularity", [&](State&, Call&) { *unit = kMappedUnit; });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* wanted, unsigned long long /*flags*/) {
  return driver_call("cuMemCreate", [&](State& state, Call& call) {
    call << bytes;
    require_units(bytes);
    const int device = wanted->location.id;
    state.primary_context(device);
    if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "memory of a kind that the double does not know"};
    }
    const unsigned types = wanted->requestedHandleTypes;
    if ((types & ~(kDescriptor | kOfFabric)) != 0) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "handles of a kind that the double does not know"};
    }
    if ((types & kOfFabric) != 0 && !state.setup().fabric) {
      throw Failure{CUDA_ERROR_NOT_SUPPORTED, "the device says that it has no fabric"};
    }
    if ((types & kOfFabric) != 0 && !state.setup().channel) {
      throw Failure{CUDA_ERROR_NOT_PERMITTED, ""};
    }
    if (bytes > state.setup().memory_bytes - state.used(device)) {
      throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
    }
    *handle = ++state.last_physical;
    state.physical[*handle] = {.bytes = bytes,
                               .device = device,
                               .file = new_file(device, bytes),
                               .shareable = (types & kDescriptor) != 0,
                               .of_fabric = (types & kOfFabric) != 0};
    call.gives("physical" + std::to_string(*handle));
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call("cuMemRelease", [&](State& state, Call& call) {
    call << handle;
    State::Physical& physical = state.physical_of(handle);
    if (physical.held == 0) throw Failure{CUDA_ERROR_INVALID_VALUE, "it was released before"};
    --physical.held;
    state.drop_unused_physical();
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                             CUdeviceptr /*wanted*/, unsigned long long /*flags*/) {
  return driver_call("cuMemAddressReserve", [&](State& state, Call& call) {
    call << bytes;
    require_units(bytes);
    if (alignment % kMappedUnit != 0 || (alignment & (alignment - 1)) != 0) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "no alignment of mapped memory"};
    }
    *address = state.memory().reserve(bytes, alignment == 0 ? kMappedUnit : alignment);
    if (*address == 0) throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
    state.reserved[*address] = bytes;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return driver_call("cuMemAddressFree", [&](State& state, Call& call) {
    call << bytes;
    const auto found = state.reserved.find(address);
    if (found == state.reserved.end() || found->second != bytes) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "these addresses were not reserved"};
    }
    if (state.memory().find(address) != nullptr) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "memory is mapped there"};
    }
    state.memory().release(address);
    state.reserved.erase(found);
  });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long /*flags*/) {
  return driver_call("cuMemMap", [&](State& state, Call& call) {
    call << bytes << handle;
    State::Physical& physical = state.physical_of(handle);
    const auto found = state.reserved.find(address);
    const bool fits = found != state.reserved.end() && found->second == bytes && offset == 0 &&
                      physical.bytes == bytes && state.memory().find(address) == nullptr;
    if (!fits) throw Failure{CUDA_ERROR_INVALID_VALUE, "it is mapped whole, where it fits"};
    if (physical.multicast != nullptr) {
      if (address % state.setup().multicast_unit != 0) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, "multicast memory at such an address"};
      }
      tutti::fake_cuda::map_multicast(address, physical);
    }
    physical.mapped[address] = false;
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access,
                        std::size_t count) {
  return driver_call("cuMemSetAccess", [&](State& state, Call& call) {
    call << bytes;
    State::Physical& physical = mapped_at(state, address, bytes);
    const int device = access->location.id;
    state.primary_context(device);
    bool& reachable = physical.mapped.at(address);
    const bool fits =
        count == 1 && access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE && !reachable;
    if (!fits) throw Failure{CUDA_ERROR_INVALID_VALUE, "one device may read and write, once"};
    if (physical.multicast != nullptr) {
      tutti::fake_cuda::require_in_multicast(physical, device);
      reachable = true;
      return;
    }
    if (device != physical.device && !state.setup().peers) {
      throw Failure{CUDA_ERROR_INVALID_DEVICE, "the device does not reach that memory"};
    }
    reachable = true;
    const bool is_new = !physical.imported && physical.mapped.size() == 1;
    state.memory().map(device, address, bytes, physical.file, is_new);
    call.gives(state.memory().name(address));
  });
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  return driver_call("cuMemUnmap", [&](State& state, Call& call) {
    call << state.memory().name(address) << bytes;
    State::Physical& physical = mapped_at(state, address, bytes);
    const auto watched = state.watched.find(address);
    if (watched != state.watched.end()) {
      state.complain(call.text() + ": it is still " + watched->second);
    }
    const Memory::Block* const block = state.memory().find(address);
    const bool is_peers = block != nullptr && block->device != physical.device;
    for (const std::vector<CUdeviceptr>* const arguments : state.waiting_launches) {
      const bool used = std::ranges::any_of(
          *arguments, [=](CUdeviceptr each) { return address <= each && each < address + bytes; });
      // What is another device's stands in a table that the double does not know.
      if (used || is_peers) state.complain(call.text() + ": a kernel runs that may reach it");
    }
    if (physical.multicast != nullptr) {
      tutti::fake_cuda::unmap_multicast(address);
    } else if (physical.mapped.at(address)) {
      state.memory().unmap(address);
    }
    physical.mapped.erase(address);
    state.drop_unused_physical();
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return driver_call("cuMemRetainAllocationHandle", [&](State& state, Call& call) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    call << state.memory().name(begin);
    for (auto& [number, each] : state.physical) {
      if (!each.mapped.contains(begin)) continue;
      ++each.held;
      *handle = number;
      return;
    }
    throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing is mapped there"};
  });
}

CUresult cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type,
                                      unsigned long long /*flags*/) {
  return driver_call("cuMemExportToShareableHandle", [&](State& state, Call& call) {
    call << handle;
    const State::Physical& physical = state.physical_of(handle);
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
      if (!physical.of_fabric) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, "it was not made for other hosts"};
      }
      *static_cast<CUmemFabricHandle*>(shared) = {};
      return;
    }
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !physical.shareable) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "it was not made to be shared by a descriptor"};
    }
    *static_cast<int*>(shared) = fcntl(physical.file, F_DUPFD_CLOEXEC, 3);
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                        CUmemAllocationHandleType type) {
  return driver_call("cuMemImportFromShareableHandle", [&](State& state, Call& call) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "a handle that is no descriptor"};
    }
    const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(shared));
    *handle = ++state.last_physical;
    state.physical[*handle] = import_file(file);
    call.gives("physical" + std::to_string(*handle));
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
  return driver_call("cuMemGetAddressRange", [&](State& state, Call& call) {
    call << state.memory().name(address);
    const Memory::Block* const block = state.memory().find(address);
    if (block == nullptr) throw Failure{CUDA_ERROR_NOT_FOUND, "there is no memory"};
    *begin = block->begin;
    *bytes = block->bytes;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return driver_call("cuDeviceCanAccessPeer", [&](State& state, Call& call) {
    call << device << peer;
    state.primary_context(device);
    state.primary_context(peer);
    *can = state.setup().peers && device != peer ? 1 : 0;
  });
}

namespace tutti::fake_cuda {

DeviceRange mapped_range(CUdeviceptr begin, std::size_t bytes) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  const Memory::Block* const block = state.memory().find(begin, bytes);
  if (block == nullptr || !block->mapped || current == nullptr ||
      block->device != current->device) {
    return {};
  }
  return {.begin = block->begin, .bytes = block->bytes};
}

bool lacks_fabric_handles(CUdeviceptr begin) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  if (!state.setup().fabric || !state.setup().channel) return false;
  return std::ranges::none_of(state.physical, [=](const auto& each) {
    return each.second.of_fabric && each.second.mapped.contains(begin);
  });
}

void watch(const DeviceRange& range, const std::string& name) {
  const std::scoped_lock lock(State::get().mutex);
  State::get().watched.emplace(range.begin, name);
}

void unwatch(const DeviceRange& range, const std::string& name) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  const auto [first, end] = state.watched.equal_range(range.begin);
  for (auto each = first; each != end; ++each) {
    if (each->second != name) continue;
    state.watched.erase(each);
    return;
  }
}

}  // namespace tutti::fake_cuda
