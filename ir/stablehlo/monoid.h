#pragma once

#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/translate.h>

#include <optional>
#include <string_view>

namespace tutti::ir::stablehlo {

// Combining elements: what the regions of reductions nearly always are.
struct Monoid {
  std::string_view name;  // of the operation: "add"
  Op reduction;           // over axes
  bool truths;            // of bool, or else of numbers
  double identity;        // -inf and inf stand for the least and the greatest number of any dtype
};

// The monoid of a region that is one operation on its two arguments, for elements of a dtype.
std::optional<Monoid> monoid_of(const Step& step, std::size_t region, DType dtype);

// The identity in a dtype.
Array identity_of(const Monoid& monoid, DType dtype);

// The array that a value is everywhere, if it is a constant; null else.
const Array* constant_of(const Graph& graph, Value value);
// The same for what a name stands for; null also if it stands for nothing.
RegionText::Around constants_around(const Step& step);

// Whether a value is a constant with that number.
bool is_constant(const Graph& graph, Value value, const Array& number);

}  // namespace tutti::ir::stablehlo
