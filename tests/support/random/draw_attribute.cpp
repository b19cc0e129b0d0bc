#include "tests/support/random/draw_attribute.h"

#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string>

namespace tutti::test {

namespace {

using ir::Attribute;
using ir::Op;
using List = std::vector<std::int64_t>;

// What an attribute may depend on.
struct Place {
  GrowingProgram& program;
  Op op;
  const ir::Type* x;  // the first operand's; null if there is none
  ir::GroupPtr group;
  const std::vector<Attribute>& before;

  Draw& draw() const { return program.draw; }
  int rank() const { return x == nullptr ? 0 : x->shape.rank(); }
  std::int64_t size(int dimension) const { return x->shape[dimension]; }
  // A list with a number for every dimension of x.
  template <class F>
  List each_dimension(F&& number) const {
    List out;
    for (int d = 0; d < rank(); ++d) out.push_back(number(d));
    return out;
  }
  const List& list_before(std::size_t i) const { return std::get<List>(before[i]); }
};

List axes(const Place& at, int rank) {
  List out;
  for (int d = 0; d < rank; ++d) {
    if (at.draw().coin()) out.push_back(d);
  }
  return out;
}

List dimensions(const Place& at) {
  if (at.op == Op::squeeze) {
    List out;
    for (int d = 0; d < at.rank(); ++d) {
      if (at.size(d) == 1 && at.draw().coin()) out.push_back(d);
    }
    return out;
  }
  if (at.op != Op::expand_dims) return axes(at, at.rank());
  List out = {at.draw().below(at.rank() + 1)};
  if (at.draw().one_in(3)) out.push_back(out[0] + 1);
  return out;
}

// The elements in other dimensions.
List factors(const Place& at) {
  std::int64_t left = at.x->shape.elements();
  List out;
  while (left > 1 && out.size() < 4 && !at.draw().one_in(3)) {
    const std::int64_t factor = at.draw().one_of(std::array{1, 2, 3, 4, 5, 7});
    if (left % factor != 0) continue;
    out.push_back(factor);
    left /= factor;
  }
  if (left != 1 || at.draw().coin()) out.push_back(left);
  // Rarely of as many dimensions as there can be, or one less.
  if (at.draw().one_in(12)) {
    out.resize(static_cast<std::size_t>(Shape::kMaxRank - at.draw().below(2)), 1);
  }
  at.draw().shuffle(out);
  return out;
}

List shape(const Place& at) {
  Draw& draw = at.draw();
  if (at.op == Op::reshape) return factors(at);
  if (at.op == Op::broadcast_to) {
    List out = at.each_dimension(
        [&](int d) { return at.size(d) == 1 && draw.coin() ? 1 + draw.below(5) : at.size(d); });
    while (draw.coin()) out.insert(out.begin(), 1 + draw.below(4));
    return out;
  }
  const Shape some = at.program.some_shape();
  return {some.begin(), some.end()};
}

List permutation(const Place& at) {
  List out = at.each_dimension([](int d) { return d; });
  at.draw().shuffle(out);
  return out;
}

// A source for some of the members, each with a target of its own.
List pairs(const Place& at) {
  List from(static_cast<std::size_t>(at.group->size()));
  std::iota(from.begin(), from.end(), 0);
  List to = from;
  at.draw().shuffle(from);
  at.draw().shuffle(to);
  List out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!at.draw().one_in(4)) out.insert(out.end(), {from[i], to[i]});
  }
  return out;
}

std::string reduction_name(const Place& at) {
  const std::array<std::string, 5> numbers = {"sum", "max", "min", "product", "mean"};
  const std::array<std::string, 3> bits = {"and", "or", "xor"};
  const bool truth = at.x != nullptr && at.x->dtype == DType::boolean;
  if (truth || (at.x != nullptr && is_integer(at.x->dtype) && at.draw().one_in(3))) {
    return at.draw().one_of(bits);
  }
  return at.draw().coin() ? numbers[0] : at.draw().one_of(numbers);
}

using DrawAttribute = std::function<Attribute(const Place&)>;

// By name, since names mean the same in all ops.
const std::map<std::string_view, DrawAttribute>& attributes_by_name() {
  static const std::map<std::string_view, DrawAttribute> table = {
      {"axis", [](const Place& at) { return at.draw().below(std::max(at.rank(), 1)); }},
      {"axes", dimensions},
      {"keepdims", [](const Place& at) { return at.draw().coin(); }},
      {"dtype", [](const Place& at) { return at.program.some_dtype(); }},
      {"shape", shape},
      {"permutation", permutation},
      {"start",
       [](const Place& at) {
         return at.each_dimension(
             [&](int d) { return at.draw().one_in(3) ? at.draw().below(at.size(d) + 1) : 0; });
       }},
      {"stop",
       [](const Place& at) {
         return at.each_dimension([&](int d) {
           const std::int64_t start = at.list_before(0)[static_cast<std::size_t>(d)];
           return at.draw().one_in(3) ? start + at.draw().below(at.size(d) - start + 1)
                                      : at.size(d);
         });
       }},
      {"step",
       [](const Place& at) {
         return at.each_dimension(
             [&](int) { return at.draw().one_in(3) ? 2 + at.draw().below(2) : 1; });
       }},
      {"low",
       [](const Place& at) { return at.each_dimension([&](int) { return at.draw().below(3); }); }},
      {"high",
       [](const Place& at) { return at.each_dimension([&](int) { return at.draw().below(3); }); }},
      {"interior",
       [](const Place& at) {
         return at.each_dimension([&](int) { return at.draw().one_in(4) ? 1 : 0; });
       }},
      {"group", [](const Place& at) { return at.group; }},
      {"op", reduction_name},
      {"root", [](const Place& at) { return at.draw().below(at.group->size()); }},
      {"pairs", pairs},
      {"depth", [](const Place& at) { return at.draw().below(6); }},
      {"device",
       [](const Place& at) { return at.draw().one_of(at.program.options.devices).text(); }},
      {"approximate",
       [](const Place& at) { return std::string(at.draw().coin() ? "none" : "tanh"); }},
      {"descending", [](const Place& at) { return at.draw().coin(); }},
      {"reverse", [](const Place& at) { return at.draw().coin(); }},
  };
  return table;
}

}  // namespace

std::optional<std::vector<Attribute>> draw_attributes(GrowingProgram& program, Op op,
                                                      std::optional<ir::Value> x) {
  std::vector<Attribute> out;
  const Place place{.program = program,
                    .op = op,
                    .x = x ? &program.type(*x) : nullptr,
                    .group = program.some_group(),
                    .before = out};
  for (const ir::AttributeSpec& spec : ir::definition(op).attributes) {
    const auto known = attributes_by_name().find(spec.name);
    if (known != attributes_by_name().end()) {
      out.push_back(known->second(place));
    } else if (spec.standard) {
      out.push_back(*spec.standard);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace tutti::test
