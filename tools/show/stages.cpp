#include "tools/show/stages.h"

#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/disabled_passes.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

#include "tools/show/format.h"
#include "tools/show/function_text.h"

namespace tutti::tools::show {

const GraphStage* Stages::find(std::string_view name) const {
  const auto found = std::ranges::find(graphs, name, &GraphStage::name);
  return found == graphs.end() ? nullptr : &*found;
}

std::string Stages::failure_text() const {
  if (failure == nullptr) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.what();
  }
}

Stages find_stages(const ir::Graph& function, std::int64_t rank,
                   const std::vector<std::string>& disabled) {
  Stages out;
  out.graphs.push_back({.name = "trace",
                        .does = "as the file has it",
                        .changed = true,
                        .graph = std::make_shared<const ir::Graph>(function)});
  try {
    ir::Graph graph = function;
    ir::PassOptions options{.disabled = disabled, .verify = {}, .after = {}};
    options.after = [&](const ir::PassReport& report) {
      out.graphs.push_back({.name = std::string(report.pass.name),
                            .does = std::string(report.pass.does),
                            .changed = report.changed,
                            .graph = report.changed
                                         ? std::make_shared<const ir::Graph>(report.graph)
                                         : out.graphs.back().graph});
    };
    ir::run_passes(graph, options);
    codegen::stand_in_for_disabled(graph, disabled);
    out.plan = codegen::make_plan(
        graph, rank,
        {.asked = codegen::compile_options(runtime::Settings::process()).algorithm,
         .one_program = true},
        &out.buffers);
  } catch (const Error&) {
    out.failure = std::current_exception();
  }
  return out;
}

std::vector<std::string_view> stage_names() {
  std::vector<std::string_view> out = {"trace"};
  for (const ir::Pass& pass : ir::all_passes()) out.push_back(pass.name);
  out.emplace_back("kernels");
  out.emplace_back("plan");
  return out;
}

std::vector<std::string> step_texts(const codegen::Plan& plan) {
  std::vector<std::string> out;
  const std::string text = codegen::print(plan);
  bool in_launch = false;  // of several parts, which have a line each
  for (const std::string_view line : lines_of(text)) {
    const std::string number = std::to_string(out.size()) + ": ";
    const std::string_view trimmed =
        line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (out.size() < plan.steps.size() && trimmed.starts_with(number)) {
      out.emplace_back(trimmed.substr(number.size()));
      in_launch = out.back() == "together";
    } else if (in_launch && (trimmed.starts_with("launch ") || trimmed.starts_with("call "))) {
      out.back() += "\n" + std::string(trimmed);
    } else {
      in_launch = false;
    }
  }
  return out;
}

}  // namespace tutti::tools::show
