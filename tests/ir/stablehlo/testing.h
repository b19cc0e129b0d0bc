#pragma once

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <string>
#include <vector>

namespace tutti::test {

using ir::Array;
using ir::Graph;
using ir::import_stablehlo;
using ir::interpret;
using ir::verify;

// @main with these arguments and results, as MLIR has them: "%x: tensor<2xf32>", "tensor<2xf32>".
inline std::string stablehlo_function(const std::string& arguments, const std::string& results,
                                      const std::string& body) {
  return "module @m {\n  func.func public @main(" + arguments + ") -> (" + results + ") {\n" +
         body + "\n  }\n}\n";
}

inline Graph import_main(const std::string& text) {
  Graph graph = import_stablehlo(text, "m.mlir").functions.at(0);
  verify(graph);
  return graph;
}

// What the function gives for arguments.
inline std::vector<Array> run_stablehlo(const std::string& text,
                                        const std::vector<Array>& arguments) {
  return interpret(import_main(text), arguments);
}

// The first result of @main with these arguments and result; see stablehlo_function.
inline Array run_one(const std::string& arguments, const std::string& result,
                     const std::string& body, const std::vector<Array>& values) {
  return run_stablehlo(stablehlo_function(arguments, result, body), values).at(0);
}

inline bool has(const Graph& graph, ir::Op op) {
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op == op) return true;
  }
  return false;
}

// The message of the ParseError that a text is refused with; "" if it is not.
inline std::string refusal(const std::string& text) {
  try {
    import_stablehlo(text, "m.mlir");
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

inline Array f32(const std::vector<float>& values, const Shape& shape) {
  return Array::from(std::span<const float>(values), shape);
}
inline Array f32(const std::vector<float>& values) {
  return f32(values, {static_cast<std::int64_t>(values.size())});
}
inline Array i32(const std::vector<std::int32_t>& values, const Shape& shape) {
  return Array::from(std::span<const std::int32_t>(values), shape);
}
inline Array i32(const std::vector<std::int32_t>& values) {
  return i32(values, {static_cast<std::int64_t>(values.size())});
}

}  // namespace tutti::test
