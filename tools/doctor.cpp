#include "tools/doctor.h"

#include <tutti/codegen/build_id.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/runtime/cache/disk_cache.h>
#include <tutti/runtime/comm/shm/segment.h>
#include <tutti/runtime/comm/shm/shm.h>
#include <tutti/runtime/run/find_cuda.h>
#include <tutti/runtime/thread_pool.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/wrap.h"
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_kernels.h>
#endif

namespace tutti::tools {

namespace {

constexpr rlim_t kUsefulFile = rlim_t{64} << 20;  // what is larger is rarely written

struct Finding {
  std::string name;
  bool works = true;
  std::string says;     // the version and the place, or what is wrong and what to do
  std::string without;  // what does not work; empty if all does
};

Finding found(std::string name, std::string says) {
  return {.name = std::move(name), .works = true, .says = std::move(says), .without = {}};
}

Finding missing(std::string name, std::string says, std::string without) {
  return {.name = std::move(name),
          .works = false,
          .says = std::move(says),
          .without = std::move(without)};
}

// The value of "key : value" in a file of the kernel's; empty if there is no such line.
std::string value_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::string gibibytes(double bytes) {
  std::ostringstream out;
  out.precision(1);
  out << std::fixed << bytes / (1 << 30) << " GiB";
  return out.str();
}

Finding examine_tutti() {
  return found("Tutti", TUTTI_VERSION ", build " + std::string(codegen::build_id()).substr(0, 8));
}

Finding examine_llvm() {
#if TUTTI_HAS_LLVM
  const std::string text = codegen::native::compiler_text();
  return found("LLVM", text.substr(text.find(' ') + 1));
#else
  return missing(
      "LLVM", "this build has none; install LLVM 22 (scripts/setup) and build again",
      "kernels are run by the evaluator, which is many times slower, and plans are walked");
#endif
}

Finding examine_matmul() {
  const std::string version = kernels::library_version();
  if (!version.empty()) return found("oneDNN", version);
  return missing("oneDNN",
                 "this build has none; install libdnnl-dev (scripts/setup) and build again",
                 "matrix products on the host use our own loops, which are slower");
}

Finding examine_processor() {
  const std::string flags = " " + value_in("/proc/cpuinfo", "flags") + " ";
  constexpr std::array<std::pair<const char*, const char*>, 6> kFeatures = {{
      {"avx2", "AVX2"},
      {"fma", "FMA"},
      {"avx512f", "AVX-512"},
      {"avx512_bf16", "AVX-512 bf16"},
      {"avx512_fp16", "AVX-512 f16"},
      {"amx_bf16", "AMX bf16"},
  }};
  std::string features;
  for (const auto& [flag, name] : kFeatures) {
    if (flags.find(" " + std::string(flag) + " ") != std::string::npos) {
      features += ", " + std::string(name);
    }
  }
  const std::string model = value_in("/proc/cpuinfo", "model name");
  const int cores = codegen::compile_threads();
  return found("processor", (model.empty() ? "unknown" : model) + ", " + std::to_string(cores) +
                                (cores == 1 ? " core" : " cores") + " for this process" + features);
}

Finding examine_memory() {
  const std::string available = value_in("/proc/meminfo", "MemAvailable");  // "123 kB"
  return found("memory", gibibytes(std::strtod(available.c_str(), nullptr) * 1024) + " available");
}

Finding examine_shared_memory() {
  const std::size_t wanted = runtime::ShmOptions().segment_bytes;
  const std::string name = "shared memory";
  try {
    const auto segment = runtime::Segment::create(wanted);
    std::string less;
    if (segment.bytes() < wanted) {
      less = "; limits (ulimit -v, ulimit -f) leave " +
             gibibytes(static_cast<double>(segment.bytes())) + " of " +
             gibibytes(static_cast<double>(wanted)) + " for all ranks together";
    }
    return found(name, "works, for ranks that are processes of one machine" + less);
  } catch (const Error& error) {
    return missing(name, error.what(), "ranks have to be threads of one process");
  }
}

// As many as a process starts beside its own.
Finding examine_threads() {
  const std::string name = "threads";
  const int threads = codegen::compile_threads();
  try {
    const runtime::ThreadPool pool(threads);
    return found(name, std::to_string(threads) + " can be had");
  } catch (const Error& error) {
    return missing(name, error.what(),
                   "programs run with TUTTI_THREADS=1 only, without simulate()");
  }
}

// ulimit -f
Finding examine_files() {
  const std::string name = "files";
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return found(name, "of any size can be written");
  }
  const std::string most = std::to_string(limit.rlim_cur >> 10) + " KiB";
  if (limit.rlim_cur >= kUsefulFile) return found(name, "of up to " + most + " can be written");
  return missing(name, "only files of up to " + most + " can be written (ulimit -f)",
                 "larger results, dumps, traces and entries of the disk cache are errors");
}

Finding examine_cache() {
  const std::string name = "disk cache";
  const std::string without = "every process compiles all that it needs";
  try {
    const runtime::DiskCache& cache = runtime::DiskCache::shared();
    if (!cache.is_on()) return missing(name, "is off: " + cache.why_off(), without);
    const auto files = cache.files();
    const auto damaged =
        std::ranges::count_if(files, [](const auto& file) { return !file.damage.empty(); });
    return found(name, std::to_string(files.size()) + " entries in " + cache.path() +
                           (damaged > 0 ? ", " + std::to_string(damaged) +
                                              " of them damaged; `tutti cache verify --remove`"
                                        : ""));
  } catch (const EnvironmentError& error) {
    return missing(name, error.what(), without);
  }
}

Finding examine_library(const std::string& name, const runtime::FoundCuda::Library& library,
                        const std::string& without) {
  if (!library.problem.empty()) return missing(name, library.problem, without);
  return found(name, library.version + ", " + library.path);
}

std::string text_of_link(const runtime::FoundCuda::Link& link) {
  if (!link.direct) return "not directly";
  return link.atomics ? "over NVLink or its like (the link carries atomics)" : "over PCIe";
}

// All in one, where they are alike.
Finding examine_links(const runtime::FoundCuda& cuda) {
  using Link = runtime::FoundCuda::Link;
  const std::string name = "GPU to GPU";
  if (cuda.links.empty())
    return missing(name, "the driver does not tell",
                   "nothing; it is not known how GPUs reach each other");
  const auto text = [&](const Link& link) {
    return text_of_link(link) + (link.rank > 0 ? ", slower than others" : "");
  };
  const std::string first = text(cuda.links[0]);
  const bool alike =
      std::ranges::all_of(cuda.links, [&](const Link& link) { return text(link) == first; });
  std::string says = std::to_string(cuda.gpus.size()) + " GPUs reach each other " + first;
  if (!alike) {
    says.clear();
    for (const Link& link : cuda.links) {
      says += (says.empty() ? "" : "; ") + std::to_string(link.from) + " reaches " +
              std::to_string(link.to) + " " + text(link);
    }
  }
  if (std::ranges::all_of(cuda.links, &Link::direct)) return found(name, says);
  return missing(
      name, says,
      "NCCL goes through the host between those GPUs, and there are no windows; "
      "virtualisation (IOMMU, ACS) may forbid it, and `nvidia-smi topo -p2p r` tells more");
}

// What the compute mode of a GPU says of those who share it.
constexpr const char* kExclusive =
    "; its compute mode is `exclusive process`: while one process uses it, others, ranks that "
    "share "
    "it too, are refused (`nvidia-smi -c DEFAULT`, as root, lets them)";

// Of memory that a switch between GPUs writes and sums.
Finding examine_multicast(const runtime::FoundCuda& cuda) {
  const std::string name = "multicast";
  if (std::ranges::all_of(cuda.gpus, &runtime::FoundCuda::Gpu::multicast)) {
    return found(name,
                 "GPUs can have multicast memory (NVLS): larger sums and gathers between three and "
                 "more are made by the switch, where the fabric manager runs");
  }
  return missing(name, "not all GPUs can have multicast memory, which takes sm_90 and an NVSwitch",
                 "no sums by the switch: NCCL makes the larger ones without NVLS, and kernels of "
                 "our own read what the others have");
}

// It is nothing that a single host needs.
Finding examine_fabric(const runtime::FoundCuda& cuda) {
  return found(
      "fabric handles",
      std::ranges::all_of(cuda.gpus, &runtime::FoundCuda::Gpu::fabric)
          ? "GPUs can give their memory to those of other hosts on their switch, where the "
            "system has a channel for this process (/dev/nvidia-caps-imex-channels)"
          : "GPUs give their memory to those of this host alone");
}

// What `cuda:nccl` would do here.
Finding examine_nccl_between(const runtime::FoundCuda& cuda) {
  const std::string name = "cuda:nccl";
  const std::string through_host = "collectives of values on GPUs go through the host's memory";
  if (!cuda.nccl.problem.empty()) return missing(name, "there is no NCCL", through_host);
  if (cuda.gpus.size() == 1) {
    return missing(
        name,
        "there is one GPU, and NCCL wants one for each rank; from 2.30 on "
        "NCCL_MULTI_RANK_GPU_ENABLE=1 with TUTTI_BACKENDS=cuda:nccl lets ranks share it, "
        "to try things out",
        through_host);
  }
  return found(name, "serves up to " + std::to_string(cuda.gpus.size()) +
                         " ranks that a launcher starts, with a GPU each; " +
                         (cuda.no_windows.empty() ? "compiled programs get windows"
                                                  : "without windows: " + cuda.no_windows));
}

void examine_cuda(std::vector<Finding>& out) {
  const runtime::FoundCuda cuda = runtime::find_cuda();
  if (cuda.headers.empty()) {
    out.push_back(missing("CUDA",
                          "this build has none; install the headers of the CUDA toolkit (cuda.h, "
                          "nvrtc.h, cublasLt.h) and build again",
                          "nothing runs on a GPU"));
    return;
  }
  out.push_back(found("CUDA", "built with the headers of " + cuda.headers));
  out.push_back(examine_library("NVIDIA driver", cuda.driver, "nothing runs on a GPU"));
  for (std::size_t i = 0; i < cuda.gpus.size(); ++i) {
    const auto& gpu = cuda.gpus[i];
    const std::string name = "cuda:" + std::to_string(i);
    if (!gpu.problem.empty()) {
      out.push_back(missing(name, gpu.problem, "nothing runs on this GPU"));
      continue;
    }
    out.push_back(found(name, gpu.name + ", " + gpu.target + ", " +
                                  gibibytes(static_cast<double>(gpu.memory_bytes)) +
                                  (gpu.bus.empty() ? "" : ", PCI " + gpu.bus) +
                                  (gpu.numa_node.empty() ? "" : ", NUMA node " + gpu.numa_node) +
                                  (gpu.exclusive ? kExclusive : "")));
  }
  if (cuda.gpus.size() > 1) {
    out.push_back(examine_links(cuda));
    out.push_back(examine_multicast(cuda));
    out.push_back(examine_fabric(cuda));
  }
  out.push_back(examine_library("NVRTC", cuda.nvrtc,
                                "kernels can't be compiled for a GPU; those in the disk cache too "
                                "can't be used, because its version is part of their keys"));
  if (cuda.nvrtc.problem.empty() && cuda.driver.problem.empty()) {
    out.push_back(cuda.nvrtc_refusal.empty()
                      ? found("NVRTC's code", "the driver, of CUDA " + cuda.driver.version +
                                                  ", takes what NVRTC " + cuda.nvrtc.version +
                                                  " compiles for its GPUs")
                      : missing("NVRTC's code", cuda.nvrtc_refusal, "nothing runs on a GPU"));
  }
  out.push_back(examine_library("cuBLASLt", cuda.cublaslt, "no matrix products on a GPU"));
  out.push_back(examine_library("NCCL", cuda.nccl,
                                "collectives of values on GPUs go through the host's memory"));
  if (!cuda.gpus.empty()) out.push_back(examine_nccl_between(cuda));
}

std::vector<Finding> examine() {
  std::vector<Finding> out = {examine_tutti(),     examine_llvm(),   examine_matmul(),
                              examine_processor(), examine_memory(), examine_shared_memory(),
                              examine_threads(),   examine_files(),  examine_cache()};
  examine_cuda(out);
  return out;
}

void print(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.name.size());
  std::string out;
  for (const Finding& finding : findings) {
    out += finding.name;
    append_wrapped(out, (finding.works ? "" : "missing: ") + finding.says, width + 2,
                   finding.name.size());
    if (!finding.works) append_wrapped(out, "without it: " + finding.without, width + 2);
  }
  std::cout << out;
}

void print_findings_json(const std::vector<Finding>& findings) {
  auto out = nlohmann::json::array();
  for (const Finding& finding : findings) {
    nlohmann::json row = {{"name", finding.name}, {"works", finding.works}, {"says", finding.says}};
    if (!finding.works) row["without"] = finding.without;
    out.push_back(std::move(row));
  }
  std::cout << out.dump(2) << "\n";
}

}  // namespace

void doctor(bool json) {
  const std::vector<Finding> findings = examine();
  json ? print_findings_json(findings) : print(findings);
}

}  // namespace tutti::tools
