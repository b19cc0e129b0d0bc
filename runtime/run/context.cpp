#include <tutti/ir/support/error.h>
#include <tutti/runtime/profile/profile.h>
#include <tutti/runtime/run/context.h>
#include <tutti/runtime/run/open_accelerator.h>
#include <tutti/runtime/run/shared_gpu.h>

#include <algorithm>

namespace tutti::runtime {

Context::~Context() {
  if (profile != nullptr) profile->close_devices();
}

Context::OpenDevice& Context::open(Device device) {
  const auto known = std::ranges::find(devices_, device, &OpenDevice::device);
  if (known != devices_.end()) return *known;
  OpenDevice& opened =
      devices_.emplace_back(OpenDevice{.device = device, .accelerator = open_accelerator(device)});
  warn_of_shared_gpu(*backend, device);
  return opened;
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
  devices_.push_back({.device = device, .accelerator = std::move(accelerator)});
}

std::byte* Context::arena(Device device, std::size_t bytes, const ArenaContents& contents) {
  OpenDevice& used = open(device);
  return used.arena.at_least(bytes, used.accelerator->memory(), contents);
}

std::vector<MemoryBlock> Context::arena_contents(Device device) {
  return device.is_cpu() ? arena_.contents() : open(device).arena.contents();
}

Allocator& Context::allocator_of(Device device) {
  return device.is_cpu() ? allocator : accelerator(device).memory();
}

void Context::Arena::grow(std::size_t bytes, Allocator& from, const ArenaContents& contents) {
  memory_ = nullptr;
  contents_.clear();
  try {
    memory_ = from.allocate(bytes, contents.label);
  } catch (const OutOfMemoryError& error) {
    if (contents.largest.empty()) throw;
    throw OutOfMemoryError(
        error.message() + "; its largest values are " + text_of(contents.largest), error.where());
  }
  contents_ = contents.largest;
}

}  // namespace tutti::runtime
