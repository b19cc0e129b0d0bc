#pragma once

#include <tutti/ir/graph.h>

#include <string>
#include <vector>

// Gradients against finite differences of the interpreter.
namespace tutti::test {

// The i-th of a list of irregular numbers between 0.3 and 0.9.
double some_number(std::int64_t i);

// Compares the gradient of a function's result, an f64[], with respect to all of its parameters
// with finite differences, on every rank. The ranks may run programs of their own.
void check_gradient(const std::vector<ir::Graph>& programs);
void check_gradient(const ir::Graph& graph);
// The same of the first function of a text.
void check_gradient_of(const std::string& text);

}  // namespace tutti::test
