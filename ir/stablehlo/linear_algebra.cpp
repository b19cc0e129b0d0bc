#include <tutti/ir/function.h>
#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/linear_algebra.h>
#include <tutti/ir/stablehlo/rules.h>

#include <functional>

// Triangular systems, and decompositions that lead to them: scans over a matrix's columns, each
// step a product of a column and a row, of all matrices of a batch at once.
namespace tutti::ir::stablehlo {

namespace {

using Terms = std::vector<Term>;

// A scan whose steps get the carries, their number (i32[]) and the invariants, and give the next
// carries and what is stacked.
Terms over_columns(
    Step& step, const Terms& carries, const Terms& invariants, std::int64_t length,
    const std::function<Terms(const Terms& carries, Term number, const Terms& invariants)>& body) {
  std::vector<Value> operands;
  Graph graph("column");
  const Mesh* const mesh = step.translator.mesh().get();
  graph.mesh = step.translator.mesh();
  graph.default_device = step.builder().graph().default_device;
  std::uint8_t replicated = mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  for (const Terms* const list : {&carries, &invariants}) {
    for (const Term& term : *list) {
      const Replication& own = term.type().replication;
      if (!own.literal) replicated &= own.dimensions;
    }
  }
  Builder builder(graph);
  builder.at(step.builder().location());
  const auto parameter = [&](const std::string& name, const Type& type) {
    Type own{.dtype = type.dtype, .shape = type.shape};
    own.replication.dimensions = replicated;
    return Term(&builder, graph.add_parameter(name, own));
  };
  const auto parameters = [&](const Terms& terms, const std::string& name) {
    Terms out;
    for (const Term& term : terms) {
      operands.push_back(term.value());
      out.push_back(parameter(name + std::to_string(out.size()), term.type()));
    }
    return out;
  };
  const Terms inner = parameters(carries, "carry");
  operands.push_back(step.iota(DType::i32, {length}, 0).value());
  const Term number = parameter("number", {.dtype = DType::i32, .shape = {}});
  const Terms fixed = parameters(invariants, "fixed");
  std::vector<Value> results;
  for (const Term& result : body(inner, number, fixed)) results.push_back(result.value());
  graph.set_results(std::move(results));
  const NodeId scan = step.builder().node(Op::scan, operands,
                                          {std::make_shared<const Function>(std::move(graph)),
                                           std::ssize(carries), std::int64_t{1}, length});
  Terms out;
  for (std::uint32_t i = 0; i < step.builder().graph().node(scan).result_count; ++i) {
    out.emplace_back(&step.builder(), step.builder().graph().result(scan, i));
  }
  return out;
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

Term matrix_transposed(Term x) { return transposed(x, {0, 2, 1}); }

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

// x with a * x = b, a lower triangular.
Term solve_lower(Step& step, Term a, Term b, bool unit) {
  const auto column = [&](const Terms& carries, Term j, const Terms& fixed) -> Terms {
    const Term rest = carries[0];
    const Term row = row_of(rest, j);
    const Term x = unit ? row : row / part(fixed[0], j, j, 1, 1);
    const Term below = numbers(rest, 1) > j;
    const Term next = rest - select(below, column_of(fixed[0], j) * x, 0);
    return {next, reshape(x, {x.shape()[0], x.shape()[2]})};
  };
  return transposed(over_columns(step, {b}, {a}, b.shape()[1], column)[1], {1, 0, 2});
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
  const bool turned = triangle.transposed == triangle.left;
  if (turned) a = matrix_transposed(a);
  const bool lower = triangle.lower != turned;
  if (!lower) {
    a = reversed(a, {1, 2});
    b = reversed(b, {1});
  }
  Term x = solve_lower(step, a, b, triangle.unit);
  if (!lower) x = reversed(x, {1});
  if (!triangle.left) x = matrix_transposed(x);
  step.result(reshape(x, step.shape()));
}

// The factor, and whether a step met no positive number: [batch, n, n], bool[n, batch].
std::pair<Term, Term> cholesky_of(Step& step, Term a, bool lower) {
  if (a.shape()[1] != a.shape()[2]) step.fail("expected square matrices");
  if (!lower) a = matrix_transposed(a);
  const auto column = [](const Terms& carries, Term j, const Terms&) -> Terms {
    const Term rest = carries[0];
    const Term square = part(rest, j, j, 1, 1);
    const Term root = sqrt(square);
    const Term below = select(numbers(rest, 1) > j, column_of(rest, j) / root, 0);
    const Term own = select(numbers(rest, 1) == j, root, below);
    const std::int64_t batch = rest.shape()[0];
    return {rest - below * matrix_transposed(below), reshape(own, {batch, rest.shape()[1]}),
            reshape((square > 0).apply(Op::logical_not), {batch})};
  };
  const Terms out = over_columns(step, {a}, {}, a.shape()[1], column);
  const Term factor = transposed(out[1], {1, 2, 0});
  return {lower ? factor : matrix_transposed(factor), out[2]};
}

// With the largest number of a column as its pivot, as LAPACK does.
void lu(Step& step) {
  const Term a = as_batch(step, step.operand(0));
  const auto column = [](const Terms& carries, Term j, const Terms&) -> Terms {
    const Term rest = carries[0];
    const std::int64_t batch = rest.shape()[0];
    const Term rows = numbers(rest, 1);
    const Term columns = numbers(rest, 2);
    const Term sizes = select(rows >= j, abs(column_of(rest, j)), -1);
    const Term largest =
        reshape(cast(sizes.apply(Op::argmax, {std::int64_t{1}, false}), DType::i32), {batch, 1, 1});
    const Term pivot_row =
        apply(Op::take_along_axis, rest, broadcast_to(largest, {batch, 1, rest.shape()[2]}),
              {std::int64_t{1}});
    const Term swapped =
        select(rows == largest, row_of(rest, j), select(rows == j, pivot_row, rest));
    const Term pivot = column_of(pivot_row, j);
    const Term own = column_of(swapped, j);
    const Term factor = select(pivot == 0, own, own / pivot);
    const Term below = rows > j;
    const Term reduced = swapped - select(both(below, columns > j), factor * pivot_row, 0);
    return {select(both(below, columns == j), factor, reduced), reshape(largest, {batch}),
            reshape(pivot == 0, {batch})};
  };
  const std::int64_t steps = std::min(a.shape()[1], a.shape()[2]);
  const Terms out = over_columns(step, {a}, {}, steps, column);
  step.result(reshape(out[0], step.shape()));
  step.result(reshape(transposed(out[1], {1, 0}) + 1, step.shape(1)));
  step.result(reshape(first_failure(out[2]), step.shape(2)));
}

void cholesky(Step& step) {
  const Term a = as_batch(step, step.operand(0));
  step.result(reshape(cholesky_of(step, a, step.flag("lower")).first, step.shape()));
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

}  // namespace

bool call_lapack(Step& step, std::string_view target) {
  constexpr std::string_view kBefore = "lapack_";
  constexpr std::string_view kBehind = "_ffi";
  if (!target.starts_with(kBefore) || !target.ends_with(kBehind)) return false;
  target.remove_prefix(kBefore.size() + 1);  // and the letter of the dtype
  target.remove_suffix(kBehind.size());
  if (target == "getrf") {
    lu(step);
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
    const auto [factor, failed] =
        cholesky_of(step, as_batch(step, step.operand(0)), is("uplo", 'L'));
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
