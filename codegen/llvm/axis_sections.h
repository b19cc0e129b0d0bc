#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::codegen::native {

// A part of an axis: [begin, end).
struct AxisRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline std::size_t value_index(ValueId id) { return static_cast<std::size_t>(id); }

// index < limit, or the opposite, along the axis.
struct AxisComparison {
  std::int64_t limit = 0;
  bool below = true;
};

// What conditions on the index along the vectorised outer axis are in a part of it. Kernels that
// read pads and concats have them: bounds of loads, and comparisons of the index with numbers that
// choose between parts. In a section all of a condition is known, so that it costs nothing, nor
// does what was not chosen. For one kernel; VectorAxis::outer alone has sections.
class AxisSections {
 public:
  explicit AxisSections(const Kernel& kernel);

  // They cover the axis, in order, and begin at multiples of kLanes. One alone if it is not worth
  // more code.
  const std::vector<AxisRange>& all() const { return sections_; }

  // From now on code is for one of them, or for all of the axis.
  void enter(const AxisRange& range);
  void leave();

  // What a condition is there; nothing if that differs or is not known.
  std::optional<bool> holds(const Bound& bound) const;
  std::optional<bool> holds(ValueId comparison) const;
  // Whether a value is computed there.
  bool is_needed(ValueId id) const { return needed_.empty() || needed_[value_index(id)]; }

 private:
  bool is_of_axis(const Bound& bound) const;
  void find_comparisons();
  void find_sections();
  void find_needed();
  void need(ValueId id) {
    if (id >= 0) needed_[value_index(id)] = true;
  }
  void need_operands(const Instruction& instruction);

  const Kernel& kernel_;
  std::vector<std::optional<AxisComparison>> comparisons_;  // by value
  std::vector<AxisRange> sections_;
  std::optional<AxisRange> range_;
  std::vector<bool> needed_;  // by value; empty: all
};

}  // namespace tutti::codegen::native
