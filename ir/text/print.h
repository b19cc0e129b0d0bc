#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/text/constant_files.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

// A program as text; docs/ir.md describes it. The text is canonical: print(parse(text)) == text
// holds for everything printed here, and parse(print(graph)) is the same graph.
namespace tutti::ir {

// The functions of one file. They share a mesh.
struct Module {
  std::vector<Graph> functions;
};

// A whole file: header, mesh, groups and functions. Throws TypeError if functions differ in mesh.
// With `store` large constants lie beside the text; otherwise all is in it.
std::string print(const Module& module, const StoreConstant& store = {});
std::string print(const Graph& graph, const StoreConstant& store = {});

// What a function's values are called in its text, without the '%': "x", "2".
std::vector<std::string> value_names(const Graph& graph);
// Other names for the values of functions that nodes run.
using FunctionValueNames = std::unordered_map<const Function*, std::vector<std::string>>;
// The text with other names for the values, such as those of another function that it came of. It
// can be read back if they differ from each other.
std::string print(const Graph& graph, std::span<const std::string> names,
                  const FunctionValueNames& names_inside = {});

// "async f32[64,10] rep(dp)"; null: there is no mesh to take the dimensions' names from.
std::string print(const Type& type, const Mesh* mesh);

// One line of a function, as messages and tables show it: "%2 = add(%x, %1) : f32[10]". A group
// appears under its tag.
std::string print(const Graph& graph, NodeId node);

// The name of a value in the text of its function: "%x", "%2".
std::string print(const Graph& graph, Value value);

}  // namespace tutti::ir
