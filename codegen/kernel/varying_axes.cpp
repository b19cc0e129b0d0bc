#include <tutti/codegen/kernel/varying_axes.h>

namespace tutti::codegen {

namespace {

std::uint64_t axes_of_strides(const std::vector<std::int64_t>& strides,
                              const std::vector<std::int64_t>& extents) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < extents.size() && i < strides.size(); ++i) {
    if (strides[i] != 0 && extents[i] > 1) out |= std::uint64_t{1} << i;
  }
  return out;
}

}  // namespace

VaryingAxes axes_of_terms(const std::vector<VaryingAxes>& values, const Instruction& load) {
  VaryingAxes out;
  for (std::size_t i = 0; i < load.terms.size(); ++i) {
    out |= values[static_cast<std::size_t>(load.operands[i])];
  }
  return out;
}

std::vector<VaryingAxes> find_varying_axes(const Kernel& kernel) {
  std::vector<VaryingAxes> out(static_cast<std::size_t>(kernel.value_count));
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      VaryingAxes& axes = out[static_cast<std::size_t>(instruction.result)];
      for (const ValueId operand : instruction.operands) {
        if (operand >= 0) axes |= out[static_cast<std::size_t>(operand)];
      }
      axes.outer |= axes_of_strides(instruction.address.outer, kernel.outer);
      if (segment.loop) axes.inner |= axes_of_strides(instruction.address.inner, kernel.inner);
      for (const Bound& bound : instruction.bounds) {
        (bound.inner ? axes.inner : axes.outer) |= std::uint64_t{1} << bound.axis;
      }
    }
    for (const Reduction& reduction : segment.reductions) {
      out[static_cast<std::size_t>(reduction.result)].outer =
          out[static_cast<std::size_t>(reduction.value)].outer;
    }
  }
  return out;
}

}  // namespace tutti::codegen
