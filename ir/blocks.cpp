#include <tutti/ir/arithmetic.h>
#include <tutti/ir/blocks.h>

#include <algorithm>
#include <utility>

namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

}  // namespace

std::optional<Blocks> Blocks::of(const Shape& shape, List steps) {
  const auto cut = std::ranges::count_if(steps, [](std::int64_t step) { return step > 1; });
  if (cut == 0 || shape.rank() + cut > Shape::kMaxRank) return std::nullopt;
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < steps.size(); ++d) {
    const std::int64_t size = shape[static_cast<int>(d)];
    if (steps[d] > 1 && steps[d] > size) return std::nullopt;  // a block of mostly nothing
    if (size == 0 || size > Shape::kMostElements - steps[d]) return std::nullopt;
    const std::int64_t whole = divide_up(size, steps[d]) * steps[d];
    if (whole > Shape::kMostElements / elements) return std::nullopt;
    elements *= whole;
  }
  return Blocks(shape, std::move(steps));
}

Shape Blocks::blocked_shape() const {
  List out;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    out.push_back(divide_up(shape_[static_cast<int>(d)], steps_[d]));
    if (steps_[d] > 1) out.push_back(steps_[d]);
  }
  return Shape(out);
}

Term Blocks::spread(Term x, Term fill, const List& first) const {
  List sizes, low, high;
  const auto add = [&](std::int64_t size, std::int64_t before, std::int64_t all) {
    sizes.push_back(size);
    low.push_back(before);
    high.push_back(all - size - before);
  };
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    const std::int64_t step = steps_[d];
    add(x.shape()[static_cast<int>(d)], first[d] / step,
        divide_up(shape_[static_cast<int>(d)], step));
    if (step > 1) add(1, first[d] % step, step);
  }
  return ir::apply(Op::pad, reshape(x, Shape(sizes)), fill, {low, high, List(sizes.size(), 0)});
}

Term Blocks::everywhere(Term each) const {
  List sizes;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    sizes.push_back(each.shape()[static_cast<int>(d)]);
    if (steps_[d] > 1) sizes.push_back(1);
  }
  return broadcast_to(reshape(each, Shape(sizes)), blocked_shape());
}

Term Blocks::column(Term a, std::size_t dimension) const {
  std::int64_t axis = 0;
  for (std::size_t d = 0; d < dimension; ++d) axis += steps_[d] > 1 ? 2 : 1;
  return iota_like(a, blocked_shape(), axis + 1, DType::i32);
}

Term Blocks::joined(Term blocks) const {
  List whole;
  for (std::size_t d = 0; d < steps_.size(); ++d) {
    whole.push_back(divide_up(shape_[static_cast<int>(d)], steps_[d]) * steps_[d]);
  }
  const Term out = reshape(blocks, Shape(whole));
  if (out.shape() == shape_) return out;
  return out.apply(Op::slice, {List(whole.size(), 0), List(shape_.begin(), shape_.end()),
                               List(whole.size(), 1)});
}

}  // namespace tutti::ir
