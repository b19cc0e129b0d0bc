#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/place_numbers.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::ir::stablehlo {

namespace {

// Integers in which indices can be compared and added: at least 32 bits, signed. Those beyond the
// range of i64 become its greatest.
Term wide_indices(Term indices) {
  switch (indices.dtype()) {
    case DType::i32:
    case DType::i64:
      return indices;
    case DType::u64:
      return cast(minimum(indices, 9.0e18), DType::i64);
    case DType::u32:
      return cast(indices, DType::i64);
    default:
      return cast(indices, DType::i32);
  }
}

// Component i of the index vectors, of shape [batch...].
Term component(Term indices, std::int64_t vector, std::int64_t i) {
  const int rank = indices.shape().rank();
  if (vector == rank) return indices;
  const int axis = static_cast<int>(vector);
  List sizes = sizes_of(indices.shape());
  sizes.erase(sizes.begin() + axis);
  return reshape(along(indices, axis, i, i + 1), Shape(sizes));
}

// Whether a component that is for a whole dimension lies inside, of all of them, as that shape.
Term whole_inside(Step& step, Term indices, const IndexMap& map, const Shape& shape) {
  Term inside = step.scalar(DType::boolean, 1);
  for (const std::int64_t each : map.of_whole) {
    inside = both(reshape(wide_indices(component(indices, map.vector, each)) == 0, shape), inside);
  }
  return inside;
}

}  // namespace

IndexMap without_whole(const Shape& operand, IndexMap map) {
  List kept;
  for (std::size_t i = 0; i < map.index_of.size(); ++i) {
    const std::int64_t d = map.index_of[i];
    const bool whole = map.window[static_cast<std::size_t>(d)] == operand[static_cast<int>(d)];
    (whole ? map.of_whole : map.component).push_back(static_cast<std::int64_t>(i));
    if (!whole) kept.push_back(d);
  }
  map.index_of = std::move(kept);
  return map;
}

Term component_of(Term indices, const IndexMap& map, std::size_t i) {
  return component(indices, map.vector,
                   map.component.empty() ? static_cast<std::int64_t>(i) : map.component[i]);
}

void check_places(Step& step, const Shape& operand, const Shape& indices, const IndexMap& map) {
  const auto in_rank = [](const List& list, int rank) {
    return std::ranges::all_of(list, [&](std::int64_t d) { return d >= 0 && d < rank; });
  };
  if (map.vector < 0 || map.vector > indices.rank() || std::ssize(map.window) != operand.rank() ||
      !in_rank(map.index_of, operand.rank()) || !in_rank(map.operand_batch, operand.rank()) ||
      !in_rank(map.indices_batch, indices.rank()) ||
      map.operand_batch.size() != map.indices_batch.size()) {
    step.fail("the dimension numbers do not fit the operands");
  }
  for (const std::int64_t d : map.index_of) {
    if (std::ranges::count(map.index_of, d) > 1) {
      step.fail("index vectors have two components for dimension " + std::to_string(d));
    }
  }
  if (contains(map.indices_batch, map.vector)) {
    step.fail("the index vectors' dimension is no batch dimension");
  }
  for (std::size_t i = 0; i < map.operand_batch.size(); ++i) {
    const int own = static_cast<int>(map.operand_batch[i]);
    const int other = static_cast<int>(map.indices_batch[i]);
    if (operand[own] != indices[other]) step.fail("batch dimensions of different sizes");
  }
  const std::int64_t components =
      map.vector == indices.rank() ? 1 : indices[static_cast<int>(map.vector)];
  if (std::ssize(map.index_of) != components) {
    step.fail("index vectors of " + std::to_string(components) + " components for " +
              std::to_string(map.index_of.size()) + " dimensions");
  }
  for (int d = 0; d < operand.rank(); ++d) {
    const std::int64_t size = map.window[static_cast<std::size_t>(d)];
    if (size < 0 || size > operand[d]) step.fail("a window that is larger than the operand");
  }
}

int first_of_row(const Shape& operand, const IndexMap& map) {
  int first = operand.rank();
  while (first > 0) {
    const int d = first - 1;
    const bool whole = map.window[static_cast<std::size_t>(d)] == operand[d] &&
                       !contains(map.index_of, d) && !contains(map.operand_batch, d);
    if (!whole) break;
    first = d;
  }
  return first;
}

Term as_rows(Term operand, int first) {
  const Shape& shape = operand.shape();
  List sizes = {elements_of(shape, 0, first)};
  for (int d = first; d < shape.rank(); ++d) sizes.push_back(shape[d]);
  return reshape(operand, Shape(sizes));
}

RowNumbers row_numbers(Step& step, const Shape& operand, Term indices, const IndexMap& map,
                       bool tell_outside) {
  const int first = first_of_row(operand, map);
  RowNumbers out;
  for (int d = 0; d < indices.shape().rank(); ++d) {
    if (d != map.vector) out.batch.push_back(indices.shape()[d]);
  }
  const std::int64_t rows = elements_of(operand, 0, first);
  const bool large = rows > INT32_MAX;
  const DType dtype = large ? DType::i64 : DType::i32;
  List window_sizes(out.batch);
  List batch_only(out.batch);
  for (int d = 0; d < first; ++d) {
    if (map.window[static_cast<std::size_t>(d)] == 1) continue;
    window_sizes.push_back(map.window[static_cast<std::size_t>(d)]);
    batch_only.push_back(1);
  }
  const Shape batch_shape(batch_only);
  const int rank = batch_shape.rank();
  int next = static_cast<int>(out.batch.size());  // where the next dimension of a window is

  Term number = step.scalar(dtype, 0);
  Term inside = step.scalar(DType::boolean, 1);
  if (tell_outside) inside = whole_inside(step, indices, map, batch_shape);
  std::int64_t stride = rows;
  for (int d = 0; d < first; ++d) {
    const std::int64_t window = map.window[static_cast<std::size_t>(d)];
    const int axis_of_window = window == 1 ? -1 : next++;
    if (operand[d] == 0) continue;  // there are no rows
    stride /= operand[d];
    const auto most = static_cast<double>(operand[d] - window);
    Term start;
    if (const auto at = std::ranges::find(map.index_of, d); at != map.index_of.end()) {
      start = wide_indices(
          component_of(indices, map, static_cast<std::size_t>(at - map.index_of.begin())));
      if (tell_outside)
        inside = both(reshape(both(start >= 0, start <= most), batch_shape), inside);
      start = reshape(cast(minimum(maximum(start, 0), most), dtype), batch_shape);
    } else if (const auto of = std::ranges::find(map.operand_batch, d);
               of != map.operand_batch.end()) {
      const std::int64_t from =
          map.indices_batch[static_cast<std::size_t>(of - map.operand_batch.begin())];
      const auto axis = static_cast<int>(from > map.vector ? from - 1 : from);
      start = places(step.builder(), dtype, rank, axis, out.batch[static_cast<std::size_t>(axis)]);
    }
    Term place = start;
    if (window > 1) {
      const Term within = places(step.builder(), dtype, rank, axis_of_window, window);
      place = start.valid() ? start + within : within;
    }
    if (place.valid()) number = number + place * static_cast<double>(stride);
  }
  out.rows = broadcast_to(number, Shape(window_sizes));
  if (tell_outside) out.inside = broadcast_to(inside, Shape(window_sizes));
  return out;
}

WindowStarts window_starts(Step& step, const Shape& operand, Term indices, const IndexMap& map) {
  List batch;
  for (int d = 0; d < indices.shape().rank(); ++d) {
    if (d != map.vector) batch.push_back(indices.shape()[d]);
  }
  const Shape shape(batch);
  const Shape flat{shape.elements()};
  Term inside = reshape(broadcast_to(whole_inside(step, indices, map, shape), shape), flat);
  std::vector<Term> columns;
  for (int d = 0; d < operand.rank(); ++d) {
    Term start = broadcast_to(step.scalar(DType::i64, 0), flat);
    if (const auto at = std::ranges::find(map.index_of, d); at != map.index_of.end()) {
      start = reshape(cast(wide_indices(component_of(
                               indices, map, static_cast<std::size_t>(at - map.index_of.begin()))),
                           DType::i64),
                      flat);
      const auto most = static_cast<double>(operand[d] - map.window[static_cast<std::size_t>(d)]);
      inside = both(both(start >= 0, start <= most), inside);
    } else if (const auto of = std::ranges::find(map.operand_batch, d);
               of != map.operand_batch.end()) {
      const std::int64_t from =
          map.indices_batch[static_cast<std::size_t>(of - map.operand_batch.begin())];
      const auto axis = static_cast<int>(from > map.vector ? from - 1 : from);
      const Term numbers = places(step.builder(), DType::i64, shape.rank(), axis, shape[axis]);
      start = reshape(broadcast_to(numbers, shape), flat);
    }
    columns.push_back(reshape(start, {flat[0], 1}));
  }
  return {concatenated(columns, 1), inside};
}

}  // namespace tutti::ir::stablehlo
