#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/type.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// MLIR text as a tree: what a parser says of StableHLO before anybody asks what it means. Texts are
// parts of the file's text, which must outlive the tree.
namespace tutti::ir::stablehlo {

// A type. Of a tuple, `parts` are its elements' types.
struct TreeType {
  enum class Kind : std::uint8_t { tensor, tuple, token, other };

  Kind kind = Kind::other;
  DType dtype = DType::f32;
  Shape shape;
  std::vector<TreeType> parts;
  std::size_t offset = 0;

  Type type() const { return {.dtype = dtype, .shape = shape}; }
};

// An attribute's value. A container is a list, a dictionary, a set or what stands in < >: its
// items, of which some have names.
struct Attribute {
  enum class Kind : std::uint8_t { unit, integer, number, text, word, symbol, array, container };

  Kind kind = Kind::unit;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;  // of texts, words and symbols
  ArrayPtr array;    // dense<...>: its elements, or one scalar if all are equal
  Shape shape;       // of the array
  std::vector<Attribute> items;
  std::vector<std::string_view> names;  // of the items; "": none
  std::size_t offset = 0;

  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  // The item of that name, or null.
  const Attribute* find(std::string_view name) const;
  void add(std::string_view name, Attribute item);
};

// Result `index` of the operation whose results have that name: %0#1.
struct Reference {
  std::string_view name;
  std::size_t index = 0;
  std::size_t offset = 0;
};

struct Operation;

struct BlockArgument {
  std::string_view name;
  TreeType type;
  Attribute attributes;  // of a function's argument
  std::size_t offset = 0;
};

// A region of one block. The last operation is its return.
struct Region {
  std::vector<BlockArgument> arguments;
  std::vector<Operation> operations;
};

struct ResultName {
  std::string_view name;
  std::size_t count = 1;  // %0:2 = ...
  std::size_t offset = 0;
};

struct Operation {
  std::string name;  // with its dialect: stablehlo.add
  std::vector<ResultName> results;
  std::vector<Reference> operands;
  Attribute attributes;  // a container
  std::vector<Region> regions;
  std::vector<TreeType> operand_types;  // empty if the text leaves them out
  std::vector<TreeType> result_types;
  std::size_t offset = 0;
  std::uint32_t line = 0;
};

// Whether it ends a region.
bool is_return(const Operation& operation);

struct TreeFunction {
  std::string name;
  Region body;
  std::vector<TreeType> result_types;
  std::vector<Attribute> result_attributes;  // one for each result
  std::size_t offset = 0;
};

// sdy.mesh @mesh = <["x"=2, "y"=4]>
struct TreeMesh {
  std::string name;
  Mesh mesh;
  bool in_order = true;  // device n is the n-th place of the mesh
  std::size_t offset = 0;
};

struct TreeModule {
  std::string name;
  Attribute attributes;
  std::vector<TreeFunction> functions;
  std::unordered_map<std::string, std::size_t> function_of;  // by name
  std::vector<TreeMesh> meshes;
};

}  // namespace tutti::ir::stablehlo
