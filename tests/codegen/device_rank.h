#pragma once

#include <tutti/codegen/driver/executable.h>
#include <tutti/runtime/comm/host_backend.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/host_accelerator.h"

namespace tutti::test {

// The plan of a program, after all passes, whose kernels the evaluator runs: on GPUs in their turn
// of the stream of a HostAccelerator. Of calls it may have
// copies of what lies dense.
codegen::Plan plan_of_device(const std::string& text, std::int64_t rank = 0);

// A rank with two GPUs of ordinary memory.
struct DeviceRank {
  explicit DeviceRank(std::shared_ptr<runtime::HostFabric> fabric = nullptr, std::int64_t rank = 0);
  explicit DeviceRank(std::unique_ptr<runtime::Backend> backend);

  std::shared_ptr<runtime::Buffer> put(Device device, const std::vector<float>& values);
  std::vector<float> get(const codegen::Executable::Result& result);

  runtime::Context context;
  std::vector<HostAccelerator*> gpus;
};

}  // namespace tutti::test
