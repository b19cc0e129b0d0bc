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
std::string numa_node_of(const std::string& pci_devices, const std::string& bus) {
  std::ifstream file(pci_devices + "/" + bus + "/numa_node");
  std::string out;
  file >> out;
  return out.starts_with('-') ? "" : out;
}

// 0 where the driver does not know it.
int attribute_of(const CudaDriver& driver, CUdevice device, CUdevice_attribute what) {
  int value = 0;
  return driver.cuDeviceGetAttribute(&value, what, device) == CUDA_SUCCESS ? value : 0;
}

// What its compute mode forbids.
void check_compute_mode(const CudaDriver& driver, CUdevice device, FoundCuda::Gpu& gpu) {
  const int mode = attribute_of(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  gpu.exclusive = mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
  if (mode != CU_COMPUTEMODE_PROHIBITED) return;
  throw EnvironmentError(
      "no program may use it: its compute mode is `prohibited`; `nvidia-smi -c DEFAULT` (as root, "
      "with -i for one GPU) lets programs");
}

FoundCuda::Gpu find_gpu(const CudaDriver& driver, int index, const std::string& pci_devices) {
  FoundCuda::Gpu gpu;
  attempt(gpu, [&] {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, index), "cuDeviceGet");
    check_compute_mode(driver, device, gpu);
    const CudaAccelerator accelerator(driver, index);
    gpu.name = accelerator.name();
    gpu.target = accelerator.target();
    driver.check(driver.cuDeviceTotalMem(&gpu.memory_bytes, device), "cuDeviceTotalMem");
    gpu.bus = bus_of(driver, device);
    gpu.numa_node = numa_node_of(pci_devices, gpu.bus);
    gpu.multicast = attribute_of(driver, device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED) != 0;
    gpu.fabric =
        attribute_of(driver, device, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED) != 0;
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

void find_driver(FoundCuda& found, const std::string& pci_devices) {
  attempt(found.driver, [&] {
    const CudaDriver& driver = CudaDriver::process();
    found.driver.path = driver.library().path();
    int version = 0;
    driver.check(driver.cuDriverGetVersion(&version), "cuDriverGetVersion");
    found.driver.version = version_text(version);
    int count = 0;
    driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int index = 0; index < count; ++index) {
      found.gpus.push_back(find_gpu(driver, index, pci_devices));
    }
  });
  if (!found.driver.problem.empty() || found.gpus.size() < 2) return;
  try {
    find_links(CudaDriver::process(), found);
  } catch (const EnvironmentError&) {
    found.links.clear();  // some drivers do not tell
  }
}

// A driver takes what NVRTC of its own major version compiles for its GPUs, or an older one.
// `driver` is CudaDriver::version.
std::string why_refused(int driver, const std::string& nvrtc) {
  const int own = driver / 1000;
  const int of_nvrtc = std::stoi(nvrtc);
  if (own == 0 || of_nvrtc <= own) return {};
  return "the driver is of CUDA " + version_text(driver) + " and refuses what NVRTC " + nvrtc +
         " compiles; install NVRTC " + std::to_string(own) + " (nvidia-cuda-nvrtc-cu" +
         std::to_string(own) + " of Python's packages has it), or a driver of CUDA " +
         std::to_string(of_nvrtc);
}

}  // namespace

FoundCuda find_cuda(const std::string& pci_devices) {
  FoundCuda found;
  found.headers = version_text(CUDA_VERSION);
  find_driver(found, pci_devices);
  attempt(found.nvrtc, [&] {
    found.nvrtc.path = Nvrtc::process().library().path();
    found.nvrtc.version = Nvrtc::process().version();
    found.nvrtc_refusal = why_refused(CudaDriver::version_of_process(), found.nvrtc.version);
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

FoundCuda find_cuda(const std::string& /*pci_devices*/) { return {}; }

}  // namespace tutti::runtime

#endif
