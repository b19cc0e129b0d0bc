#include <tutti/codegen/llvm/joined_functions.h>
#include <tutti/kernels/host/dynamic_slice.h>

#include <algorithm>
#include <deque>
#include <variant>

namespace tutti::codegen::native {

namespace {

// Of a kernel: beside more points than these a call is nothing.
constexpr std::int64_t kMostPoints = 1024;
// Of a function, and of all that are joined, in instructions of kernels, about: LLVM takes some
// 30 us for each.
constexpr std::size_t kMostOfFunction = 2000;
constexpr std::size_t kMostOfPlan = 4000;
constexpr std::size_t kMostSteps = 256;
constexpr std::size_t kStep = 4;  // whatever it does
// Of a region that is entered in several places, in all of these.
constexpr std::size_t kMostOfCopies = 600;
// Of a value on the stack, and of all of a function.
constexpr std::int64_t kMostBytes = 4096;
constexpr std::int64_t kMostStack = 32768;
// Of a carry, which is copied in each step where it can't stay in a register.
constexpr std::int64_t kMostCarried = 256;

// (Narrow floats stay apart: LLVM's middle end moves signs past their rounding, and NaN may have
// the other sign than that of kernels by themselves.)
bool is_small_kernel(const Kernel& kernel) {
  const auto is_narrow = [](const auto& each) { return is_narrow_floating(each.dtype); };
  if (std::ranges::any_of(kernel.buffers, is_narrow)) return false;
  for (const Segment& segment : kernel.segments) {
    if (std::ranges::any_of(segment.body, is_narrow)) return false;
  }
  return outer_points(kernel) * std::max<std::int64_t>(inner_points(kernel), 1) <= kMostPoints;
}

// Parts that are a few runs of few bytes; what they go into may be of any size.
bool is_small_update(const kernels::DynamicUpdateSlice& update) {
  constexpr std::int64_t kMostRuns = 8;
  constexpr std::int64_t kMostPartBytes = 256;
  const std::vector<kernels::PartDimension> dimensions =
      kernels::part_dimensions(update.x, update.part);
  std::int64_t runs = 1;
  for (std::size_t i = 0; i + 1 < dimensions.size(); ++i) {
    if (dimensions[i].part > kMostRuns) return false;
    runs *= dimensions[i].part;
  }
  return runs > 0 && runs <= kMostRuns && dimensions.back().part > 0 &&
         dimensions.back().part <= kMostPartBytes / update.element_size / runs;
}

// How much code it is.
std::size_t weight_of(const kernels::DynamicUpdateSlice& update) {
  return 16 + 4 * static_cast<std::size_t>(update.x.rank());
}

std::size_t weight_of(const Kernel& kernel) {
  std::size_t out = 0;
  for (const Segment& segment : kernel.segments) {
    std::size_t own = segment.stores.size() + segment.reductions.size();
    for (const Instruction& instruction : segment.body) {
      const bool is_long =
          instruction.kind == Instruction::Kind::scalar &&
          (ir::is_transcendental(instruction.op) || instruction.op == ir::ScalarOp::mod);
      own += is_long ? 24 : 1;
    }
    out += segment.loop ? 4 * own : own;
  }
  return out;
}

std::size_t function_of(const Plan& plan, std::size_t step) {
  const auto found = std::ranges::find_if(
      plan.regions, [&](const Region& region) { return step < at(region.end_step); });
  return static_cast<std::size_t>(found - plan.regions.begin());
}

}  // namespace

// What functions launch: how much code it is, and which buffers are handed to other code.
class JoinedFunctions::Survey final : public NativeSteps {
 public:
  Survey(const JoinedFunctions& joined, std::vector<bool>& handed_on, std::size_t steps)
      : joined_(joined), handed_on_(handed_on), weight_(kStep * steps) {}

  const Plan& plan() const override { return joined_.plan_; }
  void call(const char* /*function*/, std::int32_t /*number*/) override {}
  void launch(const char* /*function*/, std::span<const BufferId> buffers) override {
    for (const BufferId id : buffers) handed_on_[at(id)] = true;
  }
  void launch_direct(const char* function, std::span<const BufferId> buffers,
                     std::span<const DirectKernel> kernels) override {
    if (!joined_.are_inlined(kernels)) return launch(function, buffers);
    for (const DirectKernel& kernel : kernels) {
      weight_ += kernel.kernel == nullptr ? weight_of(*kernel.update) : weight_of(*kernel.kernel);
    }
  }
  void control(const Control& control) override {
    entered_.insert(entered_.end(), control.regions.begin(), control.regions.end());
  }
  std::size_t weight() const { return weight_; }
  // Regions, as often as there are places where they are entered.
  const std::vector<int>& entered() const { return entered_; }

 private:
  const JoinedFunctions& joined_;
  std::vector<bool>& handed_on_;
  std::size_t weight_;
  std::vector<int> entered_;
};

JoinedFunctions::JoinedFunctions(const Plan& plan, bool joins)
    : plan_(plan),
      joined_(plan.regions.size() + 1),
      inlined_(plan.regions.size()),
      on_stack_(plan.buffers.size()),
      rooms_(plan.buffers.size()) {
  // What goes between ranks lies where these look for it.
  if (!joins || plan.works > 0 || !plan.devices.empty()) return;
  std::vector<bool> handed_on(plan.buffers.size());
  std::deque<Survey> surveys;
  std::vector<std::size_t> places(plan.regions.size());  // where a region is entered
  std::size_t step = 0;
  for (std::size_t function = 0; function < joined_.size(); ++function) {
    const bool is_region = function < plan.regions.size();
    const std::size_t end = is_region ? at(plan.regions[function].end_step) : plan.steps.size();
    joined_[function] = end - step <= kMostSteps;
    Survey& survey = surveys.emplace_back(*this, handed_on, end - step);
    for (; step < end; ++step) {
      std::visit([&](const auto& each) { each.emit(survey); }, plan.steps[step]);
    }
    for (const int region : survey.entered()) ++places[at(region)];
  }
  // The inner ones first, which run most.
  std::size_t all = 0;
  std::vector<std::size_t> weights;  // with what is inlined
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    std::size_t weight = surveys[i].weight();
    for (const int region : surveys[i].entered()) {
      if (inlined_[at(region)]) weight += weights[at(region)];
    }
    weights.push_back(weight);
    joined_[i] = joined_[i] && weight <= kMostOfFunction && all + weight <= kMostOfPlan;
    if (!joined_[i]) continue;
    all += surveys[i].weight();
    if (i == plan.regions.size()) break;
    inlined_[i] = places[i] == 1 || weight * places[i] <= kMostOfCopies;
    if (inlined_[i]) all += weight * (places[i] - 1);
  }
  // Code that is not optimised is no place for it.
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    if (joined_[i]) continue;
    for (const int region : surveys[i].entered()) inlined_[at(region)] = false;
  }
  std::size_t function = 0;
  std::int64_t left = kMostStack;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    while (function < plan.regions.size() && i >= at(plan.regions[function].end_buffer)) {
      ++function;
      left = kMostStack;
    }
    const PlanBuffer& buffer = plan.buffers[i];
    if (buffer.kind != PlanBuffer::Kind::local) continue;
    rooms_[i] = buffer.bytes;
    if (!joined_[function] || handed_on[i] || buffer.bytes > std::min(kMostBytes, left)) continue;
    on_stack_[i] = true;
    left -= buffer.bytes;
  }
  find_rooms();
}

// What a region gets has room if it has wherever the region is entered: by those behind it.
void JoinedFunctions::find_rooms() {
  std::vector<bool> without(plan_.buffers.size());
  const auto give = [&](BufferId id, bool has_room) {
    if (!has_room) without[at(id)] = true;
    rooms_[at(id)] = without[at(id)] ? 0 : plan_.buffers[at(id)].bytes;
  };
  for (std::size_t step = plan_.steps.size(); step-- > 0;) {
    const Control* const control = control_of(plan_.steps[step]);
    if (control == nullptr) continue;
    const std::size_t function = function_of(plan_, step);
    const bool is_branch = control->kind == Control::Kind::conditional;
    const auto carries = is_branch ? 0 : static_cast<std::size_t>(control->carries);
    for (const int number : control->regions) {
      const Region& region = plan_.regions[at(number)];
      for (std::size_t i = 0; i < region.parameters.size(); ++i) {
        const std::size_t operand = is_branch ? i + 1 : i;
        const bool is_part = !is_branch && i >= carries &&
                             i < carries + static_cast<std::size_t>(control->sequences);
        give(region.parameters[i], i < carries ? keeps(*control, i, function)
                                               : !is_part && room(control->operands[operand]) > 0);
      }
      const bool is_condition =
          control->kind == Control::Kind::while_loop && number == control->regions.front();
      for (std::size_t i = 0; i < region.results.size(); ++i) {
        const BufferId id = region.results[i].buffer;
        if (is_condition) {
          give(id, room(control->condition) > 0);
        } else if (is_branch) {
          give(id, room(control->results[i]) > 0);
        } else {
          give(id, i < carries && keeps(*control, i, function));
        }
      }
    }
  }
}

bool JoinedFunctions::are_inlined(std::span<const NativeSteps::DirectKernel> kernels) const {
  return std::ranges::all_of(kernels, [&](const NativeSteps::DirectKernel& direct) {
    if (direct.kernel == nullptr) return is_small_update(*direct.update);
    return direct.buffers == direct.kernel->buffers.size() && is_small_kernel(*direct.kernel);
  });
}

bool JoinedFunctions::keeps(const Control& control, std::size_t carry, std::size_t function) const {
  const Region& body = plan_.regions[at(control.regions.back())];
  return joined_[function] && plan_.buffers[at(body.parameters[carry])].bytes <= kMostCarried;
}

}  // namespace tutti::codegen::native
