#include <tutti/ir/stablehlo/place_numbers.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

// From [batch..., kept window...] to the result, which has the window's dimensions at `offsets`.
Term with_offsets(Step& step, Term x, const List& offsets) {
  const int rank = x.shape().rank();
  const auto count = std::ssize(offsets);
  if (count > rank || rank != step.shape().rank()) step.fail("offset_dims do not fit the result");
  List order;
  std::int64_t batch = 0;
  for (int d = 0; d < rank; ++d) {
    const auto at = std::ranges::find(offsets, d);
    order.push_back(at == offsets.end() ? batch++ : rank - count + (at - offsets.begin()));
  }
  List sorted = order;
  std::ranges::sort(sorted);
  for (int d = 0; d < rank; ++d) {
    if (sorted[static_cast<std::size_t>(d)] != d) step.fail("offset_dims do not fit the result");
  }
  return transposed(x, order);
}

// Rows of one axis: what x[indices] is.
bool as_take(Step& step, Term x, Term indices, const IndexMap& map, const List& collapsed,
             const List& offsets) {
  if (map.index_of.size() != 1 || collapsed != map.index_of || !map.operand_batch.empty() ||
      x.shape().elements() == 0) {
    return false;
  }
  const std::int64_t axis = map.index_of[0];
  for (int d = 0; d < x.shape().rank(); ++d) {
    const std::int64_t size = map.window[static_cast<std::size_t>(d)];
    if (size != (d == axis ? 1 : x.shape()[d])) return false;
  }
  List batch;
  for (int d = 0; d < indices.shape().rank(); ++d) {
    if (d != map.vector) batch.push_back(indices.shape()[d]);
  }
  const Term taken = apply(Op::take, x, component_of(indices, map, 0), {axis});
  // [before..., batch..., behind...] to [batch..., before..., behind...]
  List order;
  const auto count = std::ssize(batch);
  for (std::int64_t d = 0; d < count; ++d) order.push_back(axis + d);
  for (std::int64_t d = 0; d < taken.shape().rank(); ++d) {
    if (d < axis || d >= axis + count) order.push_back(d);
  }
  step.result(with_offsets(step, transposed(taken, order), offsets));
  return true;
}

void gather(Step& step) {
  const Term x = step.operand(0);
  const Term indices = step.operand(1);
  const Attribute& all = step.get("dimension_numbers");
  const List offsets = step.integers_in(all, "offset_dims");
  const List collapsed = step.integers_in(all, "collapsed_slice_dims");
  const Attribute* const vector = all.find("index_vector_dim");
  IndexMap map = {.window = step.integers("slice_sizes"),
                  .index_of = step.integers_in(all, "start_index_map"),
                  .operand_batch = step.integers_in(all, "operand_batching_dims"),
                  .indices_batch = step.integers_in(all, "start_indices_batching_dims"),
                  .vector = vector == nullptr ? 0 : vector->integer};
  check_places(step, x.shape(), indices.shape(), map);
  if (step.shape().elements() == 0) {
    step.result(broadcast_to(x.constant(0), step.shape()));
    return;
  }
  map = without_whole(x.shape(), std::move(map));
  if (as_take(step, x, indices, map, collapsed, offsets)) return;
  const RowNumbers numbers = row_numbers(step, x.shape(), indices, map, false);
  const int first = first_of_row(x.shape(), map);
  Term out = apply(Op::take, as_rows(x, first), numbers.rows, {std::int64_t{0}});
  // Without the window's dimensions that the result does not have.
  List sizes = numbers.batch;
  for (int d = 0; d < x.shape().rank(); ++d) {
    if (contains(collapsed, d) || contains(map.operand_batch, d)) continue;
    sizes.push_back(map.window[static_cast<std::size_t>(d)]);
  }
  step.result(with_offsets(step, reshape(out, Shape(sizes)), offsets));
}

constexpr Rule kIndexRules[] = {
    {"stablehlo.gather", gather},
};

}  // namespace

std::span<const Rule> index_rules() { return kIndexRules; }

}  // namespace tutti::ir::stablehlo
