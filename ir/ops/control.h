#pragma once

#include <tutti/ir/function.h>
#include <tutti/ir/ops/family.h>

// What the rules of loops and branches share. Their types, gradients and reference meanings have a
// file each.
namespace tutti::ir::family::control {

#define TUTTI_STRUCTURED(id, ...) \
  void infer_##id(Inference&);    \
  void interpret_##id(Interpretation&);
#include <tutti/ir/table/control.def>
#undef TUTTI_STRUCTURED

void gradient_scan(Gradient&);
inline constexpr void (*gradient_while_loop)(Gradient&) = nullptr;
void gradient_conditional(Gradient&);

// The shape of one step of a sequence, and the reverse.
Shape without_first_axis(const Shape& shape);
Shape with_first_axis(std::int64_t size, const Shape& shape);

}  // namespace tutti::ir::family::control
