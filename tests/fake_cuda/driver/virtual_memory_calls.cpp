#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/driver/state.h"

// Memory that is made in one call, and mapped to addresses in another.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::DeviceRange;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::Memory;
using tutti::fake_cuda::State;

namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;

void require_units(std::size_t bytes) {
  if (bytes == 0 || bytes % kUnit != 0) {
    throw Failure{CUDA_ERROR_INVALID_VALUE, "the size is no multiple of the granularity"};
  }
}

State::Physical& physical_of(State& state, unsigned long long handle) {
  const auto found = state.physical.find(handle);
  if (found != state.physical.end()) return found->second;
  throw Failure{CUDA_ERROR_INVALID_VALUE, "there is no memory of that handle"};
}

// That is mapped to exactly these addresses.
State::Physical& mapped_at(State& state, CUdeviceptr address, std::size_t bytes) {
  for (auto& [handle, each] : state.physical) {
    if (each.mapped_at == address && each.bytes == bytes) return each;
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing is mapped there"};
}

void drop_unused(State& state) {
  std::erase_if(state.physical,
                [](const auto& each) { return !each.second.held && each.second.mapped_at == 0; });
}

}  // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* unit, const CUmemAllocationProp* /*wanted*/,
                                       CUmemAllocationGranularity_flags /*which*/) {
  return driver_call("cuMemGetAllocationGranularity", [&](State&, Call&) { *unit = kUnit; });
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
    if (bytes > state.setup().memory_bytes - state.used(device)) {
      throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
    }
    *handle = ++state.last_physical;
    state.physical[*handle] = {.bytes = bytes, .device = device};
    call.gives("physical" + std::to_string(*handle));
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call("cuMemRelease", [&](State& state, Call& call) {
    call << handle;
    State::Physical& physical = physical_of(state, handle);
    if (!physical.held) throw Failure{CUDA_ERROR_INVALID_VALUE, "it was released before"};
    physical.held = false;
    drop_unused(state);
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t /*alignment*/,
                             CUdeviceptr /*wanted*/, unsigned long long /*flags*/) {
  return driver_call("cuMemAddressReserve", [&](State& state, Call& call) {
    call << bytes;
    require_units(bytes);
    *address = state.memory().reserve(bytes);
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
    state.memory().release(address, bytes);
    state.reserved.erase(found);
  });
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long /*flags*/) {
  return driver_call("cuMemMap", [&](State& state, Call& call) {
    call << bytes << handle;
    State::Physical& physical = physical_of(state, handle);
    const auto found = state.reserved.find(address);
    const bool fits = found != state.reserved.end() && found->second == bytes && offset == 0 &&
                      physical.bytes == bytes && physical.mapped_at == 0;
    if (!fits) throw Failure{CUDA_ERROR_INVALID_VALUE, "it is mapped whole, once, where it fits"};
    physical.mapped_at = address;
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access,
                        std::size_t count) {
  return driver_call("cuMemSetAccess", [&](State& state, Call& call) {
    call << bytes;
    State::Physical& physical = mapped_at(state, address, bytes);
    const bool fits = count == 1 && access->location.id == physical.device &&
                      access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE && !physical.reachable;
    if (!fits) throw Failure{CUDA_ERROR_INVALID_VALUE, "the own device may read and write, once"};
    physical.reachable = true;
    state.memory().map(physical.device, address, bytes);
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
    if (physical.reachable) state.memory().unmap(address);
    physical.mapped_at = 0;
    physical.reachable = false;
    drop_unused(state);
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
