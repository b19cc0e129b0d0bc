#include <tutti/ir/ops/family.h>

namespace tutti::ir::family {

namespace {

constexpr double kLn2 = 0.693147180559945309417;
constexpr double k2OverSqrtPi = 1.12837916709551257390;

enum class Domain : std::uint8_t { number, floating, integer, boolean, any };
enum class Range : std::uint8_t { same, truth };

const char* describe(Domain domain) {
  switch (domain) {
    case Domain::number:
      return "numbers";
    case Domain::floating:
      return "floating-point numbers";
    case Domain::integer:
      return "integers";
    case Domain::boolean:
      return "bool";
    case Domain::any:
      return "any dtype";
  }
  __builtin_unreachable();
}

bool contains(Domain domain, DType dtype) {
  switch (domain) {
    case Domain::number:
      return is_integer(dtype) || is_floating(dtype);
    case Domain::floating:
      return is_floating(dtype);
    case Domain::integer:
      return is_integer(dtype);
    case Domain::boolean:
      return dtype == DType::boolean;
    case Domain::any:
      return true;
  }
  __builtin_unreachable();
}

void check_domain(const Inference& in, Domain domain, DType dtype) {
  if (contains(domain, dtype)) return;
  std::string advice;
  if (domain == Domain::floating || domain == Domain::number) advice = "; cast it first";
  if (domain == Domain::boolean) advice = "; compare it with 0 first";
  in.fail("takes " + std::string(describe(domain)) + ", not " + std::string(name_of(dtype)) +
          advice);
}

// Operands from `first` on must agree; the result broadcasts over all of them.
template <Domain domain, Range range, int first>
void infer(Inference& in) {
  const DType dtype = in.operand(first).dtype;
  Shape shape = in.operand(0).shape;
  for (int i = 0; i < in.count(); ++i) {
    if (i < first) {
      in.require(in.operand(i).dtype == DType::boolean, "the first operand must be bool");
    } else if (in.operand(i).dtype != dtype) {
      in.fail("mixed dtypes " + std::string(name_of(dtype)) + " and " +
              std::string(name_of(in.operand(i).dtype)) + "; cast one of them");
    }
    if (i > 0) shape = broadcast_shapes(in, shape, in.operand(i).shape);
  }
  check_domain(in, domain, dtype);
  in.result(range == Range::truth ? DType::boolean : dtype, shape);
}

// Helpers of the table's gradients.
struct None {};
constexpr None none;
Term term(None) { return {}; }
Term term(Term t) { return t; }
Term select(Term p, double a, Term b) { return ir::select(p, b.constant(a), b); }
using ir::select;
// 1 where `wins`, one half where `ties`, else 0.
Term winner_like(Term g, Term wins, Term ties) {
  return select(wins, g.constant(1), select(ties, g.constant(0.5), g.constant(0)));
}
Term inside(Term x, Term low, Term high, Term g) {
  return select(apply(Op::logical_or, x<low, x> high), g.constant(0), g);
}

// A finished row: its cotangents are summed down to the operands' shapes.
void finish(Gradient& gradient, int operand, Term cotangent) {
  if (!cotangent.valid()) return;
  gradient.operand_cotangent(operand, sum_to(cotangent, gradient.operand(operand).shape()));
}

ScalarExpression meaning_of(int arguments, Scalar (*write)(Scalar, Scalar, Scalar)) {
  ScalarExpression out;
  out.arguments = arguments;
  const Scalar x = Scalar::argument(&out, 0);
  const Scalar y = arguments > 1 ? Scalar::argument(&out, 1) : x;
  const Scalar z = arguments > 2 ? Scalar::argument(&out, 2) : x;
  write(x, y, z);
  return out;
}

// The literals of `sign` need an operand to take their dtype from.
Scalar select(Scalar p, int a, Scalar b) { return ir::select(p, static_cast<double>(a), b); }

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): the rows are expressions
void add_elementwise(std::vector<Definition>& out) {
  const auto entry = [&](Op op, std::string_view name, int operands, void (*infer)(Inference&),
                         void (*gradient)(Gradient&), ScalarExpression meaning) {
    out.push_back({.op = op,
                   .name = name,
                   .kind = OpClass::elementwise,
                   .least_operands = operands,
                   .most_operands = operands,
                   .attributes = {},
                   .infer = infer,
                   .gradient = gradient,
                   .meaning = std::move(meaning)});
  };
#define winner(wins, ties) winner_like(g, wins, ties)
#define TUTTI_UNARY(name, domain, range, meaning, gradient_x)     \
  entry(                                                          \
      Op::name, #name, 1, infer<Domain::domain, Range::range, 0>, \
      [](Gradient& gradient) {                                    \
        [[maybe_unused]] const Term g = gradient.cotangent();     \
        [[maybe_unused]] const Term x = gradient.operand(0);      \
        [[maybe_unused]] const Term r = gradient.result();        \
        finish(gradient, 0, term(gradient_x));                    \
      },                                                          \
      meaning_of(1, [](Scalar x, Scalar, Scalar) { return meaning; }));
#define TUTTI_BINARY(name, domain, range, meaning, gradient_x, gradient_y) \
  entry(                                                                   \
      Op::name, #name, 2, infer<Domain::domain, Range::range, 0>,          \
      [](Gradient& gradient) {                                             \
        [[maybe_unused]] const Term g = gradient.cotangent();              \
        [[maybe_unused]] const Term x = gradient.operand(0);               \
        [[maybe_unused]] const Term y = gradient.operand(1);               \
        [[maybe_unused]] const Term r = gradient.result();                 \
        if (gradient.wants(0)) finish(gradient, 0, term(gradient_x));      \
        if (gradient.wants(1)) finish(gradient, 1, term(gradient_y));      \
      },                                                                   \
      meaning_of(2, [](Scalar x, Scalar y, Scalar) { return meaning; }));
#define TUTTI_TERNARY(name, domain, meaning, gradient_x, gradient_y, gradient_z)              \
  entry(                                                                                      \
      Op::name, #name, 3, infer<Domain::domain, Range::same, Op::name == Op::select ? 1 : 0>, \
      [](Gradient& gradient) {                                                                \
        [[maybe_unused]] const Term g = gradient.cotangent();                                 \
        [[maybe_unused]] const Term x = gradient.operand(0);                                  \
        [[maybe_unused]] const Term y = gradient.operand(1);                                  \
        [[maybe_unused]] const Term z = gradient.operand(2);                                  \
        if (gradient.wants(0)) finish(gradient, 0, term(gradient_x));                         \
        if (gradient.wants(1)) finish(gradient, 1, term(gradient_y));                         \
        if (gradient.wants(2)) finish(gradient, 2, term(gradient_z));                         \
      },                                                                                      \
      meaning_of(3, [](Scalar x, Scalar y, Scalar z) { return meaning; }));
#include <tutti/ir/ops/elementwise.def>
#undef TUTTI_UNARY
#undef TUTTI_BINARY
#undef TUTTI_TERNARY
#undef winner
}
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tutti::ir::family
