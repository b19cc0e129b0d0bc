#include <array>
#include <cstdio>

#include "tests/fake_cuda/driver/state.h"

// The driver itself, devices and contexts.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::current;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::pushed;
using tutti::fake_cuda::State;

namespace {

struct Row {
  CUresult result;
  const char* name;
  const char* text;
};

constexpr std::array kResults = {
    Row{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    Row{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    Row{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    Row{CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    Row{CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    Row{CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
        "CUDA-capable device(s) is/are busy or unavailable"},
    Row{CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    Row{CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    Row{CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    Row{CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    Row{CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
        "no kernel image is available for execution on the device"},
    Row{CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    Row{CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    Row{CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    Row{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
        "an illegal memory access was encountered"},
    Row{CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    Row{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing"},
    Row{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        "operation failed due to a previous error during capture"},
    Row{CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
        "the graph update was not performed because it included changes which violated constraints "
        "specific to instantiated graph update"},
    Row{CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "part or all of the requested memory range is already mapped"},
    Row{CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        "pointer does not correspond to a registered memory region"},
    Row{CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    Row{CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    Row{CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const Row* find(CUresult result) {
  for (const Row& row : kResults) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

}  // namespace

std::string tutti::fake_cuda::name_of(CUresult result) {
  const Row* const row = find(result);
  return row != nullptr ? row->name : "error " + std::to_string(static_cast<int>(result));
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  const Row* const row = find(error);
  *name = row != nullptr ? row->name : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const Row* const row = find(error);
  *text = row != nullptr ? row->text : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned /*flags*/) {
  return driver_call(
      "cuInit",
      [](State& state, Call&) {
        if (state.setup().devices == 0) throw Failure{CUDA_ERROR_NO_DEVICE, ""};
        state.initialise();
      },
      true);
}

CUresult cuDriverGetVersion(int* version) {
  return driver_call(
      "cuDriverGetVersion", [&](State& state, Call&) { *version = state.setup().version; }, true);
}

CUresult cuDeviceGetCount(int* count) {
  return driver_call("cuDeviceGetCount",
                     [&](State& state, Call&) { *count = state.setup().devices; });
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  return driver_call("cuDeviceGet", [&](State& state, Call& call) {
    call << index;
    if (index < 0 || index >= state.setup().devices) {
      throw Failure{CUDA_ERROR_INVALID_DEVICE, "there is no such device"};
    }
    *device = index;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return driver_call("cuDeviceGetName", [&](State& state, Call& call) {
    call << device;
    state.primary_context(device);
    std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU %d", device);
  });
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return driver_call("cuDeviceTotalMem", [&](State& state, Call& call) {
    call << device;
    *bytes = state.setup().memory_bytes;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return driver_call("cuDeviceGetUuid", [&](State& state, Call& call) {
    call << device;
    state.primary_context(device);
    *uuid = {};
    uuid->bytes[0] = static_cast<char>(state.setup().first + device + 1);
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return driver_call("cuDeviceGetAttribute", [&](State& state, Call& call) {
    call << static_cast<int>(attribute) << device;
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = state.setup().capability / 10;
        return;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = state.setup().capability % 10;
        return;
      case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value = device + 1;
        return;
      case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        *value = 0;
        return;
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 4;
        return;
      case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        *value = 1;
        return;
      case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
        *value = state.has_multicast() ? 1 : 0;
        return;
      case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
        *value = state.setup().fabric ? 1 : 0;
        return;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = state.setup().compute_mode;
        return;
      case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
        *value = 0;
        return;
      default:
        throw Failure{CUDA_ERROR_INVALID_VALUE, "an attribute that the double does not know"};
    }
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  return driver_call("cuDeviceGetP2PAttribute", [&](State& state, Call& call) {
    call << static_cast<int>(attribute) << from << to;
    state.primary_context(from);
    state.primary_context(to);
    if (from == to) throw Failure{CUDA_ERROR_INVALID_DEVICE, "a link of a device to itself"};
    switch (attribute) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return;
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = state.setup().peers ? 1 : 0;
        return;
      default:
        throw Failure{CUDA_ERROR_INVALID_VALUE, "an attribute that the double does not know"};
    }
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return driver_call("cuDevicePrimaryCtxRetain", [&](State& state, Call& call) {
    call << device;
    CUctx_st& primary = state.primary_context(device);
    if (state.setup().compute_mode == CU_COMPUTEMODE_PROHIBITED) {
      throw Failure{CUDA_ERROR_DEVICE_UNAVAILABLE, ""};
    }
    ++primary.retained;
    *context = &primary;
    call.gives(primary.name);
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return driver_call("cuDevicePrimaryCtxRelease", [&](State& state, Call& call) {
    call << device;
    CUctx_st& primary = state.primary_context(device);
    if (primary.retained == 0) throw Failure{CUDA_ERROR_INVALID_CONTEXT, "nobody holds it"};
    if (--primary.retained > 0) return;
    primary.live = false;
    std::istringstream left(state.left_in(primary));
    for (std::string name; std::getline(left, name);) {
      state.complain("the context goes, and in it is still " + name);
    }
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return driver_call("cuCtxGetCurrent", [&](State&, Call&) { *context = current; });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return driver_call("cuCtxSetCurrent", [&](State& state, Call&) {
    if (context != nullptr) state.live(context);
    current = context;
  });
}

// Not in the log, like the next: they stand around every other call.
CUresult cuCtxPushCurrent(CUcontext context) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  if (state.deinitialised) return CUDA_ERROR_DEINITIALIZED;
  if (!state.is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const CUresult injected = state.injected("cuCtxPushCurrent");
  if (injected != CUDA_SUCCESS) return injected;
  try {
    state.live(context);
  } catch (const Failure& failure) {
    state.complain("cuCtxPushCurrent: " + failure.complaint);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (pushed.count == pushed.contexts.size()) {
    state.complain("cuCtxPushCurrent: the stack is full; who does not pop?");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  pushed.contexts[pushed.count++] = current;
  current = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  State& state = State::get();
  const std::scoped_lock lock(state.mutex);
  if (pushed.count == 0) {
    state.complain("cuCtxPopCurrent: nothing was pushed");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *context = current;
  current = pushed.contexts[--pushed.count];
  return CUDA_SUCCESS;
}
