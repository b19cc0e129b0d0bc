#include "tools/bisect.h"

#include <tutti/ir/debug/bisect.h>
#include <tutti/ir/debug/program_size.h>
#include <tutti/ir/debug/text_difference.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <iomanip>
#include <set>

#include "tools/execute.h"
#include "tools/program_inputs.h"
#include "tools/random_inputs.h"
#include "tools/rank_programs.h"
#include "tools/read_program.h"

namespace tutti::tools {

namespace {

ir::RankPrograms read_one_for_all(const BisectOptions& options) {
  const ir::Module module = read_program(options.file);
  // Where sizes vary, the largest ones are tried.
  const ir::Graph function = with_sizes(find_function(module, options.function, options.file), {});
  const std::int64_t ranks = options.ranks != 0 ? options.ranks : count_ranks(function);
  return ir::RankPrograms::same(function, static_cast<std::size_t>(ranks));
}

ir::RankPrograms read_one_for_each(const BisectOptions& options) {
  const std::vector<RankSource> sources = find_ranks(options.folder);
  Modules modules = read_all(sources);
  for (ir::Module& module : modules) name_apart(module);
  std::vector<ir::Graph> functions;
  for (std::size_t rank = 0; rank < modules.size(); ++rank) {
    const ir::Graph& function = find_function(modules[rank], options.function, sources[rank].path);
    functions.push_back(with_sizes(function, {}));
  }
  for (const ir::Graph& function : functions) {
    const auto named = static_cast<std::size_t>(count_ranks(function));
    if (named <= functions.size()) continue;
    throw UsageError("@" + function.name + " is for " + ir::counted(named, "rank") + ", but " +
                     options.folder.string() + " has the programs of " +
                     std::to_string(functions.size()));
  }
  return ir::RankPrograms::distinct(functions);
}

bool takes(const ir::Graph& graph, const std::string& name) {
  return std::ranges::find(graph.parameters(), name, &ir::Parameter::name) !=
         graph.parameters().end();
}

// Without what other programs take.
std::vector<std::string> inputs_for(const ir::Graph& graph, const ir::RankPrograms& programs,
                                    const std::vector<std::string>& inputs) {
  std::vector<std::string> out;
  for (const std::string& input : inputs) {
    const std::size_t sign = input.find('=');
    const std::string name = input.substr(0, sign == input.npos ? 0 : sign);
    const bool is_for_others =
        !takes(graph, name) && std::ranges::any_of(programs.graphs, [&](const ir::Graph& other) {
          return takes(other, name);
        });
    if (!is_for_others) out.push_back(input);
  }
  return out;
}

ir::RankArrays inputs_of(const ir::RankPrograms& programs, const BisectOptions& options) {
  ir::RankArrays out;
  std::vector<InputFiles> files;  // [program]
  for (const ir::Graph& graph : programs.graphs) {
    files.emplace_back(graph, inputs_for(graph, programs, options.inputs));
  }
  for (std::size_t rank = 0; rank < programs.of_rank.size(); ++rank) {
    const std::size_t program = programs.of_rank[rank];
    const auto number = static_cast<std::int64_t>(rank);
    out.push_back(options.inputs.empty()
                      ? random_inputs(programs.graphs[program], options.seed, number)
                      : files[program].read(number));
  }
  return out;
}

// "@f, 7 nodes", "2 programs @f of 7 to 9 nodes".
std::string described(const ir::RankPrograms& programs) {
  const std::string name = "@" + programs.graphs[0].name;
  std::set<std::size_t> sizes;
  for (const ir::Graph& graph : programs.graphs) sizes.insert(ir::count_nodes(graph));
  const std::string most = ir::counted(*sizes.rbegin(), "node");
  if (programs.graphs.size() == 1) return name + ", " + most;
  const bool same_name = std::ranges::all_of(
      programs.graphs, [&](const ir::Graph& graph) { return "@" + graph.name == name; });
  return std::to_string(programs.graphs.size()) + " programs " + (same_name ? name + " " : "") +
         "of " + (sizes.size() == 1 ? "" : std::to_string(*sizes.begin()) + " to ") + most;
}

ir::Tolerance tolerance_of(const BisectOptions& options, const ir::Tolerance& standard) {
  if (!options.tolerance) return standard;
  return [given = *options.tolerance](DType) { return given; };
}

void write_line(std::ostream& out, std::string_view stage, std::string_view says) {
  out << "  " << std::left << std::setw(16) << stage << says << "\n";
}

void show(const ir::PassCulprit& culprit, const ir::RankPrograms& programs,
          const BisectOptions& options, std::ostream& out) {
  const std::string place = ir::place_of(culprit, programs);
  write_line(out, culprit.pass, "WRONG");
  out << ir::blame_of(culprit, programs) << "\n\n"
      << ir::text_difference(culprit.before, culprit.after,
                             {.before = "before " + culprit.pass + place,
                              .after = "after " + culprit.pass + place,
                              .colours = options.colours});
}

// Compiles programs as the passes left them.
ir::RankArrays run_compiled_without(const ir::RankPrograms& programs, const ir::RankArrays& inputs,
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
  return execute(programs.by_rank(), inputs, options);
}

void show(const ir::CodeCulprit& culprit, const ir::RankPrograms& programs, std::ostream& out) {
  write_line(out, "compiled", "WRONG");
  out << "the passes are innocent, but compiled " << culprit.finding << "\nto blame is "
      << culprit.blame;
  if (programs.graphs.size() > 1 && !culprit.ranks.empty()) {
    out << "; it is in the program of " << ir::text_of_ranks(culprit.ranks);
  }
  out << "\n";
  for (const ir::NodeId node : culprit.nodes) {
    out << "  " << ir::print(culprit.graph, node) << "\n";
  }
}

}  // namespace

bool bisect(const BisectOptions& options, std::ostream& out) {
  const std::vector<const ir::Pass*> passes = selected_passes(options.passes);
  const ir::RankPrograms programs =
      options.folder.empty() ? read_one_for_all(options) : read_one_for_each(options);
  const ir::RankArrays inputs = inputs_of(programs, options);
  out << described(programs) << " on " << ir::counted(programs.of_rank.size(), "rank");
  if (options.inputs.empty()) out << ", random inputs from seed " << options.seed;
  out << "\n";
  const auto innocent = [&](const ir::Innocent& look) {
    write_line(out, look.pass.name, look.changed ? "same results" : "changed nothing");
    out.flush();
  };
  const ir::PassBisection bisection = ir::bisect_passes(
      programs, passes, inputs, tolerance_of(options, ir::tolerance_of_passes()), innocent);
  if (bisection.culprit) {
    show(*bisection.culprit, programs, options, out);
    return false;
  }
  if (!options.compiled) return true;
  const auto culprit = ir::bisect_code(
      bisection.programs, inputs,
      [&](const ir::RankPrograms& made) { return run_compiled_without(made, inputs, passes); },
      tolerance_of(options, ir::tolerance_of_code()));
  if (culprit) {
    show(*culprit, programs, out);
    return false;
  }
  write_line(out, "compiled", "same results");
  return true;
}

}  // namespace tutti::tools
