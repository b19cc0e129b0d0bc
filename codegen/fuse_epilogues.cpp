#include <tutti/codegen/access_history.h>
#include <tutti/codegen/fuse_epilogues.h>
#include <tutti/codegen/tiled_call.h>

#include <algorithm>
#include <optional>

namespace tutti::codegen {

namespace {

// Shorter rows cost more to call a kernel for than they save.
constexpr std::int64_t kLeastColumns = 64;

// Cuts the last outer axis in two, the second of that size, which divides it.
void cut_last_axis(Kernel& kernel, std::int64_t size) {
  kernel.outer.back() /= size;
  kernel.outer.push_back(size);
  const auto cut = [&](Affine& address) {
    if (address.outer.empty()) return;
    const std::int64_t stride = address.outer.back();
    address.outer.back() = stride * size;
    address.outer.push_back(stride);
  };
  for (Segment& segment : kernel.segments) {
    for (Instruction& instruction : segment.body) cut(instruction.address);
    for (Store& store : segment.stores) cut(store.address);
  }
}

// Whether an address walks axes of these sizes as a dense row-major array of `step`-sized items.
bool is_dense(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& sizes,
              std::size_t count, std::int64_t step) {
  for (std::size_t d = count; d-- > 0; step *= sizes[d]) {
    if (sizes[d] != 1 && strides[d] != step) return false;
  }
  return true;
}

// Whether a buffer begins where numbers say, or has such numbers, of which there has to be the last
// before the first tile.
bool moves_by(const Kernel& kernel, int buffer) {
  const auto is_of = [&](const Start& start) { return start.buffer == buffer; };
  return !kernel.buffers[static_cast<std::size_t>(buffer)].starts.empty() ||
         std::ranges::any_of(kernel.buffers, [&](const KernelBuffer& other) {
           return std::ranges::any_of(other.starts, is_of);
         });
}

// The kernel made to fit a call's tiles; nothing if it does not.
std::optional<Kernel> fitted(Kernel kernel, int result, const kernels::ResultDivision& division) {
  if (has_bounds(kernel)) return std::nullopt;  // of axes that are other ones here
  if (moves_by(kernel, result)) return std::nullopt;
  const std::int64_t columns = division.columns;
  const std::int64_t tile_columns = std::min(division.tile_columns, columns);
  const bool rows = kernel.vector_axis == VectorAxis::inner;
  std::int64_t inner = 1;
  for (const std::int64_t size : kernel.inner) inner *= size;
  if (rows) {
    if (tile_columns < columns || inner != columns) return std::nullopt;
  } else {
    if (!kernel.inner.empty() || kernel.outer.back() % columns != 0) return std::nullopt;
    if (kernel.outer.back() != columns) cut_last_axis(kernel, columns);
    // Its tiles begin where the call's do.
    kernel.block = tile_columns;
  }
  const std::size_t row_axes = kernel.outer.size() - (rows ? 0 : 1);
  std::int64_t count = 1;
  for (std::size_t d = 0; d < row_axes; ++d) count *= kernel.outer[d];
  if (count != division.rows) return std::nullopt;
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load || instruction.buffer != result) continue;
      const Affine& address = instruction.address;
      const bool own_columns =
          rows ? segment.loop && is_dense(address.inner, kernel.inner, kernel.inner.size(), 1)
               : address.outer.back() == 1;
      if (!instruction.terms.empty() || address.offset != 0 || !own_columns ||
          !is_dense(address.outer, kernel.outer, row_axes, columns)) {
        return std::nullopt;
      }
    }
  }
  return kernel;
}

class Epilogues {
 public:
  explicit Epilogues(Plan& plan)
      : plan_(plan), history_(plan), call_of_(plan.buffers.size(), kNever) {}

  void run() {
    std::vector<bool> gone(plan_.steps.size(), false);
    for (std::size_t at = 0; at < plan_.steps.size(); ++at) {
      Launch* const launch = launch_of(plan_.steps[at]);
      if (launch == nullptr || !launch->device.is_cpu()) {
        last_barrier_ = at;
      } else {
        LaunchPart& part = launch->parts.front();
        const std::size_t call = call_read_by(part);
        gone[at] = call != kNever && join(launch_of(plan_.steps[call])->parts.front(), call, part);
        if (gone[at]) {
          note(plan_.steps[call], call);
          continue;
        }
      }
      note(plan_.steps[at], at);
    }
    erase_steps(plan_, gone);
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  // The last call whose result a kernel reads as the first.
  std::size_t call_read_by(const LaunchPart& part) const {
    std::size_t call = kNever;
    if (part.kernel < 0) return call;
    for (const BufferId id : part.buffers) {
      const std::size_t found = call_of_[static_cast<std::size_t>(id)];
      if (found != kNever && (call == kNever || found > call)) call = found;
    }
    if (call != kNever && last_barrier_ != kNever && last_barrier_ > call) return kNever;
    return call;
  }

  bool join(LaunchPart& call, std::size_t call_at, const LaunchPart& part) {
    const kernels::ResultDivision division = division_of(*call.code);
    if (division.columns < kLeastColumns) return false;
    if (history_.earliest(part) > call_at + 1) return false;
    const BufferId target = call.buffers.back();
    int result = -1;
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      if (part.buffers[i] == target) {
        if (result >= 0) return false;
        result = static_cast<int>(i);
      }
      if (!writes(plan_, part, i) && may_be_taken_over(part, part.buffers[i])) return false;
    }
    const auto number = static_cast<std::size_t>(part.kernel);
    std::optional<Kernel> kernel = fitted(plan_.kernels[number], result, division);
    if (!kernel) return false;
    plan_.kernels[number] = std::move(*kernel);
    call.epilogue = part.kernel;
    // What it reads of the result has just been made.
    call.counts += part.counts;
    call.counts.bytes_read -= plan_.buffers[static_cast<std::size_t>(target)].bytes;
    call.buffers.insert(call.buffers.end(), part.buffers.begin(), part.buffers.end());
    return true;
  }

  // Whether one of the part's results may take over an argument's memory.
  bool may_be_taken_over(const LaunchPart& part, BufferId input) const {
    const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(input)];
    if (buffer.kind != PlanBuffer::Kind::input) return false;
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      const PlanBuffer& other = plan_.buffers[static_cast<std::size_t>(part.buffers[i])];
      if (writes(plan_, part, i) && other.kind == PlanBuffer::Kind::output &&
          other.bytes == buffer.bytes) {
        return true;
      }
    }
    return false;
  }

  void note(const Step& step, std::size_t at) {
    history_.note(step, at);
    for_each_access(plan_, step,
                    [&](BufferId id, bool) { call_of_[static_cast<std::size_t>(id)] = kNever; });
    const Launch* const launch = launch_of(step);
    if (launch == nullptr || !launch->device.is_cpu()) return;
    const LaunchPart& part = launch->parts.front();
    if (part.kernel < 0 && part.epilogue < 0 && division_of(*part.code).columns > 0) {
      call_of_[static_cast<std::size_t>(part.buffers.back())] = at;
    }
  }

  Plan& plan_;
  AccessHistory history_;
  std::vector<std::size_t> call_of_;   // [buffer], the call that made it, while nobody has read it
  std::size_t last_barrier_ = kNever;  // the last step that is no launch on the host
};

}  // namespace

void fuse_epilogues(Plan& plan) { Epilogues(plan).run(); }

}  // namespace tutti::codegen
