#pragma once

#include <tutti/ir/term.h>

#include <cstdint>
#include <vector>

// Shape ops of the IR in the notation of terms, as several families of operations need them.
namespace tutti::ir::stablehlo {

using List = std::vector<std::int64_t>;

inline List sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }
// That many times the same number.
inline List repeated(int count, std::int64_t number) {
  return List(static_cast<std::size_t>(count), number);
}

// Itself if the permutation changes nothing.
Term transposed(Term x, const List& permutation);
// Itself if that is all of x.
Term sliced(Term x, const List& start, const List& stop, const List& step);
// The elements [from, to) along one axis.
Term along(Term x, int axis, std::int64_t from, std::int64_t to, std::int64_t step = 1);
// Negative paddings take elements away.
Term padded(Term x, Term value, const List& low, const List& high, const List& interior);
Term concatenated(const std::vector<Term>& parts, std::int64_t axis);
Term reversed(Term x, const List& axes);
// Dimension d of x becomes dimensions[d] of the shape; others repeat it.
Term broadcast_in(Term x, const List& dimensions, const Shape& shape);
// The sizes of the shape's dimensions [from, to), multiplied.
std::int64_t elements_of(const Shape& shape, int from, int to);
// The dimensions of a rank that are not in a list.
List others(int rank, const List& dimensions);
bool contains(const List& list, std::int64_t number);
// An iota that lies along one axis of a rank: shape [1, ..., size, ..., 1].
Term places(Builder& builder, DType dtype, int rank, int axis, std::int64_t size);

}  // namespace tutti::ir::stablehlo
