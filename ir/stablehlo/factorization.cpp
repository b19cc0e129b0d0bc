#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/factorization.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/scan_over.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace tutti::ir::stablehlo {

namespace {

using Terms = std::vector<Term>;

// A scan whose steps get their number, i32[].
Terms over_columns(
    Step& step, const Terms& carries, const Terms& invariants, std::int64_t length,
    const std::function<Terms(const Terms& carries, Term number, const Terms& invariants)>& body) {
  return scan_over(step, carries, {step.iota(DType::i32, {length}, 0)}, invariants,
                   [&](const Terms& inner, const Terms& rows, const Terms& fixed) {
                     return body(inner, rows[0], fixed);
                   });
}

// Of matrices [batch, rows, columns] the part of these sizes that begins at these places.
Term part(Term x, Term row, Term column, std::int64_t rows, std::int64_t columns) {
  Builder& builder = *x.builder();
  const Term zero(&builder, builder.scalar(DType::i32, 0));
  const Term starts =
      concatenated({reshape(zero, {1}), reshape(row, {1}), reshape(column, {1})}, 0);
  return apply(Op::dynamic_slice, x, starts, {List{x.shape()[0], rows, columns}});
}
Term row_of(Term x, Term i) { return part(x, i, i.constant(0), 1, x.shape()[2]); }
Term column_of(Term x, Term i) { return part(x, i.constant(0), i, x.shape()[1], 1); }

// The number of every row or column, [1, n, 1] or [1, 1, n].
Term numbers(Term x, int axis) {
  return places(*x.builder(), DType::i32, 3, axis, x.shape()[axis]);
}

// So many columns are done one by one; of more, products of matrices do most.
constexpr std::int64_t kFewColumns = 32;

// Where more columns are cut.
std::int64_t half_of(std::int64_t columns) {
  return (columns / 2 + kFewColumns - 1) / kFewColumns * kFewColumns;
}

std::int64_t row_count(Term x) { return x.shape()[1]; }
std::int64_t column_count(Term x) { return x.shape()[2]; }

Term rows_between(Term x, std::int64_t from, std::int64_t to) { return along(x, 1, from, to); }
Term columns_between(Term x, std::int64_t from, std::int64_t to) { return along(x, 2, from, to); }

// The rows of x in another order, i32[batch, rows, 1].
Term reordered(Term x, Term order) {
  const Shape shape{x.shape()[0], row_count(order), column_count(x)};
  return apply(Op::take_along_axis, x, broadcast_to(order, shape), {std::int64_t{1}});
}

Term substitute(Step& step, Term a, Term b, bool unit) {
  const auto column = [&](const Terms& carries, Term j, const Terms& fixed) -> Terms {
    const Term rest = carries[0];
    const Term row = row_of(rest, j);
    const Term x = unit ? row : row / part(fixed[0], j, j, 1, 1);
    const Term below = numbers(rest, 1) > j;
    const Term next = rest - select(below, column_of(fixed[0], j) * x, 0);
    return {next, reshape(x, {x.shape()[0], x.shape()[2]})};
  };
  return transposed(over_columns(step, {b}, {a}, row_count(b), column)[1], {1, 0, 2});
}

// A lower triangular matrix, whose systems are halved until they have few rows. For many right
// sides the blocks on the diagonal are inverted, all of a size at once, so that all else are
// products.
class LowerSystem {
 public:
  LowerSystem(Step& step, Term a, std::int64_t right_sides, bool unit)
      : step_(step), a_(a), unit_(unit) {
    const std::int64_t count = row_count(a) / kFewColumns;
    const std::int64_t last = count * kFewColumns;
    if (last < row_count(a) && right_sides >= kManyBlockColumns) {
      inverse_of_last_ = inverse(corner(last, row_count(a)));
    }
    if (count * right_sides < kManyBlockColumns) return;
    Terms blocks;
    for (std::int64_t i = 0; i < count; ++i) {
      blocks.push_back(corner(i * kFewColumns, (i + 1) * kFewColumns));
    }
    inverses_ = inverse(concatenated(blocks, 0));
  }

  // x with A x = b, where A are the rows and columns between these.
  Term solve(std::int64_t from, std::int64_t to, Term b) const {
    const std::int64_t size = to - from;
    if (size <= kFewColumns) {
      const Term& inverses = size == kFewColumns ? inverses_ : inverse_of_last_;
      if (!inverses.valid()) return substitute(step_, corner(from, to), b, unit_);
      return matmul(size == kFewColumns ? inverse_at(from) : inverse_of_last_, b);
    }
    const std::int64_t half = half_of(size);
    const Term first = solve(from, from + half, rows_between(b, 0, half));
    const Term below = columns_between(rows_between(a_, from + half, to), from, from + half);
    const Term rest = rows_between(b, half, size) - matmul(below, first);
    return concatenated({first, solve(from + half, to, rest)}, 1);
  }

 private:
  static constexpr std::int64_t kManyBlockColumns = 128;  // right sides, times the blocks

  Term inverse(Term a) const {
    const Term diagonal = numbers(a, 1) == numbers(a, 2);
    const Term ones = select(diagonal, a.constant(1), 0);
    return substitute(step_, a, broadcast_to(ones, a.shape()), unit_);
  }
  Term corner(std::int64_t from, std::int64_t to) const {
    return columns_between(rows_between(a_, from, to), from, to);
  }
  Term inverse_at(std::int64_t row) const {
    const std::int64_t batch = a_.shape()[0];
    const std::int64_t block = row / kFewColumns;
    return along(inverses_, 0, block * batch, (block + 1) * batch);
  }

  Step& step_;
  const Term a_;
  const bool unit_;
  // Not valid: of few right sides.
  Term inverses_;         // [blocks * batch, few, few]
  Term inverse_of_last_;  // [batch, rows, rows] of the block that has fewer
};

std::pair<Term, Term> cholesky_by_columns(Step& step, Term a) {
  const auto column = [](const Terms& carries, Term j, const Terms&) -> Terms {
    const Term rest = carries[0];
    const Term square = part(rest, j, j, 1, 1);
    const Term root = sqrt(square);
    const Term below = select(numbers(rest, 1) > j, column_of(rest, j) / root, 0);
    const Term own = select(numbers(rest, 1) == j, root, below);
    const std::int64_t batch = rest.shape()[0];
    return {rest - below * matrix_transposed(below), reshape(own, {batch, row_count(rest)}),
            reshape((square > 0).apply(Op::logical_not), {batch})};
  };
  const Terms out = over_columns(step, {a}, {}, column_count(a), column);
  return {transposed(out[1], {1, 2, 0}), out[2]};
}

LuFactors lu_by_columns(Step& step, Term a) {
  const auto column = [](const Terms& carries, Term j, const Terms&) -> Terms {
    const Term rest = carries[0];
    const Term order = carries[1];
    const std::int64_t batch = rest.shape()[0];
    const Term rows = numbers(rest, 1);
    const Term columns = numbers(rest, 2);
    const Term sizes = select(rows >= j, abs(column_of(rest, j)), -1);
    const Term largest =
        reshape(cast(sizes.apply(Op::argmax, {std::int64_t{1}, false}), DType::i32), {batch, 1, 1});
    const Term pivot_row = reordered(rest, largest);
    const auto exchanged = [&](Term x, Term row) {
      return select(rows == largest, row_of(x, j), select(rows == j, row, x));
    };
    const Term swapped = exchanged(rest, pivot_row);
    const Term pivot = column_of(pivot_row, j);
    const Term own = column_of(swapped, j);
    const Term factor = select(pivot == 0, own, own / pivot);
    const Term below = rows > j;
    const Term reduced = swapped - select(both(below, columns > j), factor * pivot_row, 0);
    return {select(both(below, columns == j), factor, reduced),
            exchanged(order, reordered(order, largest)), reshape(largest, {batch}),
            reshape(pivot == 0, {batch})};
  };
  const std::int64_t steps = std::min(row_count(a), column_count(a));
  const Term order = broadcast_to(numbers(a, 1), {a.shape()[0], row_count(a), 1});
  const Terms out = over_columns(step, {a, order}, {}, steps, column);
  return {out[0], transposed(out[2], {1, 0}), out[1], out[3]};
}

// Columns of the matrix are rows here, so that the elements of each lie side by side.
QrFactors qr_by_columns(Step& step, Term a) {
  const auto column = [](const Terms& carries, Term j, const Terms&) -> Terms {
    const Term rest = carries[0];
    const Term rows = numbers(rest, 2);
    const Term columns = numbers(rest, 1);
    const Term own = row_of(rest, j);
    const Term alpha = part(rest, j, j, 1, 1);
    const Term tail = select(rows > j, own, 0);
    // Squares of what is scaled by the largest neither overflow nor vanish.
    const Term largest = max(select(rows >= j, abs(own), 0), {2}, true);
    const Term scale = select(largest == 0, largest.constant(1), largest);
    const Term scaled = select(rows >= j, own, 0) / scale;
    const Term norm = scale * sqrt(sum(scaled * scaled, {2}, true));
    const Term is_zero = max(abs(tail), {2}, true) == 0;
    const Term beta = select(is_zero, alpha, select(alpha < 0, norm, -norm));
    const Term tau = select(is_zero, alpha.constant(0), (beta - alpha) / beta);
    const Term v =
        select(rows == j, alpha.constant(1), select(is_zero, tail, tail / (alpha - beta)));
    const Term products = matmul(rest, matrix_transposed(v));
    const Term next = rest - select(columns > j, tau * products * v, 0);
    const Term made = select(rows > j, v, select(rows == j, beta, own));
    return {select(columns == j, made, next), reshape(tau, {rest.shape()[0]})};
  };
  const std::int64_t steps = std::min(row_count(a), column_count(a));
  const Terms out = over_columns(step, {matrix_transposed(a)}, {}, steps, column);
  return {matrix_transposed(out[0]), reshape(transposed(out[1], {1, 0}), {a.shape()[0], 1, steps})};
}

// H1 H2 ... = I - V T V^T (R. Schreiber, C. van Loan: A storage-efficient WY representation for
// products of Householder transformations, 1989).
struct Reflections {
  Term v;  // [batch, rows, steps]
  Term t;  // upper triangular
};

Reflections reflections_of(Step& step, const QrFactors& factors) {
  const std::int64_t steps = column_count(factors.taus);
  const Term packed = columns_between(factors.packed, 0, steps);
  const Term rows = numbers(packed, 1);
  const Term columns = numbers(packed, 2);
  const Term v = select(rows == columns, packed.constant(1), select(rows > columns, packed, 0));
  const Term squares = matmul(matrix_transposed(v), v);
  const Term above = select(numbers(squares, 1) < numbers(squares, 2), squares, 0);
  const Term tau = matrix_transposed(factors.taus);
  const Term diagonal = select(numbers(squares, 1) == numbers(squares, 2), tau, 0);
  return {v, solve_upper(step, tau * above, diagonal, true)};
}

}  // namespace

Term matrix_transposed(Term x) { return transposed(x, {0, 2, 1}); }

Term solve_lower(Step& step, Term a, Term b, bool unit) {
  return LowerSystem(step, a, column_count(b), unit).solve(0, row_count(a), b);
}

Term solve_upper(Step& step, Term a, Term b, bool unit) {
  return reversed(solve_lower(step, reversed(a, {1, 2}), reversed(b, {1}), unit), {1});
}

std::pair<Term, Term> cholesky_of(Step& step, Term a) {
  const std::int64_t size = row_count(a);
  if (size <= kFewColumns) return cholesky_by_columns(step, a);
  const std::int64_t half = half_of(size);
  const Term upper_rows = rows_between(a, 0, half);
  const Term lower_rows = rows_between(a, half, size);
  const auto [first, first_failed] = cholesky_of(step, columns_between(upper_rows, 0, half));
  const Term side = matrix_transposed(
      solve_lower(step, first, matrix_transposed(columns_between(lower_rows, 0, half)), false));
  const auto [last, last_failed] = cholesky_of(
      step, columns_between(lower_rows, half, size) - matmul(side, matrix_transposed(side)));
  const Term zeros = broadcast_to(a.constant(0), {a.shape()[0], half, size - half});
  return {concatenated({concatenated({first, zeros}, 2), concatenated({side, last}, 2)}, 1),
          concatenated({first_failed, last_failed}, 0)};
}

LuFactors lu_of(Step& step, Term a) {
  const std::int64_t rows = row_count(a);
  const std::int64_t columns = column_count(a);
  if (columns <= kFewColumns) return lu_by_columns(step, a);
  const std::int64_t steps = std::min(rows, columns);
  const std::int64_t half = steps <= kFewColumns ? steps : half_of(steps);
  const LuFactors left = lu_of(step, columns_between(a, 0, half));
  const Term right = reordered(columns_between(a, half, columns), left.order);
  const Term corner = rows_between(left.packed, 0, half);
  const Term upper = solve_lower(step, corner, rows_between(right, 0, half), true);
  const Term top = concatenated({corner, upper}, 2);
  if (rows == half) return {top, left.pivots, left.order, left.failed};
  const Term below = rows_between(left.packed, half, rows);
  const LuFactors rest = lu_of(step, rows_between(right, half, rows) - matmul(below, upper));
  const Term order = reordered(rows_between(left.order, half, rows), rest.order);
  const Term bottom = concatenated({reordered(below, rest.order), rest.packed}, 2);
  return {concatenated({top, bottom}, 1),
          concatenated({left.pivots, rest.pivots + static_cast<double>(half)}, 1),
          concatenated({rows_between(left.order, 0, half), order}, 1),
          concatenated({left.failed, rest.failed}, 0)};
}

QrFactors qr_of(Step& step, Term a) {
  const std::int64_t rows = row_count(a);
  const std::int64_t columns = column_count(a);
  if (columns <= kFewColumns) return qr_by_columns(step, a);
  const std::int64_t steps = std::min(rows, columns);
  const std::int64_t half = steps <= kFewColumns ? steps : half_of(steps);
  const QrFactors left = qr_of(step, columns_between(a, 0, half));
  const Reflections h = reflections_of(step, left);
  const Term right = columns_between(a, half, columns);
  const Term products = matmul(matrix_transposed(h.v), right);
  const Term turned = right - matmul(h.v, matmul(matrix_transposed(h.t), products));
  if (rows == half) return {concatenated({left.packed, turned}, 2), left.taus};
  const QrFactors rest = qr_of(step, rows_between(turned, half, rows));
  const Term own = concatenated({rows_between(turned, 0, half), rest.packed}, 1);
  return {concatenated({left.packed, own}, 2), concatenated({left.taus, rest.taus}, 2)};
}

Term q_of(Step& step, const QrFactors& factors) {
  const Reflections h = reflections_of(step, factors);
  const Term diagonal = numbers(factors.packed, 1) == numbers(factors.packed, 2);
  const Term head = matrix_transposed(rows_between(h.v, 0, column_count(factors.packed)));
  const Term ones = select(diagonal, factors.packed.constant(1), 0);
  return ones - matmul(h.v, matmul(h.t, head));
}

}  // namespace tutti::ir::stablehlo
