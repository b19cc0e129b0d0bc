#include "tools/show/show.h"

#include <tutti/codegen/driver/artifacts.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <vector>

#include "tools/disabled_passes.h"
#include "tools/read_program.h"
#include "tools/show/columns.h"
#include "tools/show/dot.h"
#include "tools/show/page.h"
#include "tools/show/places.h"
#include "tools/show/stages.h"
#include "tools/show/svg.h"
#include "tools/write_output.h"

namespace tutti::tools {

namespace {

void check_stage(const ShowOptions& options) {
  const std::vector<std::string_view> names = show::stage_names();
  if (std::ranges::find(names, options.stage) == names.end()) {
    std::string list;
    for (const std::string_view name : names)
      list += (list.empty() ? "" : ", ") + std::string(name);
    throw UsageError("there is no stage '" + options.stage + "'" +
                     ir::suggestion(options.stage, names) + "; there are " + list);
  }
  const bool is_drawing = options.format == ShowFormat::dot || options.format == ShowFormat::svg;
  if (is_drawing && (options.stage == "kernels" || options.stage == "plan")) {
    throw UsageError("the stage '" + options.stage +
                     "' is no graph to draw; --format text and html show it");
  }
}

void check_rank(const ShowOptions& options, const ir::Graph& function) {
  if (function.mesh == nullptr || options.rank < function.mesh->ranks()) return;
  throw UsageError("--rank " + std::to_string(options.rank) + ": the mesh of @" + function.name +
                   " has " + std::to_string(function.mesh->ranks()) + " ranks, from 0 on");
}

// The stage of a function as text or drawing.
std::string stage_text(const ir::Graph& function, const ShowOptions& options,
                       const std::vector<std::string>& disabled) {
  // What the file has needs no passes, and a program that can't be compiled can be looked at.
  const show::Stages stages = options.stage == "trace"
                                  ? show::Stages()
                                  : show::find_stages(function, options.rank, disabled);
  const show::GraphStage* const stage = stages.find(options.stage);
  const bool of_plan = options.stage == "kernels" || options.stage == "plan";
  check_not_disabled(options.stage, disabled);
  const bool is_reached = of_plan ? stages.plan.has_value() : stage != nullptr;
  if (options.stage != "trace" && !is_reached) std::rethrow_exception(stages.failure);
  if (options.stage == "plan") return show::text_with_columns(*stages.plan);
  if (options.stage == "kernels") return codegen::kernels_text(*stages.plan);
  const ir::Graph& graph = stage == nullptr ? function : *stage->graph;
  if (options.format == ShowFormat::dot) return show::dot_text(graph, options.fold);
  if (options.format == ShowFormat::svg) return show::svg_text(graph, options.fold);
  return show::text_with_columns(graph);
}

std::string places(const ShowOptions& options) {
  const bool of_one = !options.function.empty() || options.stage != "trace" || options.fold;
  if (of_one || options.format == ShowFormat::dot || options.format == ShowFormat::html) {
    throw UsageError(options.file.string() +
                     " is a folder: what all its programs have of their groups' memory is shown as "
                     "text or svg, without other options");
  }
  return options.format == ShowFormat::svg ? show::places_picture(options.file)
                                           : show::places_text(options.file);
}

}  // namespace

void show_program(const ShowOptions& options) {
  if (std::filesystem::is_directory(options.file)) {
    return write_output(options.output, places(options), std::cout);
  }
  check_stage(options);
  const std::vector<std::string> disabled = disabled_passes();
  const ir::Module module = read_program(options.file);
  const bool drawing = options.format == ShowFormat::dot || options.format == ShowFormat::svg;
  std::vector<const ir::Graph*> functions;
  if (drawing || !options.function.empty() || module.functions.empty()) {
    functions.push_back(&find_function(module, options.function, options.file));
  } else {
    for (const ir::Graph& function : module.functions) functions.push_back(&function);
  }
  for (const ir::Graph* const function : functions) check_rank(options, *function);
  std::string text;
  if (options.format == ShowFormat::html) {
    show::PageOptions page{
        .file = options.file == "-" ? "standard input" : options.file.filename().string(),
        .stage = options.stage,
        .rank = options.rank,
        .disabled = disabled};
    text = show::page_text(functions, page);
  } else {
    for (const ir::Graph* const function : functions) {
      text += (text.empty() ? "" : "\n") + stage_text(*function, options, disabled);
    }
  }
  write_output(options.output, text, std::cout);
}

}  // namespace tutti::tools
