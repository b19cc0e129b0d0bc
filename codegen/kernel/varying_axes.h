#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::codegen {

// Axes along which something is not always the same: bit i is axis i. Those of one point are left
// out.
struct VaryingAxes {
  std::uint64_t outer = 0;
  std::uint64_t inner = 0;

  bool has(bool of_inner, std::size_t axis) const {
    return ((of_inner ? inner : outer) >> axis & 1U) != 0;
  }
  VaryingAxes& operator|=(const VaryingAxes& other) {
    outer |= other.outer;
    inner |= other.inner;
    return *this;
  }
};

// Of each value, by its id.
std::vector<VaryingAxes> find_varying_axes(const Kernel& kernel);

// Those along which the terms of a load vary; its address may vary along others.
VaryingAxes axes_of_terms(const std::vector<VaryingAxes>& values, const Instruction& load);

}  // namespace tutti::codegen
