#include <tutti/ir/ops/family.h>

#include <limits>
#include <type_traits>

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
  const Shape* shape = &in.operand(0).shape;
  Shape wider;
  for (int i = 0; i < in.count(); ++i) {
    if (i < first) {
      in.require(in.operand(i).dtype == DType::boolean, "the first operand must be bool");
    } else if (in.operand(i).dtype != dtype) {
      in.fail("mixed dtypes " + std::string(name_of(dtype)) + " and " +
              std::string(name_of(in.operand(i).dtype)) + "; cast one of them");
    }
    if (i > 0 && in.operand(i).shape != *shape) {
      wider = broadcast_shapes(in, *shape, in.operand(i).shape);
      shape = &wider;
    }
  }
  check_domain(in, domain, dtype);
  in.result(range == Range::truth ? DType::boolean : dtype, *shape);
}

// Helpers of the table's gradients. What a formula is shows in its type.
struct None {};
constexpr None none;
struct Wide {
  Term term;
};
Wide wide(Term formula) { return {formula}; }
Term term_of(const Term& formula) { return formula; }
Term term_of(const Wide& formula) { return formula.term; }
Term select(Term p, double a, Term b) { return ir::select(p, b.constant(a), b); }
using ir::select;
// All of g where `wins`, half of it where `ties`, and nothing for who loses, even of infinity.
Term winner(Term g, Term wins, Term ties) { return select(wins, g, select(ties, g * 0.5, 0)); }
Term inside(Term x, Term low, Term high, Term g) {
  return select(apply(Op::logical_or, x<low, x> high), g.constant(0), g);
}
Term truncated(Term x) { return select(x < 0, x.apply(Op::ceil), x.apply(Op::floor)); }
// How often y went into x, of which r is left. Rounding x / y may go up to the next number; but
// where there is no r it says what it goes to.
Term quotient(Term x, Term y, Term r) {
  return select(r == r, ((x - r) / y).apply(Op::round), truncated(x / y));
}
Term both(Term a, Term b) { return apply(Op::logical_and, a, b); }
// g * side / (x * x + y * y), also of numbers whose squares leave the range: the larger one is made
// 1 first. The angle of (0, 0) has no derivative; 0, as the angle itself, and so for what is less
// than normal numbers. Infinitely far out it is 0, but for an infinite side, as in PyTorch.
Term over_squares(Term g, Term side, Term x, Term y) {
  const double least = x.dtype() == DType::f64 ? std::numeric_limits<double>::min()
                                               : std::numeric_limits<float>::min();
  const Term largest = maximum(abs(x), abs(y));
  const Term outside =
      apply(Op::logical_or, largest <= least, largest == std::numeric_limits<double>::infinity());
  // Outside of it numbers that do no harm: the derivatives of a NaN that is not chosen are NaN.
  const auto within = [&](const Term& term) { return select(outside, 1.0, term); };
  const Term most = within(largest).apply(Op::stop_gradient);  // cancels out
  const Term a = within(x) / most;
  const Term b = within(y) / most;
  return select(outside, side * 0.0, g * (within(side) / most / (a * a + b * b)) / most);
}

// The cotangent of an operand by its formula over g, x, y, z and r (operands that the op does not
// have are invalid terms), summed down to the operand's shape.
template <class Formula>
void add_cotangent(Gradient& gradient, int operands, int operand, Formula formula) {
  using Result = std::invoke_result_t<Formula, Term, Term, Term, Term, Term>;
  if constexpr (!std::is_same_v<Result, None>) {
    if (!gradient.wants(operand)) return;
    const auto taken = [](const Term& term) {
      return std::is_same_v<Result, Wide> ? widened(term) : term;
    };
    const auto nth = [&](int i) { return i < operands ? taken(gradient.operand(i)) : Term(); };
    const Result result =
        formula(taken(gradient.cotangent()), nth(0), nth(1), nth(2), taken(gradient.result()));
    const Term of = gradient.operand(operand);
    gradient.operand_cotangent(operand, cast(sum_to(term_of(result), of.shape()), of.dtype()));
  }
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

// The rows' own texts: the gradient of each operand, where there is one.
Documentation documentation(std::string_view operands, Domain domain, Range range,
                            std::string_view meaning,
                            std::initializer_list<std::string_view> gradients) {
  constexpr std::string_view kDtypes[] = {"number", "floating", "integer", "bool", "any"};
  Documentation out = {.operands = operands,
                       .dtypes = kDtypes[static_cast<std::size_t>(domain)],
                       .meaning = meaning,
                       .gradient = {}};
  const bool has = range == Range::same && domain != Domain::integer && domain != Domain::boolean;
  bool zero = true;
  std::string each;
  for (const std::string_view gradient : gradients) {
    zero = zero && gradient == "none";
    each += (each.empty() ? "" : "; ") + std::string(gradient == "none" ? "0" : gradient);
  }
  out.gradient = !has ? "none" : zero ? "zero" : each;
  return out;
}

// The literals of `sign` need an operand to take their dtype from.
Scalar select(Scalar p, int a, Scalar b) { return ir::select(p, static_cast<double>(a), b); }

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): the rows are expressions
void add_elementwise(std::vector<Definition>& out) {
  const auto entry = [&](Op op, std::string_view name, int operands, void (*infer)(Inference&),
                         void (*gradient)(Gradient&), ScalarExpression meaning,
                         Documentation documentation) {
    out.push_back({.op = op,
                   .name = name,
                   .kind = OpClass::elementwise,
                   .least_operands = operands,
                   .most_operands = operands,
                   .attributes = {},
                   .infer = infer,
                   .gradient = gradient,
                   .meaning = std::move(meaning),
                   .documentation = std::move(documentation)});
  };
#define TUTTI_FORMULA(formula)                                       \
  [](const Term& g [[maybe_unused]], const Term& x [[maybe_unused]], \
     const Term& y [[maybe_unused]], const Term& z [[maybe_unused]], \
     const Term& r [[maybe_unused]]) { return formula; }
#define TUTTI_UNARY(name, domain, range, meaning, gradient_x)                               \
  entry(                                                                                    \
      Op::name, #name, 1, infer<Domain::domain, Range::range, 0>,                           \
      [](Gradient& gradient) { add_cotangent(gradient, 1, 0, TUTTI_FORMULA(gradient_x)); }, \
      meaning_of(1, [](Scalar x, Scalar, Scalar) { return meaning; }),                      \
      documentation("x", Domain::domain, Range::range, #meaning, {#gradient_x}));
#define TUTTI_BINARY(name, domain, range, meaning, gradient_x, gradient_y) \
  entry(                                                                   \
      Op::name, #name, 2, infer<Domain::domain, Range::range, 0>,          \
      [](Gradient& gradient) {                                             \
        add_cotangent(gradient, 2, 0, TUTTI_FORMULA(gradient_x));          \
        add_cotangent(gradient, 2, 1, TUTTI_FORMULA(gradient_y));          \
      },                                                                   \
      meaning_of(2, [](Scalar x, Scalar y, Scalar) { return meaning; }),   \
      documentation("x, y", Domain::domain, Range::range, #meaning, {#gradient_x, #gradient_y}));
#define TUTTI_TERNARY(name, domain, meaning, gradient_x, gradient_y, gradient_z)              \
  entry(                                                                                      \
      Op::name, #name, 3, infer<Domain::domain, Range::same, Op::name == Op::select ? 1 : 0>, \
      [](Gradient& gradient) {                                                                \
        add_cotangent(gradient, 3, 0, TUTTI_FORMULA(gradient_x));                             \
        add_cotangent(gradient, 3, 1, TUTTI_FORMULA(gradient_y));                             \
        add_cotangent(gradient, 3, 2, TUTTI_FORMULA(gradient_z));                             \
      },                                                                                      \
      meaning_of(3, [](Scalar x, Scalar y, Scalar z) { return meaning; }),                    \
      documentation("x, y, z", Domain::domain, Range::same, #meaning,                         \
                    {#gradient_x, #gradient_y, #gradient_z}));
#include <tutti/ir/table/elementwise.def>
#undef TUTTI_UNARY
#undef TUTTI_BINARY
#undef TUTTI_TERNARY
#undef TUTTI_FORMULA
}
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tutti::ir::family
