#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/place_numbers.h>
#include <tutti/ir/stablehlo/scatter_parts.h>
#include <tutti/ir/stablehlo/scatter_region.h>

#include <algorithm>
#include <utility>

// Scatter: updates are put into rows of the operand (place_numbers.h). Sums are the IR's
// scatter_add. Any other combination takes the updates in the order of their rows, combines those
// of one row, and leaves what is combined with the last of them; rows then take theirs by number.
namespace tutti::ir::stablehlo {

namespace {

// The updates as [updates, row...]: [batch..., window...] in the operand's order of dimensions,
// where dimensions before the rows are numbered with the batch.
Term updates_by_row(Step& step, Term updates, const RowNumbers& numbers, const List& window_dims,
                    int first, const Shape& operand) {
  const int rank = updates.shape().rank();
  if (std::ssize(window_dims) + std::ssize(numbers.batch) != rank) {
    step.fail("update_window_dims do not fit the updates");
  }
  List order = others(rank, window_dims);
  order.insert(order.end(), window_dims.begin(), window_dims.end());
  if (std::ssize(order) != rank) step.fail("update_window_dims do not fit the updates");
  for (std::size_t d = 0; d < numbers.batch.size(); ++d) {
    if (updates.shape()[static_cast<int>(order[d])] == numbers.batch[d]) continue;
    step.fail("the updates do not fit the indices");
  }
  const std::int64_t count = numbers.rows.shape().elements();
  List sizes = {count};
  for (int d = first; d < operand.rank(); ++d) sizes.push_back(operand[d]);
  return reshape(transposed(updates, order), Shape(sizes));
}

// [n] as [n, 1, ...], of x's rank.
Term beside(Term flags, Term x) {
  List sizes = repeated(x.shape().rank(), 1);
  sizes[0] = flags.shape()[0];
  return reshape(flags, Shape(sizes));
}

using Terms = std::vector<Term>;

// The updates and rows in the order of the rows. Of equal ones the earlier comes first.
struct Sorted {
  Term rows;
  Terms updates;
};

Sorted in_order(Step& step, Term rows, const Terms& updates) {
  Builder& builder = step.builder();
  const NodeId sorted = builder.node(Op::sort, {rows.value()}, {std::int64_t{0}});
  const Term order(&builder, builder.graph().result(sorted, 1));
  Sorted out{.rows = Term(&builder, builder.graph().result(sorted, 0)), .updates = {}};
  for (const Term& each : updates) {
    out.updates.push_back(apply(Op::take, each, order, {std::int64_t{0}}));
  }
  return out;
}

// Combines each update with those of the same row before it, in log2(updates) steps: after that of
// distance d with the last 2 * d of them.
Terms combine_runs(Step& step, Term rows, Terms updates) {
  const std::int64_t count = rows.shape()[0];
  for (std::int64_t distance = 1; distance < count; distance *= 2) {
    Terms earlier;
    Terms here;
    for (const Term& each : updates) {
      earlier.push_back(along(each, 0, 0, count - distance));
      here.push_back(along(each, 0, distance, count));
    }
    const Term same = along(rows, 0, 0, count - distance) == along(rows, 0, distance, count);
    const Terms both = step.combine(earlier, here);
    for (std::size_t i = 0; i < updates.size(); ++i) {
      const Term next = select(beside(same, here[i]), both[i], here[i]);
      updates[i] = concatenated({along(updates[i], 0, 0, distance), next}, 0);
    }
  }
  return updates;
}

Terms put(Step& step, const Terms& x, Term rows, Terms updates, bool unique) {
  const bool replace = replaces(step);
  const std::int64_t count = rows.shape()[0];
  unique = unique || count == 1;
  if (!unique && !uses_update(step)) {
    step.fail(
        "with a region that does not use the update is supported where unique_indices is "
        "true: equal indices would apply it several times");
  }
  if (!unique && !replace && !any_order_will_do(step)) {
    step.fail(
        "with this region is supported where unique_indices is true: of equal indices the "
        "updates would have to be applied one after another");
  }
  Term last = rows;  // the row of a row's last update; -1 of others
  if (!unique) {
    Sorted sorted = in_order(step, rows, updates);
    rows = sorted.rows;
    updates =
        replace ? std::move(sorted.updates) : combine_runs(step, rows, std::move(sorted.updates));
    const Term ends = along(rows, 0, 0, count - 1) != along(rows, 0, 1, count);
    const Term always = reshape(step.scalar(DType::boolean, 1), {1});
    last = select(concatenated({ends, always}, 0), rows, -1);
  }
  // For each row the number of its update, from 1 on; 0: it has none.
  const DType dtype = count < INT32_MAX ? DType::i32 : DType::i64;
  const Term none = broadcast_to(step.scalar(dtype, 0), {x[0].shape()[0]});
  const Term ordinals = step.iota(dtype, {count}, 0) + 1;
  const Term number = apply(Op::scatter_add, none, last, ordinals, {std::int64_t{0}});
  for (Term& each : updates) each = apply(Op::take, each, number - 1, {std::int64_t{0}});
  if (!replace) updates = step.combine(x, updates);
  for (std::size_t i = 0; i < x.size(); ++i) {
    updates[i] = select(beside(number > 0, x[i]), updates[i], x[i]);
  }
  return updates;
}

void scatter(Step& step) {
  const int count = step.count() / 2;
  if (count < 1 || step.count() != 2 * count + 1 || step.operation.regions.size() != 1 ||
      std::ssize(step.operation.regions[0].arguments) != 2 * count) {
    step.fail("expected operands, indices, as many updates and a region of two arguments for each");
  }
  const Term x = step.operand(0);
  const Attribute& all = step.get("scatter_dimension_numbers");
  const List window_dims = step.integers_in(all, "update_window_dims");
  const List inserted = step.integers_in(all, "inserted_window_dims");
  const List batch = step.integers_in(all, "input_batching_dims");
  const Term updates = step.operand(count + 1);
  for (int i = 1; i < count; ++i) {
    if (step.operand(i).shape() != x.shape() ||
        step.operand(count + 1 + i).shape() != updates.shape()) {
      step.fail("the operands must have one shape, and the updates too");
    }
  }
  if (x.shape().elements() == 0 || updates.shape().elements() == 0) {
    for (int i = 0; i < count; ++i) step.result(step.operand(i));
    return;
  }
  const Attribute* const vector = all.find("index_vector_dim");
  IndexMap map = {.window = {},
                  .index_of = step.integers_in(all, "scatter_dims_to_operand_dims"),
                  .operand_batch = batch,
                  .indices_batch = step.integers_in(all, "scatter_indices_batching_dims"),
                  .vector = vector == nullptr ? 0 : vector->integer};
  std::size_t next = 0;
  for (int d = 0; d < x.shape().rank(); ++d) {
    const bool single = contains(inserted, d) || contains(batch, d);
    if (!single && (next >= window_dims.size() || window_dims[next] < 0 ||
                    window_dims[next] >= updates.shape().rank())) {
      step.fail("update_window_dims do not fit the operand");
    }
    map.window.push_back(single ? 1 : updates.shape()[static_cast<int>(window_dims[next++])]);
  }
  const Term indices = step.operand(count);
  check_places(step, x.shape(), indices.shape(), map);
  map = without_whole(x.shape(), std::move(map));
  if (are_parts(step, x.type(), indices.shape(), map)) {
    Terms all_x;
    Terms all_updates;
    for (int i = 0; i < count; ++i) {
      all_x.push_back(step.operand(i));
      all_updates.push_back(step.operand(count + 1 + i));
    }
    return change_parts(step, all_x, indices, map, all_updates, window_dims);
  }
  const RowNumbers numbers = row_numbers(step, x.shape(), indices, map, true);
  const int first = first_of_row(x.shape(), map);
  const Shape flat = {numbers.rows.shape().elements()};
  const Term rows = reshape(select(numbers.inside, numbers.rows, -1), flat);
  Terms tables;
  Terms by_row;
  for (int i = 0; i < count; ++i) {
    tables.push_back(as_rows(step.operand(i), first));
    by_row.push_back(
        updates_by_row(step, step.operand(count + 1 + i), numbers, window_dims, first, x.shape()));
  }
  const std::optional<Monoid> monoid = count == 1 ? monoid_of(step, 0, x.dtype()) : std::nullopt;
  const bool subtracts = subtracts_update(step) && x.dtype() != DType::boolean;
  if (subtracts || (monoid && monoid->reduction == Op::sum)) {
    const Term summands = subtracts ? -by_row[0] : by_row[0];
    tables[0] = apply(Op::scatter_add, tables[0], rows, summands, {std::int64_t{0}});
  } else {
    tables = put(step, tables, rows, std::move(by_row), step.flag("unique_indices"));
  }
  for (const Term& table : tables) step.result(reshape(table, x.shape()));
}

constexpr Rule kScatterRules[] = {
    {"stablehlo.scatter", scatter},
};

}  // namespace

std::span<const Rule> scatter_rules() { return kScatterRules; }

}  // namespace tutti::ir::stablehlo
