#include <tutti/codegen/llvm/placement.h>

#include <algorithm>

namespace tutti::codegen::native {

namespace {

Place place_affine(const Kernel& kernel, const Affine& affine, bool in_loop) {
  const bool along_outer = kernel.vector_axis == VectorAxis::outer;
  Place place{.level = along_outer ? -1 : 0, .varies = lane_stride(kernel, affine, in_loop) != 0};
  if (along_outer && place.varies) place.level = 0;
  for (std::size_t axis = 0; in_loop && axis < kernel.inner.size(); ++axis) {
    if (affine.inner[axis] != 0 && kernel.inner[axis] > 1) place.level = static_cast<int>(axis) + 1;
  }
  return place;
}

}  // namespace

std::int64_t lane_stride(const Kernel& kernel, const Affine& affine, bool in_loop) {
  if (kernel.vector_axis == VectorAxis::outer) {
    return kernel.outer.back() > 1 ? affine.outer.back() : 0;
  }
  return in_loop && kernel.inner.back() > 1 ? affine.inner.back() : 0;
}

bool loops_run(const Kernel& kernel) {
  return std::find(kernel.inner.begin(), kernel.inner.end(), 0) == kernel.inner.end();
}

std::vector<Place> place_values(const Kernel& kernel) {
  const bool along_outer = kernel.vector_axis == VectorAxis::outer;
  std::vector<Place> places(static_cast<std::size_t>(kernel.value_count));
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      Place& place = places[static_cast<std::size_t>(instruction.result)];
      place = {.level = along_outer ? -1 : 0, .varies = false};
      switch (instruction.kind) {
        case Instruction::Kind::constant:
          break;
        case Instruction::Kind::load:
        case Instruction::Kind::index:
          place = place_affine(kernel, instruction.address, segment.loop);
          for (const Bound& bound : instruction.bounds) {
            const Place other = place_affine(kernel, index_of(kernel, bound), segment.loop);
            place.level = std::max(place.level, other.level);
            place.varies = place.varies || other.varies;
          }
          break;
        case Instruction::Kind::scalar:
        case Instruction::Kind::round:
          break;
      }
      for (const ValueId operand : instruction.operands) {
        if (operand < 0) continue;
        const Place& other = places[static_cast<std::size_t>(operand)];
        place.level = std::max(place.level, other.level);
        place.varies = place.varies || other.varies;
      }
    }
    for (const Reduction& reduction : segment.reductions) {
      const Place& value = places[static_cast<std::size_t>(reduction.value)];
      places[static_cast<std::size_t>(reduction.result)] = {.level = 0,
                                                            .varies = along_outer && value.varies};
    }
  }
  return places;
}

}  // namespace tutti::codegen::native
