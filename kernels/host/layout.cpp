#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/layout.h>

#include <algorithm>

namespace tutti::kernels {

namespace {

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

}  // namespace

StridedView dense_view(const Shape& shape) { return {shape, shape.strides(), 0}; }

Moves::Moves(const StridedCopy& spec) {
  const StridedView& view = spec.source;
  plans_.emplace_back(spec.element_size, view.shape, view.strides, view.offset,
                      view.shape.strides(), 0);
  first_tiles_ = {0};
  tiles_ = plans_[0].tiles();
}

Moves::Moves(const Concat& spec) {
  const auto strides = result_shape(spec).strides();
  std::int64_t offset = 0;
  for (const StridedView& view : spec.sources) {
    plans_.emplace_back(spec.element_size, view.shape, view.strides, view.offset, strides, offset);
    first_tiles_.push_back(tiles_);
    tiles_ += plans_.back().tiles();
    offset += view.shape[spec.axis] * strides[static_cast<std::size_t>(spec.axis)];
  }
}

std::int64_t tiles(const Moves& moves) { return moves.tiles_; }

void run(const Moves& moves, const void* const* sources, void* result, std::int64_t begin,
         std::int64_t end) {
  // From the last source that begins at the first tile, or before, on.
  const auto behind = std::ranges::upper_bound(moves.first_tiles_, begin);
  for (auto i = static_cast<std::size_t>(behind - moves.first_tiles_.begin()) - 1;
       i < moves.plans_.size() && moves.first_tiles_[i] < end; ++i) {
    const std::int64_t first = moves.first_tiles_[i];
    const std::int64_t next =
        i + 1 < moves.plans_.size() ? moves.first_tiles_[i + 1] : moves.tiles_;
    moves.plans_[i].run(sources[i], result, std::max(begin - first, std::int64_t{0}),
                        std::min(end, next) - first);
  }
}

}  // namespace tutti::kernels
