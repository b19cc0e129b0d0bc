#pragma once

#include <tutti/ir/attribute.h>
#include <tutti/ir/scalar.h>
#include <tutti/ir/type.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir {

// Every op of the IR. An op is one row of a table in ir/table/*.def, where its family's .cpp file
// gives its rules; the enumerators, the names and the definitions all come from those rows.
enum class Op : std::uint8_t {
#define TUTTI_OP(name, ...) name,
#include <tutti/ir/table/all.def>
#undef TUTTI_OP
};

#define TUTTI_OP(name, ...) +1
inline constexpr int kOpCount = 0
#include <tutti/ir/table/all.def>
    ;
#undef TUTTI_OP
static_assert(kOpCount < 256, "Op is one byte");

class Inference;
class Gradient;
class Interpretation;
class CollectiveInterpretation;
class Graph;
class Decomposition;

// What kind of thing an op is; decides how passes and code generation treat it.
enum class OpClass : std::uint8_t {
  parameter,    // a function's argument
  elementwise,  // one scalar expression over broadcast operands
  view,         // the operand's elements at other indices; costs nothing where strides can say it
  make,         // elements computed from attributes and index alone (constant, iota, full)
  reduce,       // combines elements along axes
  opaque,       // anything else that is local
  collective,   // communicates; keeps program order and is never dropped, merged or repeated
  wait,         // makes a collective's result usable
  composite,    // stands for its decomposition into other ops
  control,      // runs functions of its own: loops, branches
};

// What people are told of an op (`tutti ops`, docs/ops.md).
struct Documentation {
  std::string_view operands;  // "x, indices"
  std::string_view dtypes;
  std::string_view meaning;
  std::string gradient;  // "yes", "zero" (almost everywhere), "none" (an error), or how it is
  std::string_view family = {};
};

// The definition of an op.
struct Definition {
  Op op;
  std::string_view name;
  OpClass kind;
  int least_operands;
  int most_operands;  // -1: any number
  std::vector<AttributeSpec> attributes;
  // Result types from operand types and attributes, or a TypeError. Replication follows the one
  // rule of intersection, except for collectives, which set their own.
  void (*infer)(Inference&);
  // The cotangents of the operands from those of the results; null if the op has no gradient.
  void (*gradient)(Gradient&);
  // The reference meaning: one of these, by kind (elementwise ops have `meaning` instead).
  void (*interpret)(Interpretation&) = nullptr;
  void (*interpret_collective)(CollectiveInterpretation&) = nullptr;
  void (*decompose)(Decomposition&) = nullptr;
  std::optional<ScalarExpression> meaning = std::nullopt;
  // Whether the node, a composite, is better left whole where it is computed, which has a kernel
  // for it; null: never.
  bool (*is_taken_whole)(const Graph&, std::uint32_t node) = nullptr;
  Documentation documentation = {};
};

const Definition& definition(Op op);
std::span<const Definition> definitions();
// "add"; the name in IR text.
std::string_view name_of(Op op);
std::optional<Op> op_from_name(std::string_view name);

// What an op's type rule sees, and where it puts its results' types.
class Inference {
 public:
  // Fills `results`, which are empty.
  Inference(const Definition& definition, std::span<const Type> operands,
            std::span<const Attribute> attributes, const Mesh* mesh, std::vector<Type>& results)
      : attributes(definition.attributes, attributes),
        mesh(mesh),
        definition_(definition),
        operands_(operands),
        results_(results) {}

  int count() const { return static_cast<int>(operands_.size()); }
  const Type& operand(int i) const { return operands_[static_cast<std::size_t>(i)]; }
  // Adds a result; its replication is filled in afterwards unless the op is a collective.
  void result(Type type) { results_.push_back(type); }
  void result(DType dtype, const Shape& shape) {
    results_.push_back({.dtype = dtype, .shape = shape});
  }
  const std::vector<Type>& results() const { return results_; }
  // Throws TypeError: "add: <message>; the operands are f32[3] and f32[4]".
  [[noreturn]] void fail(const std::string& message) const;
  // What it says.
  std::string complaint(const std::string& message) const;
  // fail(message) unless the condition holds. A message with parts is a function that puts it
  // together: most conditions hold.
  void require(bool condition, const char* message) const {
    if (!condition) fail(message);
  }
  template <std::invocable Message>
  void require(bool condition, Message&& message) const {
    if (!condition) fail(message());
  }

  const Attributes attributes;
  const Mesh* const mesh;  // null: the program has no mesh

 private:
  const Definition& definition_;
  std::span<const Type> operands_;
  std::vector<Type>& results_;
};

}  // namespace tutti::ir
