#include "tools/execute.h"

#include <tutti/ir/interpret.h>

namespace tutti::tools {

namespace {

// The way through passes, kernels and plans. Until it runs all ranks of a program from plain
// arrays, the reference interpreter stands in for it: slower, with the same meaning.
std::vector<std::vector<ir::Array>> run_compiled(const ir::Graph& function,
                                                 std::span<const std::vector<ir::Array>> inputs) {
  return ir::interpret(function, inputs);
}

}  // namespace

std::vector<std::vector<ir::Array>> execute(const ir::Graph& function,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            Engine engine) {
  return engine == Engine::interpreter ? ir::interpret(function, inputs)
                                       : run_compiled(function, inputs);
}

}  // namespace tutti::tools
