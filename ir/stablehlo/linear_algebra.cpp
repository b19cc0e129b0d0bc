#include <tutti/ir/stablehlo/factorization.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/linear_algebra.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>
#include <iterator>
#include <utility>

// Triangular systems, and decompositions that lead to them.
namespace tutti::ir::stablehlo {

namespace {

// The matrices of a batch, numbered by one dimension.
Term as_batch(Step& step, Term x) {
  const int rank = x.shape().rank();
  if (rank < 2 || x.shape().elements() == 0 || !is_floating(x.dtype())) {
    step.fail("expected matrices of floats with some elements");
  }
  return reshape(x,
                 {elements_of(x.shape(), 0, rank - 2), x.shape()[rank - 2], x.shape()[rank - 1]});
}

// LAPACK's word on how it went, i32[batch]: 0, or the number of the first step that failed, from 1
// on. `failed` is bool[steps, batch].
Term first_failure(Term failed) {
  const Term numbers = cast(failed, DType::i32);
  const Term first = cast(numbers.apply(Op::argmax, {std::int64_t{0}, false}), DType::i32) + 1;
  return select(failed.apply(Op::any, {List{0}, false}), first, 0);
}

// The program grows with the columns.
void check_columns(Step& step, std::int64_t columns) {
  constexpr std::int64_t kMost = 1 << 14;
  if (columns <= kMost) return;
  step.fail("matrices of up to " + std::to_string(kMost) + " columns are supported");
}

struct Triangle {
  bool left = true;  // a * x = b, else x * a = b
  bool lower = true;
  bool transposed = false;  // it is a's transpose that is meant
  bool unit = false;        // its diagonal is taken as ones
};

void solve_triangle(Step& step, const Triangle& triangle) {
  Term a = as_batch(step, step.operand(0));
  Term b = as_batch(step, step.operand(1));
  if (!triangle.left) b = matrix_transposed(b);
  if (a.shape()[1] != a.shape()[2] || a.shape()[1] != b.shape()[1] ||
      a.shape()[0] != b.shape()[0]) {
    step.fail("the matrices do not fit each other");
  }
  check_columns(step, a.shape()[1]);
  const bool turned = triangle.transposed == triangle.left;
  if (turned) a = matrix_transposed(a);
  const auto solve = triangle.lower != turned ? solve_lower : solve_upper;
  Term x = solve(step, a, b, triangle.unit);
  if (!triangle.left) x = matrix_transposed(x);
  step.result(reshape(x, step.shape()));
}

std::pair<Term, Term> cholesky_of(Step& step, bool lower) {
  const Term a = as_batch(step, step.operand(0));
  if (a.shape()[1] != a.shape()[2]) step.fail("expected square matrices");
  check_columns(step, a.shape()[1]);
  const auto [factor, failed] = cholesky_of(step, lower ? a : matrix_transposed(a));
  return {lower ? factor : matrix_transposed(factor), failed};
}

void lu(Step& step) {
  const Term a = as_batch(step, step.operand(0));
  check_columns(step, std::min(a.shape()[1], a.shape()[2]));
  const LuFactors factors = lu_of(step, a);
  step.result(reshape(factors.packed, step.shape()));
  step.result(reshape(factors.pivots + 1, step.shape(1)));
  step.result(reshape(first_failure(factors.failed), step.shape(2)));
}

void qr(Step& step) {
  const Term a = as_batch(step, step.operand(0));
  check_columns(step, std::min(a.shape()[1], a.shape()[2]));
  const QrFactors factors = qr_of(step, a);
  step.result(reshape(factors.packed, step.shape()));
  step.result(reshape(factors.taus, step.shape(1)));
}

void q_of_reflections(Step& step) {
  const Term packed = as_batch(step, step.operand(0));
  const Term taus = step.operand(1);
  const std::int64_t batch = packed.shape()[0];
  const std::int64_t steps = taus.shape().rank() > 0 ? taus.shape()[taus.shape().rank() - 1] : 0;
  const bool fits = steps > 0 && steps <= packed.shape()[2] &&
                    packed.shape()[2] <= packed.shape()[1] &&
                    taus.shape().elements() == batch * steps && taus.dtype() == packed.dtype();
  if (!fits) step.fail("the reflections do not fit the matrices");
  step.result(reshape(q_of(step, {packed, reshape(taus, {batch, 1, steps})}), step.shape()));
}

void cholesky(Step& step) {
  step.result(reshape(cholesky_of(step, step.flag("lower")).first, step.shape()));
}

void triangular_solve(Step& step) {
  const Attribute& transpose = step.get("transpose_a");
  const std::string& way = transpose.items.empty() ? transpose.text : transpose.items.back().text;
  solve_triangle(step, {.left = step.flag("left_side"),
                        .lower = step.flag("lower"),
                        .transposed = way != "NO_TRANSPOSE",
                        .unit = step.flag("unit_diagonal")});
}

constexpr Rule kLinearAlgebraRules[] = {
    {"stablehlo.cholesky", cholesky},
    {"stablehlo.triangular_solve", triangular_solve},
};

// By their names without the letter of the dtype; those of more ways are below.
constexpr Rule kLapackRules[] = {
    {"getrf", lu},
    {"geqrf", qr},
    {"orgqr", q_of_reflections},
};

}  // namespace

bool call_lapack(Step& step, std::string_view target) {
  constexpr std::string_view kBefore = "lapack_";
  constexpr std::string_view kBehind = "_ffi";
  constexpr std::size_t kLeast = kBefore.size() + 1 + kBehind.size();  // with the dtype's letter
  if (target.size() < kLeast || !target.starts_with(kBefore) || !target.ends_with(kBehind)) {
    return false;
  }
  target.remove_prefix(kBefore.size() + 1);
  target.remove_suffix(kBehind.size());
  if (const auto rule = std::ranges::find(kLapackRules, target, &Rule::name);
      rule != std::end(kLapackRules)) {
    rule->translate(step);
    return true;
  }
  if (target != "potrf" && target != "trsm") return false;
  const Attribute& facts = step.get("mhlo.backend_config");
  const auto is = [&](std::string_view name, char letter) {
    const Attribute* const found = facts.find(name);
    if (found == nullptr) step.fail("the attribute '" + std::string(name) + "' is missing");
    return found->integer == letter;
  };
  if (target == "potrf") {
    const auto [factor, failed] = cholesky_of(step, is("uplo", 'L'));
    step.result(reshape(factor, step.shape()));
    step.result(reshape(first_failure(failed), step.shape(1)));
    return true;
  }
  solve_triangle(step, {.left = is("side", 'L'),
                        .lower = is("uplo", 'L'),
                        .transposed = !is("trans_x", 'N'),
                        .unit = is("diag", 'U')});
  return true;
}

std::span<const Rule> linear_algebra_rules() { return kLinearAlgebraRules; }

}  // namespace tutti::ir::stablehlo
