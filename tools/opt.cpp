#include "tools/opt.h"

#include <tutti/codegen/compile_watch.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text_difference.h>
#include <tutti/ir/verify.h>
#include <tutti/ir/verify_spmd.h>

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <map>
#include <sstream>
#include <vector>

#include "tools/read_program.h"
#include "tools/write_file.h"

namespace tutti::tools {

namespace {

using Passes = std::vector<const ir::Pass*>;

// A line of the table of times.
struct PassTime {
  std::string_view pass;
  std::chrono::nanoseconds time{};
  std::size_t before = 0;  // nodes
  std::size_t after = 0;
};

void write_line(std::ostream& out, std::string_view pass, const std::string& time,
                const std::string& before, const std::string& after) {
  out << "  " << std::left << std::setw(16) << pass << std::right << std::setw(10) << time
      << std::setw(10) << before << std::setw(10) << after << "\n";
}

void write_times(std::ostream& notes, const std::string& title, const std::vector<PassTime>& times,
                 std::size_t before, std::size_t after) {
  notes << title << "\n";
  write_line(notes, "pass", "time", "nodes", "after");
  std::chrono::nanoseconds total{};
  for (const PassTime& each : times) {
    total += each.time;
    write_line(notes, each.pass, codegen::text_of(each.time), std::to_string(each.before),
               std::to_string(each.after));
  }
  write_line(notes, "total", codegen::text_of(total), std::to_string(before),
             std::to_string(after));
}

// Looks on while passes change a function.
class Watch {
 public:
  Watch(const OptOptions& options, const ir::Graph& graph, std::ostream& notes)
      : options_(options), notes_(notes), last_(graph) {
    check_ranks(graph, "as it is read");
  }

  ir::PassOptions hooks() {
    ir::PassOptions out;
    if (options_.verify_each) out.verify = [](const ir::Graph& graph) { ir::verify(graph); };
    out.after = [this](const ir::PassReport& report) { after(report); };
    return out;
  }

  const std::vector<PassTime>& times() const { return times_; }

 private:
  void after(const ir::PassReport& report) {
    const std::string pass(report.pass.name);
    times_.push_back({.pass = report.pass.name,
                      .time = report.time,
                      .before = last_.node_count(),
                      .after = report.graph.node_count()});
    if (!report.changed) {
      if (ir::structurally_equal(last_, report.graph)) return;
      throw InternalError("pass " + pass + " changed @" + last_.name + " and said that it had not");
    }
    check_ranks(report.graph, "after pass " + pass);
    const std::string place = "@" + last_.name;
    if (options_.print_changed) {
      notes_ << ir::text_difference(last_, report.graph,
                                    {.before = place + " before " + pass,
                                     .after = place + " after " + pass,
                                     .colours = options_.colours});
    }
    if (options_.print_after_all) {
      notes_ << "// " << place << " after " << pass << "\n" << ir::print(report.graph) << "\n";
    }
    last_ = report.graph;
  }

  void check_ranks(const ir::Graph& graph, const std::string& when) const {
    if (options_.ranks == 0) return;
    const std::vector<ir::RankProgram> programs(static_cast<std::size_t>(options_.ranks), {&graph});
    const ir::SpmdReport report = ir::verify_spmd(programs);
    if (report.findings.empty()) return;
    throw VerifyError("@" + graph.name + " does not fit on " + std::to_string(options_.ranks) +
                      (options_.ranks == 1 ? " rank " : " ranks ") + when + ": " +
                      report.findings[0]);
  }

  const OptOptions& options_;
  std::ostream& notes_;
  ir::Graph last_;
  std::vector<PassTime> times_;
};

// The sums over functions, in the order of the passes' first runs.
void add_times(std::vector<PassTime>& sums, const std::vector<PassTime>& times) {
  for (const PassTime& each : times) {
    auto sum = std::ranges::find(sums, each.pass, &PassTime::pass);
    if (sum == sums.end()) sum = sums.insert(sum, {.pass = each.pass});
    sum->time += each.time;
    sum->before += each.before;
    sum->after += each.after;
  }
}

void stop_after(Passes& passes, const std::string& name) {
  const auto last = std::ranges::find(passes, name, &ir::Pass::name);
  if (last == passes.end()) {
    std::vector<std::string_view> names;
    for (const ir::Pass* const pass : passes) names.push_back(pass->name);
    throw UsageError("--stop-after: the pass '" + name + "' is not run" +
                     ir::suggestion(name, names));
  }
  passes.erase(last + 1, passes.end());
}

}  // namespace

void optimize(const OptOptions& options, std::ostream& out, std::ostream& notes) {
  Passes passes = selected_passes(options.passes);
  if (!options.stop_after.empty()) stop_after(passes, options.stop_after);
  ir::Module module = read_program(options.file);
  // For its message if there is none of that name.
  if (!options.function.empty()) find_function(module, options.function, options.file);
  std::vector<PassTime> sums;
  std::size_t functions = 0;
  std::size_t before = 0;
  std::size_t after = 0;
  for (ir::Graph& function : module.functions) {
    if (!options.function.empty() && function.name != options.function) continue;
    Watch watch(options, function, notes);
    const std::size_t nodes = function.node_count();
    ir::run_passes(function, passes, watch.hooks());
    if (options.time_passes) {
      write_times(notes, "@" + function.name, watch.times(), nodes, function.node_count());
    }
    add_times(sums, watch.times());
    before += nodes;
    after += function.node_count();
    ++functions;
  }
  if (options.time_passes && functions > 1) {
    write_times(notes, "all " + std::to_string(functions) + " functions", sums, before, after);
  }
  if (options.no_output) return;
  const std::string text = ir::print(module);
  if (options.output.empty()) {
    out << text;
  } else {
    write_file(options.output, text);
  }
}

void list_passes(std::ostream& out) {
  const auto line = [&](std::string_view name, std::string_view does) {
    out << "  " << std::left << std::setw(16) << name << does << "\n";
  };
  out << "passes, in the compiler's order\n";
  for (const ir::Pass& pass : ir::all_passes()) line(pass.name, pass.does);
  out << "pipelines\n";
  for (const ir::Pipeline& pipeline : ir::all_pipelines()) line(pipeline.name, pipeline.does);
}

}  // namespace tutti::tools
