// Which steps of a plan are recorded together with collectives.

#include <tutti/codegen/plan/binding.h>

#include <algorithm>
#include <optional>
#include <ranges>

namespace tutti::codegen {

namespace {

// Steps that may become a span, as they are met.
class GrowingSpan {
 public:
  GrowingSpan(const Plan& plan, const runtime::PlanFrame& frame) : plan_(plan), frame_(frame) {}

  // Takes a step, if it can be a part of it.
  bool take(const BoundStep& step, DeviceRegion* region) {
    using Kind = DeviceSpan::Step::Kind;
    switch (step.kind) {
      case BoundStep::Kind::host:
        return false;
      case BoundStep::Kind::allocate:
      case BoundStep::Kind::free:
        add(step.kind == BoundStep::Kind::free ? Kind::free : Kind::allocate, step);
        return true;
      case BoundStep::Kind::region:
        if (!is_on(region->device())) return false;
        add(Kind::region, step, region);
        return true;
      case BoundStep::Kind::start:
        if (!takes_start(step.number)) return false;
        calls_.push_back({.work = step.number, .start = steps_.size()});
        add(Kind::start, step);
        return true;
      case BoundStep::Kind::wait: {
        const auto known = std::ranges::find(calls_, step.number, &Call::work);
        if (known == calls_.end()) return false;
        known->wait = steps_.size();
        add(Kind::wait, step);
        return true;
      }
    }
    return false;
  }

  // It ends here, and no step behind it waits for what it starts. Gives the step behind it.
  std::size_t cut(std::size_t first) {
    std::size_t end = steps_.size();
    // The last first: where it goes, an earlier one's wait may be behind the end.
    for (const Call& call : std::views::reverse(calls_)) {
      if (call.start < end && call.wait >= end) end = call.start;
    }
    steps_.resize(end);
    return first + end;
  }

  // Empty: nothing was gained.
  std::optional<DeviceSpan> span(std::size_t first) {
    if (steps_.empty() || !device_) return std::nullopt;
    const std::size_t last = first + steps_.size() - 1;
    DeviceSpan out(plan_, *device_, std::move(steps_), first, last);
    if (!out.is_worth_while()) return std::nullopt;
    return out;
  }

 private:
  struct Call {
    std::int32_t work = -1;
    std::size_t start = 0;  // of steps_, as the next
    std::size_t wait = ~std::size_t{0};
  };

  bool is_on(Device device) {
    if (device_ && *device_ != device) return false;
    device_ = device;
    return true;
  }

  bool takes_start(std::int32_t work) {
    const runtime::BoundCollective& collective = frame_.collectives[at(work)];
    const runtime::Communicator* const group = collective.communicator.get();
    if (collective.device.is_cpu() || collective.reads || collective.operands.empty()) return false;
    if ((group_ != nullptr && group_ != group) || !is_on(collective.device)) return false;
    group_ = group;
    return true;
  }

  void add(DeviceSpan::Step::Kind kind, const BoundStep& step, DeviceRegion* region = nullptr) {
    steps_.push_back({.kind = kind, .region = region, .number = step.number});
  }

  const Plan& plan_;
  const runtime::PlanFrame& frame_;
  std::optional<Device> device_;
  const runtime::Communicator* group_ = nullptr;
  std::vector<DeviceSpan::Step> steps_;
  std::vector<Call> calls_;  // in the order of their starts
};

}  // namespace

// A span has the collectives of one group: whether all members launch it, they see in the records
// of its first call, and other groups have other members.
void Binding::find_spans() {
  const bool records = on_devices_.record && !on_devices_.launch_blocking;
  if (!records || frame_.profile != nullptr || plan_.devices.empty()) return;
  for (std::size_t first = main_; first < steps_.size();) {
    GrowingSpan growing(plan_, frame_);
    std::size_t step = first;
    for (; step < steps_.size(); ++step) {
      const bool is_region = steps_[step].kind == BoundStep::Kind::region;
      if (!growing.take(steps_[step], is_region ? &region_of(steps_[step]) : nullptr)) break;
    }
    const std::size_t behind = growing.cut(first);
    std::optional<DeviceSpan> span = growing.span(first);
    if (span) spans_.push_back(std::move(*span));
    // What it could not take may be the next one's, unless it is nobody's.
    first = std::max(behind, first + 1);
  }
}

}  // namespace tutti::codegen
