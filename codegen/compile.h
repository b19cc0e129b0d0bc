#pragma once

#include <tutti/codegen/executable.h>
#include <tutti/codegen/kernel_compiler.h>
#include <tutti/ir/graph.h>

#include <functional>
#include <memory>
#include <string_view>

namespace tutti::codegen {

struct CompileOptions {
  Engine engine = kDefaultEngine;
  // Called with the graph as traced ("trace") and after every pass (its name).
  std::function<void(std::string_view stage, const ir::Graph&)> on_stage = {};
};

// From a traced function to something that runs on this rank.
std::unique_ptr<Executable> compile(ir::Graph graph, runtime::Context& context,
                                    const CompileOptions& options = {});

}  // namespace tutti::codegen
