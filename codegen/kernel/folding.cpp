#include <tutti/codegen/kernel/folding.h>

#include <algorithm>

namespace tutti::codegen {

std::optional<Folding> folding_of(const Kernel& kernel, const Segment& segment) {
  const bool adds = std::ranges::any_of(segment.reductions, [](const Reduction& reduction) {
    return reduction.combine == ir::ScalarOp::add && is_floating(reduction.dtype);
  });
  if (!adds || inner_points(kernel) == 0) return std::nullopt;
  std::int64_t behind = 1;  // additions to an accumulator in a round of the axis
  for (std::size_t axis = kernel.inner.size(); axis-- > 0;) {
    const bool has_lanes =
        kernel.vector_axis == VectorAxis::inner && axis + 1 == kernel.inner.size();
    const std::int64_t extent = kernel.inner[axis];
    const std::int64_t rounds = has_lanes ? (extent + kLanes - 1) / kLanes : extent;
    if (rounds > Folding::kMostAdditions / behind) {
      return Folding{.axis = axis, .rounds = Folding::kMostAdditions / behind};
    }
    behind *= rounds;
  }
  return std::nullopt;
}

}  // namespace tutti::codegen
