#include "tools/opt.h"

#include <tutti/codegen/time_text.h>
#include <tutti/ir/debug/program_size.h>
#include <tutti/ir/debug/text_difference.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/ir/verify/verify_spmd.h>

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <vector>

#include "tools/read_program.h"
#include "tools/write_output.h"

namespace tutti::tools {

namespace {

using Passes = std::vector<const ir::Pass*>;

// A line of the table of times.
struct Time {
  std::string of;  // a pass, or "in @cell"
  std::chrono::nanoseconds time{};
  std::size_t before = 0;  // nodes, with those of functions that nodes run
  std::size_t after = 0;
};

// How long passes took for a function, and for those that its nodes run.
struct Times {
  std::vector<Time> passes;
  std::vector<Time> functions;
  std::size_t before = 0;
  std::size_t after = 0;
};

// In the order in which they come first.
Time& line_of(std::vector<Time>& lines, const std::string& of) {
  const auto known = std::ranges::find(lines, of, &Time::of);
  return known != lines.end() ? *known : lines.emplace_back(Time{.of = of});
}

std::string line_of_function(const std::string& name) { return "in @" + name; }

void add_lines(std::vector<Time>& sums, const std::vector<Time>& lines) {
  for (const Time& each : lines) {
    Time& sum = line_of(sums, each.of);
    sum.time += each.time;
    sum.before += each.before;
    sum.after += each.after;
  }
}

void write_times(std::ostream& notes, const std::string& title, const Times& times) {
  std::size_t width = 16;
  for (const Time& each : times.functions) width = std::max(width, each.of.size() + 4);
  const auto line = [&](std::string_view of, const std::string& time, const std::string& before,
                        const std::string& after) {
    notes << "  " << std::left << std::setw(static_cast<int>(width)) << of << std::right
          << std::setw(10) << time << std::setw(10) << before << std::setw(10) << after << "\n";
  };
  const auto write = [&](const std::string& of, const Time& each) {
    line(of, codegen::text_of(each.time), std::to_string(each.before), std::to_string(each.after));
  };
  notes << title << "\n";
  line("pass", "time", "nodes", "after");
  Time total{.of = "total", .before = times.before, .after = times.after};
  for (const Time& each : times.passes) {
    total.time += each.time;
    write(each.of, each);
  }
  write(total.of, total);
  for (const Time& each : times.functions) write("  " + each.of, each);
}

// Looks on while passes change a function.
class Watch {
 public:
  Watch(const OptOptions& options, const ir::Graph& graph, std::ostream& notes)
      : options_(options), notes_(notes), last_(graph) {
    times_.before = times_.after = ir::count_nodes(graph);
    for (const ir::FunctionPtr& function : ir::all_functions(graph)) {
      line_of(times_.functions, line_of_function(function->graph().name)).before +=
          function->graph().node_count();
    }
    check_ranks(graph, "as it is read");
  }

  ir::PassOptions hooks() {
    ir::PassOptions out;
    if (options_.verify_each) out.verify = [](const ir::Graph& graph) { ir::verify(graph); };
    out.after = [this](const ir::PassReport& report) { after(report); };
    return out;
  }

  // What it saw; the end of looking on.
  Times times() {
    for (const ir::FunctionPtr& function : ir::all_functions(last_)) {
      line_of(times_.functions, line_of_function(function->graph().name)).after +=
          function->graph().node_count();
    }
    return std::move(times_);
  }

 private:
  void after(const ir::PassReport& report) {
    const std::string pass(report.pass.name);
    const std::size_t nodes = ir::count_nodes(report.graph);
    times_.passes.push_back(
        {.of = pass, .time = report.time, .before = times_.after, .after = nodes});
    times_.after = nodes;
    for (const auto& [function, time] : report.functions) {
      line_of(times_.functions, line_of_function(function)).time += time;
    }
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
  Times times_;
};

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
  // As it is called in the program: options may name it with its @.
  std::string only;
  if (!options.function.empty()) {
    only = find_function(module, options.function, options.file).name;
  }
  Times sums;
  std::size_t functions = 0;
  for (ir::Graph& function : module.functions) {
    if (!options.function.empty() && function.name != only) continue;
    Watch watch(options, function, notes);
    ir::run_passes(function, passes, watch.hooks());
    const Times times = watch.times();
    if (options.time_passes) write_times(notes, "@" + function.name, times);
    add_lines(sums.passes, times.passes);
    add_lines(sums.functions, times.functions);
    sums.before += times.before;
    sums.after += times.after;
    ++functions;
  }
  if (options.time_passes && functions > 1) {
    write_times(notes, "all " + std::to_string(functions) + " functions", sums);
  }
  if (options.no_output) return;
  write_output(options.output, ir::print(module), out);
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
