#include <tutti/codegen/plan/binding.h>

#include <algorithm>

namespace tutti::codegen {

void Binding::bind() {
  for (const Step& step : plan_.steps) {
    std::visit([this](const auto& each) { each.bind(*this); }, step);
  }
}

void Binding::add(const BoundStep& step) {
  region_ = nullptr;
  steps_.push_back(step);
}

std::uint32_t Binding::add_buffers(std::span<const BufferId> buffers) {
  const auto first = static_cast<std::uint32_t>(buffers_.size());
  buffers_.insert(buffers_.end(), buffers.begin(), buffers.end());
  arguments_.resize(std::max(arguments_.size(), buffers.size()));
  return first;
}

DeviceRegion& Binding::region(Device device) {
  if (region_ == nullptr || region_->device() != device) {
    DeviceRegion& region = regions_.emplace_back(device, records_);
    const auto run = [](Binding& binding, const BoundStep& self) {
      binding.regions_[at(self.number)].run(binding.context_, binding.frame_);
    };
    add({.run = run, .number = static_cast<std::int32_t>(regions_.size()) - 1});
    region_ = &region;
  }
  return *region_;
}

void Binding::add_start(const CollectiveStart& start) {
  starts_.push_back({.step = steps_.size(), .work = start.work, .calls = start.calls});
}

void* Binding::address_of(BufferId id) {
  const PlanBuffer& buffer = plan_.buffers[at(id)];
  if (buffer.kind != PlanBuffer::Kind::local) return frame_.memory().addresses[id];
  std::byte* const arena =
      buffer.device.is_cpu() ? frame_.memory().arena : frame_.arena(buffer.device);
  return arena + buffer.offset;
}

void* const* Binding::addresses(std::uint32_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) arguments_[i] = address_of(buffers_[first + i]);
  return arguments_.data();
}

void Binding::walk() {
  for (step_ = 0; step_ < steps_.size(); ++step_) run_step();
}

}  // namespace tutti::codegen
