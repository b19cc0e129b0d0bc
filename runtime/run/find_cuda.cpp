#include <tutti/runtime/run/find_cuda.h>

#if TUTTI_HAS_CUDA

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/nccl_windows.h>
#include <tutti/runtime/dylib/cublaslt.h>
#include <tutti/runtime/dylib/nccl.h>
#include <tutti/runtime/dylib/nvrtc.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace tutti::runtime {

namespace {

// "13.0" of 13000
std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// Fills in what `look` finds, or why it finds nothing.
template <class Found, class Look>
void attempt(Found& found, Look look) {
  try {
    look();
  } catch (const EnvironmentError& error) {
    found.problem = error.what();
  }
}

// "0000:1b:00.0"
std::string bus_of(const CudaDriver& driver, CUdevice device) {
  std::array<int, 3> numbers{};
  constexpr std::array kAttributes = {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
                                      CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
                                      CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (driver.cuDeviceGetAttribute(&numbers[i], kAttributes[i], device) != CUDA_SUCCESS) return {};
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", static_cast<unsigned>(numbers[0]),
                static_cast<unsigned>(numbers[1]), static_cast<unsigned>(numbers[2]));
  return text.data();
}

// As the system has it; -1 there means that it does not know.
std::string numa_node_of(const std::string& bus) {
  std::ifstream file("/sys/bus/pci/devices/" + bus + "/numa_node");
  std::string out;
  file >> out;
  return out.starts_with('-') ? "" : out;
}

FoundCuda::Gpu find_gpu(const CudaDriver& driver, int index) {
  FoundCuda::Gpu gpu;
  attempt(gpu, [&] {
    const CudaAccelerator accelerator(driver, index);
    gpu.name = accelerator.name();
    gpu.target = accelerator.target();
    driver.check(driver.cuDeviceTotalMem(&gpu.memory_bytes, accelerator.stream()->device()),
                 "cuDeviceTotalMem");
    gpu.bus = bus_of(driver, accelerator.stream()->device());
    gpu.numa_node = numa_node_of(gpu.bus);
  });
  return gpu;
}

void find_links(const CudaDriver& driver, FoundCuda& found) {
  const auto count = static_cast<int>(found.gpus.size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from == to) continue;
      const auto ask = [&](CUdevice_P2PAttribute what) {
        int value = 0;
        CUdevice one = 0;
        CUdevice other = 0;
        driver.check(driver.cuDeviceGet(&one, from), "cuDeviceGet");
        driver.check(driver.cuDeviceGet(&other, to), "cuDeviceGet");
        driver.check(driver.cuDeviceGetP2PAttribute(&value, what, one, other),
                     "cuDeviceGetP2PAttribute");
        return value;
      };
      found.links.push_back({.from = static_cast<std::size_t>(from),
                             .to = static_cast<std::size_t>(to),
                             .direct = ask(CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED) != 0,
                             .atomics = ask(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED) != 0,
                             .rank = ask(CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)});
    }
  }
}

void find_driver(FoundCuda& found) {
  attempt(found.driver, [&] {
    const CudaDriver& driver = CudaDriver::process();
    found.driver.path = driver.library().path();
    int version = 0;
    driver.check(driver.cuDriverGetVersion(&version), "cuDriverGetVersion");
    found.driver.version = version_text(version);
    int count = 0;
    driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int index = 0; index < count; ++index) found.gpus.push_back(find_gpu(driver, index));
  });
  if (!found.driver.problem.empty() || found.gpus.size() < 2) return;
  try {
    find_links(CudaDriver::process(), found);
  } catch (const EnvironmentError&) {
    found.links.clear();  // some drivers do not tell
  }
}

}  // namespace

FoundCuda find_cuda() {
  FoundCuda found;
  found.headers = version_text(CUDA_VERSION);
  find_driver(found);
  attempt(found.nvrtc, [&] {
    found.nvrtc.path = Nvrtc::process().library().path();
    found.nvrtc.version = Nvrtc::process().version();
  });
  attempt(found.cublaslt, [&] {
    found.cublaslt.path = CublasLt::process().library().path();
    found.cublaslt.version = CublasLt::process().version();
  });
  attempt(found.nccl, [&] {
    found.nccl.path = Nccl::process().library().path();
    found.nccl.version = Nccl::version_text(Nccl::process().version());
    if (found.gpus.empty() || !found.gpus[0].problem.empty()) return;
    const CudaAccelerator first(CudaDriver::process(), 0);
    found.no_windows = NcclWindows::why_not(Nccl::process(), first);
  });
  return found;
}

}  // namespace tutti::runtime

#else

namespace tutti::runtime {

FoundCuda find_cuda() { return {}; }

}  // namespace tutti::runtime

#endif
