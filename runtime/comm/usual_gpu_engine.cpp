#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/usual_gpu_engine.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

#if TUTTI_HAS_CUDA
#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/nccl.h>
#endif

namespace tutti::runtime {

namespace {

std::string rank_text(std::size_t rank) { return "rank " + std::to_string(rank); }

#if TUTTI_HAS_CUDA
// Empty: nothing that this rank sees speaks against it.
std::string why_not_nccl(const LaunchEnvironment& launched) {
  if (launched.local_ranks < 2) return "no launcher says that this host has several ranks";
  try {
    const CudaDriver& driver = CudaDriver::process();
    int gpus = 0;
    driver.check(driver.cuDeviceGetCount(&gpus), "cuDeviceGetCount");
    if (gpus < launched.local_ranks) {
      return std::to_string(launched.local_ranks) + " ranks see " + std::to_string(gpus) +
             " GPUs; where each sees its own alone, TUTTI_BACKENDS=cuda:nccl says so";
    }
    static_cast<void>(Nccl::process());
    return {};
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

std::string nccl_version_text(int version) { return Nccl::version_text(version); }
#else
std::string why_not_nccl(const LaunchEnvironment& /*launched*/) { return "this build has no CUDA"; }

std::string nccl_version_text(int version) { return std::to_string(version); }
#endif

// Why they can't use it together; empty: they can.
std::string why_not_together(std::span<const kernels::NcclOfRank> said) {
  for (std::size_t rank = 0; rank < said.size(); ++rank) {
    if (said[rank].version == 0) {
      return rank_text(rank) + ": " + kernels::read_text(said[rank].why_none);
    }
  }
  for (std::size_t rank = 1; rank < said.size(); ++rank) {
    if (said[rank].version != said[0].version) {
      return "rank 0 has NCCL " + nccl_version_text(said[0].version) + ", " + rank_text(rank) +
             " has " + nccl_version_text(said[rank].version);
    }
    if (said[rank].visible_gpus != said[0].visible_gpus) {
      return "rank 0 and " + rank_text(rank) +
             " see different GPUs (CUDA_VISIBLE_DEVICES); where each sees its own alone, "
             "TUTTI_BACKENDS=cuda:nccl says so";
    }
  }
  return {};
}

// Of the process, which is one rank where a launcher has started several.
class UsualGpuEngine {
 public:
  static UsualGpuEngine& process() {
    static UsualGpuEngine engine;
    return engine;
  }

  const std::string& name() {
    static const std::string nccl = "nccl";
    static const std::string shm = "shm";
    const std::scoped_lock lock(mutex_);
    if (!found_) found_ = find();
    return *found_ ? nccl : shm;
  }

  void agree(std::string refusal) {
    const std::scoped_lock lock(mutex_);
    refusal_ = std::move(refusal);
    found_.reset();
  }

 private:
  bool find() const {
    std::string refusal = why_not_nccl(read_launch_environment());
    if (refusal.empty()) refusal = refusal_;
    if (!refusal.empty() && Log::process().takes(LogTopic::gpu)) {
      Log::process().write(LogTopic::gpu, -1,
                           "collectives of GPU values go through the host: " + refusal);
    }
    return refusal.empty();
  }

  std::mutex mutex_;
  std::string refusal_;
  std::optional<bool> found_;
};

}  // namespace

const std::string& usual_gpu_engine() { return UsualGpuEngine::process().name(); }

kernels::NcclOfRank find_nccl_of_rank(const LaunchEnvironment& launched) {
  kernels::NcclOfRank out;
  const auto none = [&](std::string_view why) {
    kernels::write_text(out.why_none, why);
    return out;
  };
  if (launched.local_ranks < 2) return none("no launcher says that this host has several ranks");
  if (!Settings::process().text("TUTTI_BACKENDS").empty())
    return none("TUTTI_BACKENDS says what it uses");
#if TUTTI_HAS_CUDA
  if (!open_cuda_driver().is_open()) return none("there is no NVIDIA driver for GPUs here");
  try {
    out.version = Nccl::process().version();
  } catch (const EnvironmentError& error) {
    return none(error.what());
  }
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Hasher gpus;
  gpus.add(std::string_view(visible == nullptr ? "all" : visible));
  out.visible_gpus = gpus.finish().low;
  return out;
#else
  return none("this build has no CUDA");
#endif
}

void agree_about_nccl(std::span<const kernels::NcclOfRank> said) {
  UsualGpuEngine::process().agree(why_not_together(said));
}

}  // namespace tutti::runtime
