#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tests/fake_cuda/driver/state.h"

// Memory of devices, memory of the host that devices reach, and copies.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::Memory;
using tutti::fake_cuda::State;

namespace {

void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// "pinned1+64". The bytes have to lie in memory that cuMemHostAlloc gave, or that was registered:
// only that is copied while the host goes on.
std::string name_of_pinned(State& state, const void* place, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  for (const auto* const blocks : {&state.pinned, &state.registered}) {
    auto after = blocks->upper_bound(address);
    if (after == blocks->begin()) continue;
    const auto& [begin, block] = *--after;
    const std::size_t offset = address - begin;
    if (offset <= block.first && bytes <= block.first - offset) {
      return block.second + (offset > 0 ? "+" + std::to_string(offset) : "");
    }
  }
  throw Failure{CUDA_ERROR_INVALID_VALUE, "host memory that is not pinned"};
}

}  // namespace

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return driver_call("cuMemGetInfo", [&](State& state, Call&) {
    *total = state.setup().memory_bytes;
    *free = *total - state.used(state.current_context().device);
  });
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return driver_call("cuMemAlloc", [&](State& state, Call& call) {
    call << bytes;
    const int device = state.current_context().device;
    if (bytes == 0) throw Failure{CUDA_ERROR_INVALID_VALUE, "no bytes"};
    const bool fits = bytes <= state.setup().memory_bytes - state.used(device);
    *address = fits ? state.memory().allocate(device, bytes) : 0;
    if (*address == 0) throw Failure{CUDA_ERROR_OUT_OF_MEMORY, ""};
    call.gives(state.memory().name(*address));
  });
}

// What is queued and uses the memory fails when it runs: that nothing does is for the caller to see
// to.
CUresult cuMemFree(CUdeviceptr address) {
  return driver_call("cuMemFree", [&](State& state, Call& call) {
    call << state.memory().name(address);
    state.complain_of_waits(state.current_context(), call.text());
    if (!state.memory().free(address)) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing was allocated there"};
    }
  });
}

CUresult cuMemHostAlloc(void** place, std::size_t bytes, unsigned flags) {
  return driver_call("cuMemHostAlloc", [&](State& state, Call& call) {
    call << bytes;
    state.current_context();
    *place = std::malloc(bytes);
    std::memset(*place, Memory::kPoison, bytes);
    const std::string name = state.name_of_new("pinned");
    const auto begin = reinterpret_cast<std::uintptr_t>(*place);
    state.pinned[begin] = {bytes, name};
    if ((flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0) state.seen_by_kernels.insert(begin);
    call.gives(name);
  });
}

CUresult cuMemFreeHost(void* place) {
  return driver_call("cuMemFreeHost", [&](State& state, Call& call) {
    CUctx_st& context = state.current_context();
    call << name_of_pinned(state, place, 0);
    state.complain_of_waits(context, call.text());
    const bool seen = state.seen_by_kernels.erase(reinterpret_cast<std::uintptr_t>(place)) > 0;
    if (seen && !state.waiting_launches.empty()) {
      state.complain(call.text() + ": a kernel runs that may look at it");
    }
    if (state.pinned.erase(reinterpret_cast<std::uintptr_t>(place)) == 0) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "nothing was allocated there"};
    }
    std::free(place);
  });
}

CUresult cuMemHostRegister(void* place, std::size_t bytes, unsigned flags) {
  return driver_call("cuMemHostRegister", [&](State& state, Call& call) {
    call << bytes;
    state.current_context();
    if (place == nullptr || bytes == 0 || flags != 0) throw Failure{CUDA_ERROR_INVALID_VALUE, ""};
    const auto begin = reinterpret_cast<std::uintptr_t>(place);
    const auto next = state.registered.lower_bound(begin + bytes);
    if (next != state.registered.begin()) {
      const auto& [known, block] = *std::prev(next);
      if (known + block.first > begin) throw Failure{CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, ""};
    }
    const std::string name = state.name_of_new("registered");
    state.registered[begin] = {bytes, name};
    call.gives(name);
  });
}

// The driver waits here as it does in cuMemFreeHost.
CUresult cuMemHostUnregister(void* place) {
  return driver_call("cuMemHostUnregister", [&](State& state, Call& call) {
    CUctx_st& context = state.current_context();
    const auto found = state.registered.find(reinterpret_cast<std::uintptr_t>(place));
    if (found == state.registered.end()) {
      throw Failure{CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "nothing was registered there"};
    }
    call << found->second.second;
    state.complain_of_waits(context, call.text());
    state.registered.erase(found);
  });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream handle) {
  return driver_call("cuMemcpyHtoDAsync", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name << state.memory().name(to) << name_of_pinned(state, from, bytes) << bytes;
    state.enqueue(stream,
                  {.text = call.text(), .touches = {{to, bytes}}, .run = [&state, to, from, bytes] {
                     name_of_pinned(state, from, bytes);  // it is still there
                     std::memcpy(host(to), from, bytes);
                   }});
  });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
  return driver_call("cuMemcpyDtoHAsync", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name << name_of_pinned(state, to, bytes) << state.memory().name(from) << bytes;
    state.enqueue(
        stream, {.text = call.text(), .touches = {{from, bytes}}, .run = [&state, to, from, bytes] {
                   name_of_pinned(state, to, bytes);
                   std::memcpy(to, host(from), bytes);
                 }});
  });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
  return driver_call("cuMemcpyDtoDAsync", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name << state.memory().name(to) << state.memory().name(from) << bytes;
    if (to < from + bytes && from < to + bytes) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "the places overlap"};
    }
    state.enqueue(stream, {.text = call.text(),
                           .touches = {{to, bytes}, {from, bytes}},
                           .run = [=] { std::memcpy(host(to), host(from), bytes); }});
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream handle) {
  return driver_call("cuMemsetD8Async", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name << state.memory().name(to) << int{value} << bytes;
    state.enqueue(stream, {.text = call.text(), .touches = {{to, bytes}}, .run = [=] {
                             std::memset(host(to), value, bytes);
                           }});
  });
}
