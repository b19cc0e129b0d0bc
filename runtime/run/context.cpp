#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/context.h>
#include <tutti/runtime/run/open_accelerator.h>

#include <algorithm>

namespace tutti::runtime {

Context::OpenDevice& Context::open(Device device) {
  const auto known = std::ranges::find(devices_, device, &OpenDevice::device);
  if (known != devices_.end()) return *known;
  return devices_.emplace_back(
      OpenDevice{.device = device, .accelerator = open_accelerator(device), .arena = nullptr});
}

Accelerator& Context::accelerator(Device device) { return *open(device).accelerator; }

void Context::synchronize() {
  for (const OpenDevice& used : devices_) used.accelerator->synchronize();
}

void Context::use(std::unique_ptr<Accelerator> accelerator) {
  const Device device = accelerator->device();
  if (std::ranges::find(devices_, device, &OpenDevice::device) != devices_.end()) {
    throw InternalError(device.text() + " is in use already");
  }
  devices_.push_back({.device = device, .accelerator = std::move(accelerator), .arena = nullptr});
}

std::byte* Context::arena(Device device, std::size_t bytes) {
  OpenDevice& used = open(device);
  return grown(used.arena, used.accelerator->memory(), bytes);
}

}  // namespace tutti::runtime
