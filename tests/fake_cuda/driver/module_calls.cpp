#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/fake_cuda/driver/state.h"
#include "tests/fake_cuda/driver/waiting_launch.h"
#include "tests/fake_cuda/image.h"
#include "tests/support/cuda/emulator.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

// Loading code and launching it. What is loaded was compiled for the host.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::decode;
using tutti::fake_cuda::DeviceRange;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::Image;
using tutti::fake_cuda::State;
using tutti::fake_cuda::WaitingLaunch;
namespace cuda = tutti::test::cuda;

namespace {

// Loads a shared object that is not in a file.
void* load(const std::string& library) {
  const int file = memfd_create("kernel", MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error("no memory file");
  void* handle = nullptr;
  if (write(file, library.data(), library.size()) == static_cast<ssize_t>(library.size())) {
    // The loader takes a file of the same name for the same file: ways round in the path, the bits
    // of a number, tell them apart.
    static unsigned count = 0;
    std::string name = "/proc/self/fd/";
    for (unsigned bits = ++count; bits != 0; bits >>= 1) name += (bits & 1) != 0 ? "./" : "/";
    name += std::to_string(file);
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  close(file);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* bytes) {
  return driver_call("cuModuleLoadData", [&](State& state, Call& call) {
    CUctx_st& context = state.current_context();
    Image image;
    try {
      image = decode(bytes);
    } catch (const std::runtime_error& error) {
      throw Failure{CUDA_ERROR_INVALID_IMAGE, error.what()};
    }
    if (image.target != "sm_" + std::to_string(state.setup().capability)) {
      throw Failure{CUDA_ERROR_NO_BINARY_FOR_GPU, ""};
    }
    void* const library = load(image.library);
    *module = state.make<CUmod_st>("module", &context);
    (*module)->kernels = image.kernels;
    (*module)->library = library;
    call.gives((*module)->name);
  });
}

CUresult cuModuleUnload(CUmodule handle) {
  return driver_call("cuModuleUnload", [&](State& state, Call& call) {
    CUmod_st& module = state.live(handle);
    call << module.name;
    state.complain_of_waits(*module.context, call.text());
    module.live = false;
    dlclose(module.library);
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return driver_call("cuModuleGetFunction", [&](State& state, Call& call) {
    CUmod_st& module = state.mine(handle);
    call << module.name << name;
    const auto known = module.kernels.find(name);
    if (known == module.kernels.end()) throw Failure{CUDA_ERROR_NOT_FOUND, ""};
    CUfunc_st* const made = state.make_part<CUfunc_st>(&module);
    made->module = &module;
    made->kernel = name;
    made->waits = known->second.front() == 'w';
    made->parameters = known->second.substr(1);
    made->entry = dlsym(module.library, cuda::entry_name(name).c_str());
    *function = made;
  });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  return driver_call("cuFuncGetParamInfo", [&](State& state, Call& call) {
    const CUfunc_st& function = state.live(handle);
    call << function.kernel << index;
    if (index >= function.parameters.size()) throw Failure{CUDA_ERROR_INVALID_VALUE, ""};
    *offset = index * sizeof(void*);
    *size = sizeof(void*);
  });
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream on, void** parameters, void** extra) {
  return driver_call("cuLaunchKernel", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(on);
    CUfunc_st& function = state.live(handle);
    state.mine(function.module);
    const cuda::Extents grid = {grid_x, grid_y, grid_z};
    const cuda::Extents block = {block_x, block_y, block_z};
    const auto shape = [](const cuda::Extents& of) {
      return std::to_string(of[0]) + "x" + std::to_string(of[1]) + "x" + std::to_string(of[2]);
    };
    call << stream.name << function.kernel << shape(grid) << shape(block);
    const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
    const std::uint64_t blocks = std::uint64_t{grid_x} * grid_y * grid_z;
    if (threads == 0 || threads > 1024 || blocks == 0 || grid_y > 65535 || grid_z > 65535 ||
        grid_x > 2147483647U || shared_bytes > 0 || extra != nullptr) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "a launch that no GPU takes"};
    }
    std::vector<CUdeviceptr> values;
    std::vector<DeviceRange> touches;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      values.push_back(*static_cast<CUdeviceptr*>(parameters[i]));
      if (function.parameters[i] == 'p') {
        touches.push_back({values.back(), 0});
        call << state.memory().name(values.back());
      } else {
        call << values.back();
      }
    }
    cuda::RunOptions options;
    options.find_races = state.setup().find_races;
    const auto entry = reinterpret_cast<tutti_emulation::Entry>(function.entry);
    tutti::fake_cuda::Operation operation{
        .text = call.text(), .touches = std::move(touches), .module = function.module, .run = {}};
    if (function.waits) {
      // Which says how often it has met.
      if (!values.empty()) operation.exclusive = reinterpret_cast<const void*>(values.front());
      const auto launch = std::make_shared<WaitingLaunch>(
          WaitingLaunch::What{entry, grid, block, std::move(values), options});
      operation.is_ready = [&state, launch] { return launch->advance(state); };
      operation.waits_for_ranks = true;
      operation.run = [&state, launch] { launch->finish(state); };
    } else {
      operation.run = [entry, grid, block, options, values]() mutable {
        std::vector<void*> places;
        for (CUdeviceptr& value : values) places.push_back(&value);
        cuda::run_emulated(entry, grid, block, places.data(), options);
      };
    }
    state.enqueue(stream, std::move(operation));
  });
}
