#pragma once

#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/term.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::ir {

// What became of functions that nodes run, by the symbols whose values they get. Shared by all
// functions of a program, which may run the same ones.
using BoundFunctions = std::map<std::pair<FunctionPtr, std::vector<std::string>>, FunctionPtr>;

// What the rules of the pass bound_sizes work with: a function with sizes that vary is rebuilt with
// all sizes at their bounds and a parameter more, i64[], for each symbol. Every value then begins,
// along each dimension that varies, with what it has in the instance; what lies behind that has no
// meaning, and no rule may let it come into what has.
class SizeBounds {
 public:
  // `parameters`: the symbols for which the function gets a parameter, its own ones among them.
  // Throws TypeError for a size that is not largest where all symbols are.
  SizeBounds(const Graph& from, std::vector<std::string> parameters, BoundFunctions& functions);

  // `number`: the type of the new parameters.
  Graph run(const Type& number);

  const Graph& from() const { return from_; }
  Builder& builder() { return builder_; }
  NodeId node() const { return node_; }
  Op op() const { return from_.node(node_).op; }
  Attributes attributes() const { return from_.attributes(node_); }

  // The node's operand, as a value of the new function.
  Term operand(std::size_t i) { return {&builder_, values_[from_.operand(node_, i).id]}; }
  std::vector<Value> operands() const;
  // Of the node's operand and result in the function as it was.
  bool operand_varies(std::size_t i, int dimension) const {
    return size_varies(from_, from_.operand(node_, i), dimension);
  }
  SizeExpression operand_size(std::size_t i, int dimension) const {
    return size_expression(from_, from_.operand(node_, i), dimension);
  }
  SizeExpression result_size(int dimension, std::size_t i = 0) const {
    return size_expression(from_, from_.result(node_, i), dimension);
  }
  // Whether any integer of the attribute of that name varies; false for an op that has none.
  bool attribute_varies(std::string_view name) const;
  // An integer of the attribute of that name.
  SizeExpression attribute(std::string_view name, std::size_t place = 0) const;

  // A size as a value: i64[].
  Term size(const SizeExpression& expression);
  // x with `fill` in place of what has no meaning along dimensions of these sizes; nothing is
  // replaced along those of a constant size.
  Term filled(Term x, std::span<const SizeExpression> sizes, const Array& fill);
  // The same for the node's operand along some of its dimensions.
  Term filled_operand(std::size_t i, std::span<const std::int64_t> dimensions, const Array& fill);
  // Whether the place along a dimension of a shape of that rank, `most` there, is below `limit`:
  // bool, of size 1 along all other dimensions.
  Term below(int rank, int dimension, std::int64_t most, const SizeExpression& limit);
  // Whether a place in a tensor of that shape is below these sizes; none if none of them varies.
  Term inside(const Shape& shape, std::span<const SizeExpression> sizes);
  // The part of x of these sizes at starts, where that may reach beyond x: what it has there has no
  // meaning.
  Term part(Term x, std::span<const SizeExpression> starts, std::span<const std::int64_t> sizes);
  // The largest value of an expression within the bounds.
  std::int64_t largest(const SizeExpression& expression) const;
  // Starts of a slice as a value: i64[rank].
  Term starts(std::span<const SizeExpression> starts);
  // The number of each element of such sizes in the instance's row-major order: i64.
  Term numbers(std::span<const SizeExpression> sizes);
  // Whether the elements that have a meaning come first, in the same order as in the instance.
  bool has_leading_layout(std::span<const SizeExpression> sizes) const;
  // x, whose sizes are `before`, as a tensor of sizes `after`, both in row-major order.
  Term reshaped(Term x, std::span<const SizeExpression> before,
                std::span<const SizeExpression> after);

  void result(Term term, std::size_t i = 0) { values_[from_.result(node_, i).id] = term.value(); }
  // The node as it is, with other operands or the old ones.
  void copy() { copy(operands()); }
  void copy(std::span<const Value> operands) { copy(operands, from_.node(node_).attributes); }
  void copy(std::span<const Value> operands, std::vector<Attribute> attributes);
  // Throws TypeError: the program cannot have varying sizes like that.
  [[noreturn]] void fail(const std::string& what) const;

  // Bounds functions that the node runs, which then take more arguments: those returned.
  std::vector<Value> bound_functions(std::span<FunctionPtr> functions);

 private:
  std::span<const SizeSymbol> symbols() const;
  void fail_if_async(Term x) const;
  std::vector<std::int64_t> largest_shape(std::span<const SizeExpression> sizes) const;

  const Graph from_;
  const std::vector<std::string> parameters_;
  Graph to_;
  Builder builder_;
  NodeId node_ = 0;
  std::vector<Value> values_;                     // [old value]
  std::vector<Value> scalars_;                    // [symbol]
  std::unordered_map<std::string, Value> sizes_;  // by text
  std::unordered_map<std::string, Value> below_;
  BoundFunctions& functions_;
};

// Rebuilds a node whose operands or results vary, or whose attributes do.
void bound_node(SizeBounds& bounds);

// The type of a number, i64[], that a function which a node runs takes beside its parameters: the
// same on all ranks, and where these lie.
Type number_inside(const Graph& function);

}  // namespace tutti::ir
