#pragma once

#include <tutti/ir/stablehlo/translate.h>
#include <tutti/ir/term.h>

#include <utility>

// Decompositions of matrices, and triangular systems: of floats, [batch, rows, columns], all of a
// batch at once. A few columns are a scan over them, each step a product of a column and a row; of
// more, one half follows from the other by products of matrices (E. Elmroth, F. Gustavson, I.
// Jonsson, B. Kagstrom: Recursive blocked algorithms, SIAM Review 46, 2004).
namespace tutti::ir::stablehlo {

Term matrix_transposed(Term x);

// x with a * x = b, a lower triangular; `unit`: its diagonal is taken as ones. For many columns of
// b blocks on the diagonal are inverted (J. Du Croz, N. Higham: Stability of methods for matrix
// inversion, IMA Journal of Numerical Analysis 12, 1992).
Term solve_lower(Step& step, Term a, Term b, bool unit);
// The same with a upper triangular.
Term solve_upper(Step& step, Term a, Term b, bool unit);

// The lower factor of what stands in the lower triangles, with zeros above it, and whether a step
// met no positive number: [batch, n, n], bool[n, batch].
std::pair<Term, Term> cholesky_of(Step& step, Term a);

// With the largest number of a column as its pivot, as LAPACK does.
struct LuFactors {
  Term packed;  // L below the diagonal, U from there on
  Term pivots;  // i32[batch, steps]: with which row each step exchanged its own
  Term order;   // i32[batch, rows, 1]: which row of the matrix came to lie there
  Term failed;  // bool[steps, batch]: whether the pivot was 0
};
LuFactors lu_of(Step& step, Term a);

// By Householder's reflections I - tau v v^T, as LAPACK does.
struct QrFactors {
  Term packed;  // R from the diagonal on; below it each column's v, which is 1 at the diagonal
  Term taus;    // [batch, 1, steps]
};
QrFactors qr_of(Step& step, Term a);
// The columns of Q = H1 H2 ... that `packed` [batch, rows, columns] has room for.
Term q_of(Step& step, const QrFactors& factors);

}  // namespace tutti::ir::stablehlo
