#include <tutti/codegen/kernel/short_rows.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

// Calls f(address, whether more than that says what it reads, if anything) for the accesses of
// loops.
template <class F>
void each_loop_access(const Kernel& kernel, F&& f) {
  for (const Segment& segment : kernel.segments) {
    if (!segment.loop) continue;
    for (const Instruction& load : segment.body) {
      if (load.kind != Instruction::Kind::load) continue;
      f(load.address, !load.bounds.empty() || !load.terms.empty());
    }
    for (const Store& store : segment.stores) f(store.address, false);
  }
}

bool has_short_loops(const Kernel& kernel) {
  return kernel.inner.size() == 1 && kernel.inner[0] > 1 && kernel.inner[0] <= kLongestShortRow &&
         kernel.outer.back() >= kLanes;
}

// Of a kernel that has short loops.
bool is_of_rows(const Kernel& kernel, const Affine& address) {
  return address.inner[0] == 1 && address.outer.back() >= kernel.inner[0];
}

bool goes_by_tiles(const Kernel& kernel, const Affine& address) {
  return kernel.vector_axis == VectorAxis::outer && has_short_loops(kernel) &&
         is_of_rows(kernel, address);
}

bool all_reductions_add(const Kernel& kernel) {
  return std::ranges::all_of(kernel.segments, [](const Segment& segment) {
    return std::ranges::all_of(segment.reductions, [](const Reduction& reduction) {
      return reduction.combine == ir::ScalarOp::add;
    });
  });
}

}  // namespace

bool is_of_short_rows(const Kernel& kernel, const Segment& segment, const Instruction& load) {
  return segment.loop && load.kind == Instruction::Kind::load && load.bounds.empty() &&
         load.terms.empty() && goes_by_tiles(kernel, load.address);
}

bool is_of_short_rows(const Kernel& kernel, const Segment& segment, const Store& store) {
  return segment.loop && goes_by_tiles(kernel, store.address);
}

bool has_short_rows(const Kernel& kernel) {
  bool out = false;
  each_loop_access(kernel, [&](const Affine& address, bool is_bounded) {
    out = out || (!is_bounded && goes_by_tiles(kernel, address));
  });
  return out;
}

void turn_short_rows(Kernel& kernel) {
  if (kernel.vector_axis == VectorAxis::outer || !has_short_loops(kernel)) return;
  bool gains = false;
  bool is_bounded = false;
  each_loop_access(kernel, [&](const Affine& address, bool bounds) {
    const bool is_across = address.outer.back() == 1 && address.inner[0] != 1;
    gains = gains || is_across || is_of_rows(kernel, address);
    is_bounded = is_bounded || bounds;
  });
  const bool is_half_a_vector = kernel.inner[0] < kLanes / 2;
  // One whole vector or two are added up as fast as they are turned.
  const bool only_adds = kernel.inner[0] >= kLanes && all_reductions_add(kernel);
  if (gains && !only_adds && (!is_bounded || is_half_a_vector)) {
    kernel.vector_axis = VectorAxis::outer;
  }
}

}  // namespace tutti::codegen
