#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/scan_over.h>
#include <tutti/ir/stablehlo/scatter_parts.h>
#include <tutti/ir/stablehlo/scatter_region.h>

#include <algorithm>
#include <utility>

namespace tutti::ir::stablehlo {

namespace {

using Terms = std::vector<Term>;

// More are a loop's steps, each of which is several launches on a GPU: of many windows there the
// other way is better, wherever a program will run.
constexpr std::int64_t kFewParts = 8;
constexpr std::int64_t kMostParts = 64;
// What a step of that loop costs on the host, in bytes of an operand that the other way goes over.
constexpr std::int64_t kBytesOfStep = 2048;

std::int64_t vectors_of(const Shape& indices, const IndexMap& map) {
  std::int64_t out = 1;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != map.vector) out *= indices[d];
  }
  return out;
}

Term changed(Term x, Term start, Term inside, Term before, Term after) {
  const Term change = select(broadcast_to(inside, before.shape()), after, before);
  return apply(Op::dynamic_update_slice, x, change, start, {});
}

}  // namespace

bool are_parts(const Step& step, const Type& x, const Shape& indices, const IndexMap& map) {
  if (x.shape.rank() == 0) return false;
  const std::int64_t count = vectors_of(indices, map);
  if (count == 1) return true;
  if (!replaces(step)) return false;
  return count <= std::min(kMostParts, x.bytes() / kBytesOfStep);
}

void change_parts(Step& step, const Terms& x, Term indices, const IndexMap& map,
                  const Terms& updates, const List& window_dims) {
  const std::int64_t count = vectors_of(indices.shape(), map);
  List sizes = {count};
  sizes.insert(sizes.end(), map.window.begin(), map.window.end());
  Terms windows;
  for (const Term& each : updates) {
    List order = others(each.shape().rank(), window_dims);
    order.insert(order.end(), window_dims.begin(), window_dims.end());
    if (std::ssize(order) != each.shape().rank() ||
        each.shape().elements() != Shape(sizes).elements()) {
      step.fail("update_window_dims do not fit the updates");
    }
    windows.push_back(reshape(transposed(each, order), Shape(sizes)));
  }
  const auto [starts, inside] = window_starts(step, x[0].shape(), indices, map);
  Terms out = x;
  if (count <= kFewParts) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Term start = reshape(along(starts, 0, i, i + 1), {starts.shape()[1]});
      const Term is_inside = reshape(along(inside, 0, i, i + 1), {});
      Terms before;
      Terms after;
      for (std::size_t k = 0; k < out.size(); ++k) {
        before.push_back(apply(Op::dynamic_slice, out[k], start, {map.window}));
        after.push_back(reshape(along(windows[k], 0, i, i + 1), Shape(map.window)));
      }
      if (!replaces(step)) after = step.combine(before, after);
      for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = changed(out[k], start, is_inside, before[k], after[k]);
      }
    }
  } else {
    Terms rows = {starts, inside};
    rows.insert(rows.end(), windows.begin(), windows.end());
    out = scan_over(step, x, rows, {}, [&](const Terms& carries, const Terms& own, const Terms&) {
      Terms next;
      for (std::size_t k = 0; k < carries.size(); ++k) {
        const Term before = apply(Op::dynamic_slice, carries[k], own[0], {map.window});
        next.push_back(changed(carries[k], own[0], own[1], before, own[k + 2]));
      }
      return next;
    });
  }
  for (const Term& each : out) step.result(each);
}

}  // namespace tutti::ir::stablehlo
