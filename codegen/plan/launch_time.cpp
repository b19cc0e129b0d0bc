#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/kernel/varying_axes.h>
#include <tutti/codegen/plan/launch_time.h>
#include <tutti/codegen/plan/plan.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::ScalarOp;

// What another thread has to save to be worth waking: it sees the loop late, and the last piece is
// waited for. Two of them take about 3 us for nothing on a machine at rest.
constexpr double kLeastShared = 5000;  // nanoseconds

constexpr double kTile = 5;           // to begin one, in nanoseconds
constexpr double kOperation = 0.035;  // an operation on an element of 4 bytes, in a vector
constexpr double kCall = 100;         // of a hand-written kernel
constexpr double kMovedByte = 0.1;    // by it, and of what it computes (LaunchPart::cost)

// How many simple operations it is.
double steps_of(const Instruction& instruction) {
  if (instruction.kind != Instruction::Kind::scalar) return 1;
  const ScalarOp op = instruction.op;
  if (ir::is_transcendental(op) || op == ScalarOp::mod) return 16;
  return op == ScalarOp::div || op == ScalarOp::sqrt ? 4 : 1;
}

std::int64_t whole_vectors(std::int64_t elements) {
  return (elements + kLanes - 1) / kLanes * kLanes;
}

class KernelTime {
 public:
  explicit KernelTime(const Kernel& kernel)
      : kernel_(kernel),
        values_(has_terms(kernel) ? find_varying_axes(kernel) : std::vector<VaryingAxes>()) {}

  double nanoseconds() const {
    double steps = 0;
    for (const Segment& segment : kernel_.segments) {
      double each = 0;
      for (const Instruction& instruction : segment.body) {
        const bool loads = instruction.kind == Instruction::Kind::load;
        each += width(instruction.dtype) *
                (loads ? steps_of_load(segment, instruction) : steps_of(instruction));
      }
      for (const Reduction& reduction : segment.reductions) each += width(reduction.dtype);
      for (const Store& store : segment.stores) each += steps_of_store(segment, store);
      steps += each * points(segment);
    }
    return kTile * static_cast<double>(kernel_.tiles()) + kOperation * steps;
  }

 private:
  // Elements of 8 bytes are half as many a vector.
  static double width(DType dtype) { return size_of(dtype) > 4 ? 2 : 1; }

  // Points that lie side by side are computed together, whether or not they fill a vector: of each
  // block of an outer axis, or of all of an inner one.
  double points(const Segment& segment) const {
    const bool outer = kernel_.vector_axis == VectorAxis::outer;
    double count = 1;
    for (std::size_t i = 0; i < kernel_.outer.size(); ++i) {
      const bool vector = outer && i + 1 == kernel_.outer.size();
      count *= static_cast<double>(vector ? whole_blocks(kernel_.outer[i]) : kernel_.outer[i]);
    }
    if (!segment.loop) return count;
    for (std::size_t i = 0; i < kernel_.inner.size(); ++i) {
      const bool vector = !outer && i + 1 == kernel_.inner.size();
      count *= static_cast<double>(vector ? whole_vectors(kernel_.inner[i]) : kernel_.inner[i]);
    }
    return count;
  }

  std::int64_t whole_blocks(std::int64_t elements) const {
    const std::int64_t blocks = elements / kernel_.block;
    return blocks * whole_vectors(kernel_.block) + whole_vectors(elements % kernel_.block);
  }

  double steps_of_load(const Segment& segment, const Instruction& load) const {
    if (!load.terms.empty() && are_apart(load)) return kApart;
    return is_of_short_rows(kernel_, segment, load) ? kTurned
                                                    : steps_of_access(segment, load.address, true);
  }
  double steps_of_store(const Segment& segment, const Store& store) const {
    return is_of_short_rows(kernel_, segment, store)
               ? kTurned
               : steps_of_access(segment, store.address, false);
  }

  // What does not lie side by side is brought one by one, but for loads by short steps.
  double steps_of_access(const Segment& segment, const Affine& address, bool loads) const {
    const bool outer = kernel_.vector_axis == VectorAxis::outer;
    if (!outer && !segment.loop) return 1;
    const std::vector<std::int64_t>& strides = outer ? address.outer : address.inner;
    const std::int64_t stride = strides.empty() ? 0 : strides.back();
    if (stride == 0 || stride == 1 || (loads && stride == -1)) return 1;
    return loads && stride > 0 && stride <= kShortStride ? static_cast<double>(stride) : kApart;
  }

  // Whether indices say where each element of a vector lies.
  bool are_apart(const Instruction& load) const {
    const bool inner = kernel_.vector_axis == VectorAxis::inner;
    const std::size_t axes = (inner ? kernel_.inner : kernel_.outer).size();
    return axes > 0 && axes_of_terms(values_, load).has(inner, axes - 1);
  }

  static constexpr double kTurned = 2;  // an access by tiles of short rows
  static constexpr double kApart = 8;   // one to elements that do not lie side by side
  const Kernel& kernel_;
  const std::vector<VaryingAxes> values_;  // where loads have terms
};

bool is_branch(const Plan& plan, const Region& region) {
  const auto number = static_cast<int>(&region - plan.regions.data());
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    const Control* const control = control_of(step);
    return control != nullptr && control->kind == Control::Kind::conditional &&
           std::ranges::find(control->regions, number) != control->regions.end();
  });
}

// Whether a call's result lies over its first buffer in every run, as far as the plan says it: that
// is one buffer, or a loop has one place for both.
bool runs_in_place(const Plan& plan, const LaunchPart& part) {
  if (part.tiles_in_place < 0) return false;
  const BufferId read = part.buffers.front();
  const BufferId written = part.buffers.back();
  if (read == written) return true;
  if (plan.buffers[at(read)].kind != PlanBuffer::Kind::parameter) return false;
  const auto region = std::ranges::find_if(
      plan.regions, [&](const Region& each) { return read < each.end_buffer; });
  if (region == plan.regions.end()) return false;
  const auto is_of_both = [&](const Donation& donation) {
    return donation.input == plan.buffers[at(read)].index && donation.buffer == written;
  };
  return std::ranges::any_of(region->donations, is_of_both) && !is_branch(plan, *region);
}

double nanoseconds_of(const Plan& plan, const LaunchPart& part) {
  if (part.kernel >= 0) return KernelTime(plan.kernels[at(part.kernel)]).nanoseconds();
  const bool in_place = runs_in_place(plan, part);
  double bytes = static_cast<double>(part.cost);
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    const bool stays = in_place && (i == 0 || i + 1 == part.buffers.size());
    if (!stays) bytes += static_cast<double>(plan.buffers[at(part.buffers[i])].bytes);
  }
  const std::int64_t tiles = in_place ? part.tiles_in_place : part.tiles;
  double out = kCall + kTile * static_cast<double>(tiles) + kMovedByte * bytes;
  if (part.epilogue >= 0) out += KernelTime(plan.kernels[at(part.epilogue)]).nanoseconds();
  return out;
}

}  // namespace

bool is_for_one_thread(const Plan& plan, const Launch& launch) {
  double all = 0;
  for (const LaunchPart& part : launch.parts) all += nanoseconds_of(plan, part);
  return all < kLeastShared;
}

}  // namespace tutti::codegen
