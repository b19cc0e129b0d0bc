#include "tools/bisect.h"

#include <tutti/ir/bisect.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text_difference.h>

#include <algorithm>
#include <iomanip>

#include "tools/execute.h"
#include "tools/program_inputs.h"
#include "tools/random_inputs.h"
#include "tools/read_program.h"

namespace tutti::tools {

namespace {

ir::RankArrays inputs_of(const ir::Graph& function, std::int64_t ranks,
                         const BisectOptions& options) {
  ir::RankArrays out;
  InputFiles files(function, options.inputs);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    out.push_back(options.inputs.empty() ? random_inputs(function, options.seed, rank)
                                         : files.read(rank));
  }
  return out;
}

ir::Tolerance tolerance_of(const BisectOptions& options, const ir::Tolerance& standard) {
  if (!options.tolerance) return standard;
  return [given = *options.tolerance](DType) { return given; };
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void write_line(std::ostream& out, std::string_view stage, std::string_view says) {
  out << "  " << std::left << std::setw(16) << stage << says << "\n";
}

void show(const ir::PassCulprit& culprit, const BisectOptions& options, std::ostream& out) {
  write_line(out, culprit.pass, "WRONG");
  out << "the pass " << culprit.pass << " is to blame: after it " << culprit.finding << "\n\n"
      << ir::text_difference(culprit.before, culprit.after,
                             {.before = "before " + culprit.pass,
                              .after = "after " + culprit.pass,
                              .colours = options.colours});
}

// Compiles graphs as the passes left them.
ir::RankArrays run_compiled(const ir::Graph& graph, const ir::RankArrays& inputs,
                            std::span<const ir::Pass* const> passes) {
  static constexpr ir::Pass kNothing = {"nothing", [](ir::Graph&) { return false; },
                                        "leaves the program as it is"};
  codegen::CompileOptions options;
  options.passes = {&kNothing};
  for (const ir::Pass& pass : ir::all_passes()) {
    if (std::ranges::find(passes, &pass) == passes.end()) {
      options.disabled.emplace_back(pass.name);
    }
  }
  return execute(graph, inputs, Engine::compiled, options);
}

void show(const ir::CodeCulprit& culprit, const ir::Graph& graph, std::ostream& out) {
  write_line(out, "compiled", "WRONG");
  out << "the passes are innocent, but compiled " << culprit.finding << "\nto blame is "
      << culprit.blame << "\n";
  for (const ir::NodeId node : culprit.nodes) out << "  " << ir::print(graph, node) << "\n";
}

}  // namespace

bool bisect(const BisectOptions& options, std::ostream& out) {
  const std::vector<const ir::Pass*> passes = selected_passes(options.passes);
  const ir::Module module = read_program(options.file);
  // Where sizes vary, the largest ones are tried.
  const ir::Graph function = with_sizes(find_function(module, options.function, options.file), {});
  const std::int64_t ranks = options.ranks != 0 ? options.ranks : count_ranks(function);
  const ir::RankArrays inputs = inputs_of(function, ranks, options);
  out << "@" << function.name << ", " << counted(function.node_count(), "node") << " on "
      << counted(static_cast<std::size_t>(ranks), "rank");
  if (options.inputs.empty()) out << ", random inputs from seed " << options.seed;
  out << "\n";
  const auto innocent = [&](const ir::PassReport& report) {
    write_line(out, report.pass.name, report.changed ? "same results" : "changed nothing");
    out.flush();
  };
  const ir::PassBisection bisection = ir::bisect_passes(
      function, passes, inputs, tolerance_of(options, ir::tolerance_of_passes()), innocent);
  if (bisection.culprit) {
    show(*bisection.culprit, options, out);
    return false;
  }
  if (!options.compiled) return true;
  const auto culprit = ir::bisect_code(
      bisection.graph, inputs,
      [&](const ir::Graph& graph) { return run_compiled(graph, inputs, passes); },
      tolerance_of(options, ir::tolerance_of_code()));
  if (culprit) {
    show(*culprit, bisection.graph, out);
    return false;
  }
  write_line(out, "compiled", "same results");
  return true;
}

}  // namespace tutti::tools
