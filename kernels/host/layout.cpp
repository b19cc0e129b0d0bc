#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/move_elements.h>

#include <algorithm>

namespace tutti::kernels {

namespace {

MovePlan plan(const StridedCopy& spec) {
  const StridedView& view = spec.source;
  return {spec.element_size, view.shape, view.strides, view.offset, view.shape.strides(), 0};
}

Shape result_shape(const Concat& spec) {
  if (spec.sources.empty()) throw InternalError("concat of no operands");
  const Shape& first = spec.sources.front().shape;
  if (spec.axis < 0 || spec.axis >= first.rank()) throw InternalError("concat has no such axis");
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  std::copy(first.begin(), first.end(), sizes.begin());
  auto& along = sizes[static_cast<std::size_t>(spec.axis)];
  along = 0;
  for (const StridedView& source : spec.sources) {
    for (int d = 0; d < first.rank(); ++d) {
      if (source.shape.rank() != first.rank() || (d != spec.axis && source.shape[d] != first[d])) {
        throw InternalError("concat of " + first.text() + " and " + source.shape.text());
      }
    }
    along += source.shape[spec.axis];
  }
  return Shape(std::span(sizes.data(), static_cast<std::size_t>(first.rank())));
}

// Calls f(number, plan) for each operand of a concat: its elements' way into the result.
template <class F>
void for_each_source(const Concat& spec, F&& f) {
  const auto strides = result_shape(spec).strides();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < spec.sources.size(); ++i) {
    const StridedView& view = spec.sources[i];
    f(i, MovePlan(spec.element_size, view.shape, view.strides, view.offset, strides, offset));
    offset += view.shape[spec.axis] * strides[static_cast<std::size_t>(spec.axis)];
  }
}

}  // namespace

StridedView dense_view(const Shape& shape) { return {shape, shape.strides(), 0}; }

std::int64_t tiles(const StridedCopy& spec) { return plan(spec).tiles(); }

void run(const StridedCopy& spec, const void* source, void* result, std::int64_t begin,
         std::int64_t end) {
  plan(spec).run(source, result, begin, end);
}

std::int64_t tiles(const Concat& spec) {
  std::int64_t total = 0;
  for_each_source(spec, [&](std::size_t, const MovePlan& plan) { total += plan.tiles(); });
  return total;
}

void run(const Concat& spec, std::span<const void* const> sources, void* result, std::int64_t begin,
         std::int64_t end) {
  std::int64_t first = 0;  // the operand's first tile
  for_each_source(spec, [&](std::size_t i, const MovePlan& plan) {
    const std::int64_t count = plan.tiles();
    const std::int64_t from = std::clamp<std::int64_t>(begin - first, 0, count);
    const std::int64_t to = std::clamp<std::int64_t>(end - first, 0, count);
    plan.run(sources[i], result, from, to);
    first += count;
  });
}

}  // namespace tutti::kernels
