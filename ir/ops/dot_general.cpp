#include <tutti/ir/ops/dot_general.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::ir::family {

namespace {

using List = std::vector<std::int64_t>;

List followed_by(List first, const List& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// An operand's axes by what becomes of them.
struct Roles {
  List batch;
  List contracted;
  List rest;

  Roles(const Attributes& attributes, bool x, int rank)
      : batch(attributes.integers(x ? "batch_x" : "batch_y")),
        contracted(attributes.integers(x ? "contract_x" : "contract_y")) {
    for (int d = 0; d < rank; ++d) {
      const auto is_in = [d](const List& list) { return std::ranges::find(list, d) != list.end(); };
      if (!is_in(batch) && !is_in(contracted)) rest.push_back(d);
    }
  }
};

List sizes_of(const Shape& shape, const List& axes) {
  List out;
  for (const std::int64_t axis : axes) out.push_back(shape[static_cast<int>(axis)]);
  return out;
}

void check_roles(const Inference& in, const Roles& roles, int operand) {
  const int rank = in.operand(operand).shape.rank();
  List named = followed_by(roles.batch, roles.contracted);
  for (const std::int64_t axis : named) check_axis(in, axis, rank);
  std::sort(named.begin(), named.end());
  in.require(std::adjacent_find(named.begin(), named.end()) == named.end(), [&] {
    return "an axis of the " + std::string(operand == 0 ? "first" : "second") +
           " operand is named twice";
  });
}

void check_pairs(const Inference& in, const List& x, const List& y, const std::string& kind) {
  in.require(x.size() == y.size(), [&] {
    return "every " + kind + " axis needs a partner: " + list_text(x) + " and " + list_text(y);
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t left = in.operand(0).shape[static_cast<int>(x[i])];
    const std::int64_t right = in.operand(1).shape[static_cast<int>(y[i])];
    in.require(left == right, [&] {
      return kind + " axes " + std::to_string(x[i]) + " and " + std::to_string(y[i]) +
             " differ in size: " + std::to_string(left) + " and " + std::to_string(right);
    });
  }
}

// The operand as matrices: [batch..., its rest, contracted], or the last two the other way around.
Term as_matrices(Term x, const Roles& roles, bool contracted_last) {
  const List order =
      followed_by(roles.batch, contracted_last ? followed_by(roles.rest, roles.contracted)
                                               : followed_by(roles.contracted, roles.rest));
  const std::int64_t rest = Shape(sizes_of(x.shape(), roles.rest)).elements();
  const std::int64_t contracted = Shape(sizes_of(x.shape(), roles.contracted)).elements();
  List sizes = sizes_of(x.shape(), roles.batch);
  // Two dimensions follow: too many before them become one.
  if (std::ssize(sizes) > Shape::kMaxRank - 2) sizes = {Shape(sizes).elements()};
  sizes = followed_by(std::move(sizes),
                      contracted_last ? List{rest, contracted} : List{contracted, rest});
  if (!std::is_sorted(order.begin(), order.end())) x = transpose(x, order);
  return reshape(x, Shape(sizes));
}

// Whether axes lie one behind the other, so that as one axis they need no copy.
bool are_together(const List& axes) {
  for (std::size_t i = 1; i < axes.size(); ++i) {
    if (axes[i] != axes[i - 1] + 1) return false;
  }
  return true;
}

bool is_matrices(const Roles& roles) {
  return are_together(roles.contracted) && are_together(roles.rest);
}

// Operands of no axes of their own are numbers to add up with, in the other's order of axes.
// (Narrow floats are added up in f32 by products alone.)
bool is_sum(const Term& vector, const Roles& own, const Roles& other) {
  const bool is_exact = !is_floating(vector.dtype()) || size_of(vector.dtype()) >= 4;
  return is_exact && own.rest.empty() && !own.contracted.empty() && !is_matrices(other);
}

// The sum over the contracted axes of `whole` by `vector`, which has its other axes of batches.
Term sum_of_products(const Term& vector, const Roles& own, const Term& whole, const Roles& roles) {
  // Which axis of the vector goes with one of the whole's.
  std::vector<std::pair<std::int64_t, std::int64_t>> partners;
  for (std::size_t i = 0; i < roles.batch.size(); ++i) {
    partners.emplace_back(roles.batch[i], own.batch[i]);
  }
  for (std::size_t i = 0; i < roles.contracted.size(); ++i) {
    partners.emplace_back(roles.contracted[i], own.contracted[i]);
  }
  std::ranges::sort(partners);
  List order;
  List sizes(static_cast<std::size_t>(whole.shape().rank()), 1);
  for (const auto& [axis, partner] : partners) {
    order.push_back(partner);
    sizes[static_cast<std::size_t>(axis)] = whole.shape()[static_cast<int>(axis)];
  }
  const Term turned = std::ranges::is_sorted(order) ? vector : transpose(vector, order);
  List contracted = roles.contracted;
  std::ranges::sort(contracted);
  const Term out = sum(reshape(turned, Shape(sizes)) * whole, contracted);
  // Batches first.
  const List left = followed_by(roles.batch, roles.rest);
  List places;
  for (const std::int64_t axis : left) {
    places.push_back(std::ranges::count_if(left, [&](std::int64_t each) { return each < axis; }));
  }
  return std::ranges::is_sorted(places) ? out : transpose(out, places);
}

}  // namespace

void check_factors(const Inference& in) {
  in.require(in.operand(0).dtype == in.operand(1).dtype, "mixed dtypes; cast one of them");
  in.require(in.operand(0).dtype != DType::boolean, "takes numbers; cast bool first");
}

void infer_dot_general(Inference& in) {
  check_factors(in);
  const Shape& x_shape = in.operand(0).shape;
  const Shape& y_shape = in.operand(1).shape;
  const Roles x(in.attributes, true, x_shape.rank());
  const Roles y(in.attributes, false, y_shape.rank());
  check_roles(in, x, 0);
  check_roles(in, y, 1);
  check_pairs(in, x.contracted, y.contracted, "contracted");
  check_pairs(in, x.batch, y.batch, "batch");
  const List sizes = followed_by(sizes_of(x_shape, x.batch),
                                 followed_by(sizes_of(x_shape, x.rest), sizes_of(y_shape, y.rest)));
  in.require(sizes.size() <= static_cast<std::size_t>(Shape::kMaxRank), [&] {
    return "the result would have " + std::to_string(sizes.size()) +
           " dimensions; a shape has at most " + std::to_string(Shape::kMaxRank);
  });
  in.result(in.operand(0).dtype, Shape(sizes));
}

void decompose_dot_general(Decomposition& in) {
  const Term a = in.operand(0);
  const Term b = in.operand(1);
  const Roles x(in.attributes, true, a.shape().rank());
  const Roles y(in.attributes, false, b.shape().rank());
  if (is_sum(a, x, y)) return in.result(sum_of_products(a, x, b, y));
  if (is_sum(b, y, x)) return in.result(sum_of_products(b, y, a, x));
  const List sizes =
      followed_by(sizes_of(a.shape(), x.batch),
                  followed_by(sizes_of(a.shape(), x.rest), sizes_of(b.shape(), y.rest)));
  // Named, as compilers differ in which argument they evaluate first.
  const Term right = as_matrices(b, y, false);
  const Term left = as_matrices(a, x, true);
  in.result(reshape(matmul(left, right), Shape(sizes)));
}

}  // namespace tutti::ir::family
