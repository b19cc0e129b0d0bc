#include "tools/emit.h"

#include <tutti/codegen/driver/artifacts.h>
#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/disabled_passes.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

#include "tools/disabled_passes.h"
#include "tools/gpu_placement.h"
#include "tools/program_inputs.h"
#include "tools/read_program.h"
#include "tools/write_output.h"

namespace tutti::tools {

namespace {

// A stage that is made from the plan.
struct PlanStage {
  std::string_view name;
  std::string (*text)(const codegen::Plan&);
  bool of_gpus = false;
};

constexpr PlanStage kPlanStages[] = {
    {"kernels", codegen::kernels_text},
    {"plan", [](const codegen::Plan& plan) { return codegen::print(plan); }},
    {"llvm", codegen::llvm_text},
    {"asm", codegen::assembly_text},
    {"cuda", codegen::cuda_text, true},
    {"ptx", [](const codegen::Plan& plan) { return codegen::ptx_text(plan); }, true},
};

// The program at the start and after every pass that changed it.
std::string passes_text(ir::Graph graph, const std::vector<std::string>& disabled) {
  std::string out = "// the program\n" + print(graph);
  ir::PassOptions options{.disabled = disabled, .verify = {}, .after = {}};
  options.after = [&](const ir::PassReport& report) {
    out += "\n// after " + std::string(report.pass.name);
    out += report.changed ? "\n" + print(report.graph) : " (unchanged)\n";
  };
  ir::run_passes(graph, options);
  return out;
}

// Up to that pass.
std::string text_after(std::string_view pass, ir::Graph graph,
                       const std::vector<std::string>& disabled) {
  std::vector<const ir::Pass*> passes;
  for (const ir::Pass& each : ir::all_passes()) {
    passes.push_back(&each);
    if (each.name == pass) break;
  }
  ir::run_passes(graph, passes, {.disabled = disabled, .verify = {}, .after = {}});
  return print(graph);
}

std::string plan_text(const PlanStage& stage, ir::Graph graph, const EmitOptions& options,
                      const std::vector<std::string>& disabled) {
  ir::run_passes(graph, {.disabled = disabled, .verify = {}, .after = {}});
  codegen::stand_in_for_disabled(graph, disabled);
  codegen::Plan plan =
      codegen::make_plan(graph, options.rank,
                         {.asked = codegen::compile_options(runtime::Settings::process()).algorithm,
                          .one_program = true});
  if (stage.of_gpus && plan.devices.empty()) {
    throw UsageError("@" + graph.name + " has nothing on a GPU, so there is no stage '" +
                     std::string(stage.name) +
                     "'; --on device puts it there, or a type: f32[64] on cuda:0");
  }
  codegen::emit_device_kernels(plan);
  for (codegen::PlanDevice& device : plan.devices) device.target = options.target;
  return stage.text(plan);
}

std::string emitted_text(const ir::Graph& function, const EmitOptions& options) {
  const std::vector<std::string> disabled = disabled_passes();
  if (options.stage == "passes") return passes_text(function, disabled);
  for (const PlanStage& stage : kPlanStages) {
    if (stage.name == options.stage) return plan_text(stage, function, options, disabled);
  }
  if (ir::find_pass(options.stage) == nullptr) {
    throw UsageError("there is no stage '" + options.stage + "'");
  }
  check_not_disabled(options.stage, disabled);
  return text_after(options.stage, function, disabled);
}

}  // namespace

std::vector<std::string> emit_stages() {
  std::vector<std::string> out = {"passes"};
  for (const PlanStage& stage : kPlanStages) out.emplace_back(stage.name);
  for (const ir::Pass& pass : ir::all_passes()) out.emplace_back(pass.name);
  return out;
}

void emit(const EmitOptions& options, std::ostream& out) {
  const ir::Module module = read_program(options.file);
  const ir::Graph function =
      for_rank(find_function(module, options.function, options.file), 0, options.on_gpu ? 1 : 0);
  const std::int64_t ranks = count_ranks(function);
  if (options.rank >= ranks) {
    throw UsageError("@" + function.name + " has no rank " + std::to_string(options.rank) +
                     ": it is for " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"));
  }
  write_output(options.output, emitted_text(function, options), out);
}

}  // namespace tutti::tools
