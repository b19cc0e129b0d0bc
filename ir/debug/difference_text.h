#pragma once

#include <tutti/ir/graph.h>

#include <cstddef>
#include <string>

// The words in which difference() speaks of nodes, meshes, groups and arrays.
namespace tutti::ir::difference_text {

// " (train.cpp:41)"; nothing for an unknown line.
std::string in_parentheses(Location location);

// The types of a node's results: "f32[64], i32[]".
std::string types_of(const Graph& graph, NodeId id);

// "%4 = mul(%2, %3) : f32[64] (train.cpp:41)"
std::string described(const Graph& graph, NodeId id);

// "mul(%2, %3) : f32[64]", and without the types if these go without saying.
std::string right_side(const Graph& graph, NodeId id, bool with_types);

// Without attributes and types: "%0, %1 = scan(%h, %xs) (train.cpp:41)".
std::string name_of_call(const Graph& graph, NodeId id);

// Which of the functions that a node runs.
struct FunctionSlot {
  std::size_t attribute;
  std::size_t index;  // among those of the attribute
};
// "the body of %0 = scan(%h)", "branch 1 of %2 = conditional(%i, %x)".
std::string place_of_function(const Graph& graph, NodeId id, FunctionSlot slot);

std::string text_of(const Mesh* mesh);
std::string text_of(const Group& group);
// [["dp"], []]
std::string text_of(const Sharding& sharding);

// "element 3 is 1.5 in A and 2.5 in B", of arrays of one type.
std::string first_element(const Array& a, const Array& b);

}  // namespace tutti::ir::difference_text
