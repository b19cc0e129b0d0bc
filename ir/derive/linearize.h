#pragma once

#include <tutti/ir/builder.h>

#include <span>
#include <vector>

namespace tutti::ir {

// A function that was cut out of a program: it has parameters of its own, and after them one for
// each value that it captured from the program.
struct Linear {
  Graph graph;
  std::vector<Value> captured;
};

// The derivative of `outputs` with respect to the floating-point values `wrt`, as a function that
// may be used later and more than once; what it needs of the values in between it captures. The
// program stays as it is. Throws TypeError, naming op and line, where an op on the way has no
// gradient.

// Backwards, the vector-Jacobian product: a parameter for the cotangent of every floating-point
// output, and a result, its cotangent, for every value of `wrt`.
Linear pullback(const Builder& program, std::span<const Value> outputs, std::span<const Value> wrt);

// Forwards, the Jacobian-vector product: a parameter for the tangent of every value of `wrt`, and a
// result, its tangent, for every floating-point output. It is the pullback of the pullback
// (J. Townsend, "A new trick for calculating Jacobian vector products", 2017).
Linear pushforward(const Builder& program, std::span<const Value> outputs,
                   std::span<const Value> wrt);

// Appends a function's nodes at the builder's end and returns what its results are there. Arguments
// stand for its parameters in their order; TypeError if they do not have their types. One that is
// replicated over more dimensions than the parameter varies first. `places`, if not null, gets
// where each value of the function is now, by its id.
std::vector<Value> inline_into(Builder& builder, const Graph& function,
                               std::span<const Value> arguments,
                               std::vector<Value>* places = nullptr);

}  // namespace tutti::ir
