#include "tools/emit.h"

#include <tutti/codegen/driver/artifacts.h>
#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/runtime/files/write_file.h>

#include "tools/gpu_placement.h"
#include "tools/program_inputs.h"
#include "tools/read_program.h"

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
std::string passes_text(ir::Graph graph) {
  std::string out = "// the program\n" + print(graph);
  ir::PassOptions options;
  options.after = [&](const ir::PassReport& report) {
    out += "\n// after " + std::string(report.pass.name);
    out += report.changed ? "\n" + print(report.graph) : " (unchanged)\n";
  };
  ir::run_passes(graph, options);
  return out;
}

// Up to that pass.
std::string text_after(std::string_view pass, ir::Graph graph) {
  std::vector<const ir::Pass*> passes;
  for (const ir::Pass& each : ir::all_passes()) {
    passes.push_back(&each);
    if (each.name == pass) break;
  }
  ir::run_passes(graph, passes);
  return print(graph);
}

std::string plan_text(const PlanStage& stage, ir::Graph graph, const EmitOptions& options) {
  ir::run_passes(graph);
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
  if (options.stage == "passes") return passes_text(function);
  for (const PlanStage& stage : kPlanStages) {
    if (stage.name == options.stage) return plan_text(stage, function, options);
  }
  if (ir::find_pass(options.stage) == nullptr) {
    throw UsageError("there is no stage '" + options.stage + "'");
  }
  return text_after(options.stage, function);
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
  const std::string text = emitted_text(function, options);
  if (options.output.empty()) {
    out << text;
  } else {
    runtime::write_file(options.output, text);
  }
}

}  // namespace tutti::tools
