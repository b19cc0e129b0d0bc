#include <tutti/codegen/llvm/axis_sections.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <ranges>
#include <set>

namespace tutti::codegen::native {

namespace {

constexpr std::size_t kMostSections = 8;
constexpr std::size_t kMostInstructions = 256;  // of all sections

using Makers = std::vector<const Instruction*>;  // by value; null of reductions' results

// How far an index is from that along the axis, if that alone decides about it.
std::optional<std::int64_t> offset_of(const Kernel& kernel, const Makers& made_by, ValueId id) {
  const Instruction* made = made_by[value_index(id)];
  // The index as an i32, which it fits into.
  const bool is_narrowed = made != nullptr && made->kind == Instruction::Kind::scalar &&
                           made->op == ir::ScalarOp::cast && made->dtype == DType::i64 &&
                           made->to == DType::i32;
  if (is_narrowed) made = made_by[value_index(made->operands[0])];
  if (made == nullptr || made->kind != Instruction::Kind::index) return std::nullopt;
  const Affine& address = made->address;
  const bool along =
      address.outer.back() == 1 &&
      std::all_of(address.outer.begin(), address.outer.end() - 1,
                  [](std::int64_t stride) { return stride == 0; }) &&
      std::ranges::all_of(address.inner, [](std::int64_t stride) { return stride == 0; });
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const bool fits = std::abs(address.offset) < kMost / 2 && kernel.outer.back() < kMost / 2;
  return along && fits ? std::optional(address.offset) : std::nullopt;
}

std::optional<AxisComparison> comparison_of(const Kernel& kernel, const Makers& made_by,
                                            const Instruction& instruction) {
  using ir::ScalarOp;
  const ScalarOp op = instruction.op;
  const bool compares =
      instruction.kind == Instruction::Kind::scalar &&
      (op == ScalarOp::lt || op == ScalarOp::le || op == ScalarOp::gt || op == ScalarOp::ge) &&
      (instruction.dtype == DType::i32 || instruction.dtype == DType::i64);
  if (!compares) return std::nullopt;
  const std::optional<std::int64_t> offset = offset_of(kernel, made_by, instruction.operands[0]);
  const Instruction* const number = made_by[value_index(instruction.operands[1])];
  if (!offset || number == nullptr || number->kind != Instruction::Kind::constant) {
    return std::nullopt;
  }
  const std::int64_t value = number->constant.integer;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (value > kMost || value < -kMost) return std::nullopt;
  // i <= n is i < n + 1, and the others are opposites.
  const bool next = op == ScalarOp::le || op == ScalarOp::gt;
  return AxisComparison{.limit = value - *offset + (next ? 1 : 0),
                        .below = op == ScalarOp::lt || op == ScalarOp::le};
}

}  // namespace

AxisSections::AxisSections(const Kernel& kernel)
    : kernel_(kernel), comparisons_(static_cast<std::size_t>(kernel.value_count)) {
  if (kernel.vector_axis != VectorAxis::outer) return;
  find_comparisons();
  find_sections();
}

bool AxisSections::is_of_axis(const Bound& bound) const {
  return !bound.inner && bound.axis + 1 == std::ssize(kernel_.outer);
}

void AxisSections::find_comparisons() {
  Makers made_by(comparisons_.size(), nullptr);
  for (const Segment& segment : kernel_.segments) {
    for (const Instruction& instruction : segment.body) {
      made_by[value_index(instruction.result)] = &instruction;
      comparisons_[value_index(instruction.result)] = comparison_of(kernel_, made_by, instruction);
    }
  }
}

void AxisSections::find_sections() {
  const std::int64_t extent = kernel_.outer.back();
  sections_ = {{0, extent}};
  std::set<std::int64_t> ends;  // of what conditions say
  std::size_t instructions = 0;
  const auto add = [&](std::int64_t end) {
    if (end > 0 && end < extent) ends.insert(end);
  };
  for (const Segment& segment : kernel_.segments) {
    instructions += segment.body.size();
    for (const Instruction& instruction : segment.body) {
      if (const auto& comparison = comparisons_[value_index(instruction.result)])
        add(comparison->limit);
      for (const Bound& bound : instruction.bounds) {
        if (!is_of_axis(bound)) continue;
        add(bound.begin);
        add(bound.end);
      }
    }
  }
  // A vector in which something ends is a section of its own.
  std::set<std::int64_t> begins = {0};
  std::int64_t undecided = 0;
  for (const std::int64_t end : ends) {
    const std::int64_t vector = end / kLanes * kLanes;
    begins.insert(vector);
    if (vector == end) continue;
    if (vector + kLanes < extent) begins.insert(vector + kLanes);
    undecided += kLanes;
  }
  const bool is_worth_it = !ends.empty() && 2 * undecided <= extent &&
                           begins.size() <= kMostSections &&
                           begins.size() * instructions <= kMostInstructions;
  if (!is_worth_it) return;
  sections_.clear();
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto next = std::next(begin);
    sections_.push_back({*begin, next == begins.end() ? extent : *next});
  }
}

void AxisSections::enter(const AxisRange& range) {
  range_ = range;
  find_needed();
}

void AxisSections::leave() {
  range_.reset();
  needed_.clear();
}

std::optional<bool> AxisSections::holds(const Bound& bound) const {
  if (!range_ || !is_of_axis(bound)) return std::nullopt;
  if (bound.begin <= range_->begin && range_->end <= bound.end) return true;
  if (range_->end <= bound.begin || bound.end <= range_->begin) return false;
  return std::nullopt;
}

std::optional<bool> AxisSections::holds(ValueId id) const {
  const std::optional<AxisComparison>& comparison = comparisons_[value_index(id)];
  if (!range_ || !comparison) return std::nullopt;
  if (range_->end <= comparison->limit) return comparison->below;
  if (comparison->limit <= range_->begin) return !comparison->below;
  return std::nullopt;
}

void AxisSections::need_operands(const Instruction& instruction) {
  using Kind = Instruction::Kind;
  if (instruction.kind == Kind::constant || instruction.kind == Kind::index) return;
  if (holds(instruction.result)) return;
  if (instruction.kind == Kind::scalar && instruction.op == ir::ScalarOp::select) {
    if (const std::optional<bool> first = holds(instruction.operands[0])) {
      return need(instruction.operands[*first ? 1 : 2]);
    }
  }
  for (const ValueId operand : instruction.operands) need(operand);
}

void AxisSections::find_needed() {
  needed_.assign(static_cast<std::size_t>(kernel_.value_count), false);
  for (const Segment& segment : std::views::reverse(kernel_.segments)) {
    for (const Store& store : segment.stores) need(store.value);
    for (const Reduction& reduction : segment.reductions) need(reduction.value);
    for (const Instruction& each : std::views::reverse(segment.body)) {
      if (needed_[value_index(each.result)]) need_operands(each);
    }
  }
}

}  // namespace tutti::codegen::native
