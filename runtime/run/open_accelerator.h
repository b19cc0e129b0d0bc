#pragma once

#include <tutti/ir/device.h>
#include <tutti/runtime/accelerator.h>

#include <memory>

namespace tutti::runtime {

// Opens a GPU for the calling rank. Throws EnvironmentError that says what is missing: this build's
// CUDA part, the driver, or the device.
std::unique_ptr<Accelerator> open_accelerator(Device device);

}  // namespace tutti::runtime
