#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/graph.h>

#include <string>
#include <vector>

// Gradients against finite differences of the interpreter.
namespace tutti::test {

// The i-th of a list of irregular numbers between 0.3 and 0.9.
double some_number(std::int64_t i);

// The sum of a value's elements, an f64, each times an irregular number.
ir::Value weighted_sum(ir::Builder& builder, ir::Value value);

// Compares the gradient of a function's result, an f64[], with respect to all of its parameters
// with finite differences, on every rank. The ranks may run programs of their own.
void check_gradient(const std::vector<ir::Graph>& programs);
void check_gradient(const ir::Graph& graph);
// The same of the first function of a text.
void check_gradient_of(const std::string& text);

// The same of the function and of its gradient.
void check_gradient_twice(const std::vector<ir::Graph>& programs);
void check_gradient_twice(const ir::Graph& graph);

}  // namespace tutti::test
