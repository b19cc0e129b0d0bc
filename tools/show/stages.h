#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools::show {

// The program as the file has it, or after a pass.
struct GraphStage {
  std::string name;  // "trace", "decompose", ...
  std::string does;
  bool changed = true;
  std::shared_ptr<const ir::Graph> graph;  // that of the stage before if nothing changed
};

// A function on its way to steps. Where a pass or the plan fails, there is what comes before.
struct Stages {
  std::vector<GraphStage> graphs;
  std::optional<codegen::Plan> plan;
  // Where the values of the last graph lie, by value: a number of a buffer of the plan, or -1.
  std::vector<codegen::BufferId> buffers;
  std::exception_ptr failure;  // null: all is there

  // What the failure says; empty if there is none.
  std::string failure_text() const;
  // Null if there is none of that name, or it was not reached.
  const GraphStage* find(std::string_view name) const;
};

// Runs the passes that the settings do not disable, and makes the plan of one rank. Compiles and
// runs nothing, so that programs for other machines can be shown.
Stages find_stages(const ir::Graph& function, std::int64_t rank,
                   const std::vector<std::string>& disabled);

// "trace", the passes, "kernels" and "plan": what --stage takes.
std::vector<std::string_view> stage_names();

// The text of each step as codegen::print has it, without its number; several lines for launches of
// several parts.
std::vector<std::string> step_texts(const codegen::Plan& plan);

}  // namespace tutti::tools::show
