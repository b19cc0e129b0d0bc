#pragma once

#include <tutti/ir/device.h>
#include <tutti/ir/support/location.h>
#include <tutti/runtime/comm/usual_gpu_engine.h>

#include <string>
#include <string_view>

namespace tutti::runtime {

// Which engine communicates a group's values, by the kind of device that they lie on: "shm" for
// all, or "cpu:shm,cuda:nccl". Engines are `shm` (memory of the host; values of GPUs go through
// it), `nccl` (NCCL between GPUs, which the host's memory helps out where it has no such call), and
// those of EngineRegistry.
class BackendConfig {
 public:
  // Of groups that say nothing: what TUTTI_BACKENDS says, else "shm" for the host and
  // usual_gpu_engine() for GPUs. Throws EnvironmentError where that is malformed.
  static const BackendConfig& process();

  // Throws UsageError at `where` for a text that is no such list, a device or engine that there is
  // not, and a device that is there twice. A device that is not there, or that the one engine named
  // for all does not serve, has shm.
  static BackendConfig parse(std::string_view text, Location where = {});

  // "cpu:shm,cuda:nccl"; parse() of it is the same.
  std::string text() const { return "cpu:" + cpu_ + ",cuda:" + engine_of_gpus(); }
  // The engine for values on a device.
  const std::string& engine(Device device) const {
    return device.is_cpu() ? cpu_ : engine_of_gpus();
  }

  friend bool operator==(const BackendConfig&, const BackendConfig&) = default;

 private:
  // What there is of CUDA is looked for when it is first asked for.
  const std::string& engine_of_gpus() const { return cuda_.empty() ? usual_gpu_engine() : cuda_; }

  std::string cpu_ = "shm";
  std::string cuda_ = "shm";  // empty: the usual one
};

// Throws EnvironmentError for an engine that groups can name and this build does not have; `tag`
// is the group that is to use it.
void require_engine(std::string_view engine, const std::string& tag);

}  // namespace tutti::runtime
