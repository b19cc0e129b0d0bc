#include <tutti/codegen/kernel/folding.h>

#include <algorithm>

namespace tutti::codegen {

bool adds_floats(const Segment& segment) {
  return std::ranges::any_of(segment.reductions, [](const Reduction& reduction) {
    return reduction.combine == ir::ScalarOp::add && is_floating(reduction.dtype);
  });
}

std::optional<Folding> folding_of(const Kernel& kernel, const Segment& segment) {
  return folding_of(kernel, segment, kernel.vector_axis == VectorAxis::inner ? kLanes : 1);
}

std::optional<Folding> folding_of(const Kernel& kernel, const Segment& segment,
                                  std::int64_t lanes) {
  if (!adds_floats(segment) || inner_points(kernel) == 0) return std::nullopt;
  std::int64_t behind = 1;  // additions to an accumulator in a round of the axis
  for (std::size_t axis = kernel.inner.size(); axis-- > 0;) {
    const std::int64_t extent = kernel.inner[axis];
    const bool is_last = axis + 1 == kernel.inner.size();
    const std::int64_t rounds = is_last ? (extent + lanes - 1) / lanes : extent;
    if (rounds > Folding::kMostAdditions / behind) {
      return Folding{.axis = axis, .rounds = Folding::kMostAdditions / behind};
    }
    behind *= rounds;
  }
  return std::nullopt;
}

}  // namespace tutti::codegen
