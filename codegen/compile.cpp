#include <tutti/codegen/compile.h>
#include <tutti/codegen/compile_watch.h>
#include <tutti/codegen/make_plan.h>
#include <tutti/codegen/plan_code.h>
#include <tutti/codegen/verify_text.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/collectives_of_one.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

namespace {

bool is_disabled(const CompileOptions& options, std::string_view pass) {
  return std::ranges::find(options.disabled, pass) != options.disabled.end();
}

void check_disabled(const CompileOptions& options) {
  for (const std::string& name : options.disabled) {
    if (ir::find_pass(name) != nullptr) continue;
    std::vector<std::string_view> names;
    for (const ir::Pass& pass : ir::all_passes()) names.push_back(pass.name);
    throw UsageError("there is no pass '" + name + "' to disable" + ir::suggestion(name, names));
  }
}

// What code generation takes as given is made up for where the pass that sees to it is disabled.
void stand_in_for_disabled(ir::Graph& graph, const CompileOptions& options) {
  std::int32_t group = 0;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::OpClass kind = ir::definition(graph.node(id).op).kind;
    if (kind == ir::OpClass::composite && is_disabled(options, "decompose")) {
      throw UsageError(std::string(name_of(graph.node(id).op)) +
                           " can't be compiled while the pass 'decompose' is disabled",
                       graph.node(id).location);
    }
    if (is_disabled(options, "place") && !ir::device_of(graph, id).is_cpu()) {
      throw UsageError("the pass 'place' can't be disabled in programs for GPUs",
                       graph.node(id).location);
    }
    const bool needs_group = kind == ir::OpClass::elementwise || kind == ir::OpClass::reduce;
    if (needs_group && is_disabled(options, "fuse")) graph.set_fusion(id, group++);
  }
}

std::vector<const ir::Pass*> passes_of(const CompileOptions& options) {
  if (!options.passes.empty()) return options.passes;
  std::vector<const ir::Pass*> out;
  for (const ir::Pass& pass : ir::all_passes()) out.push_back(&pass);
  return out;
}

// Every pass is a slice.
std::function<void(const ir::PassReport&)> recorded(
    runtime::Profile& profile, std::function<void(const ir::PassReport&)> next) {
  return [&profile, next = std::move(next)](const ir::PassReport& report) {
    profile.add(profile.slice_source("compile", report.pass.name.data(), {}),
                runtime::monotonic_now() - report.time.count());
    if (next) next(report);
  };
}

std::unique_ptr<Executable> compile_watched(const ir::Graph& traced, runtime::Context& context,
                                            const CompileOptions& options, CompileWatch& watch) {
  runtime::Profile* const profile = context.profile.get();
  const runtime::ProfileSlice slice(profile, "compile", "compile", options.where);
  watch.traced();
  if (options.verify) {
    ir::verify(traced);
    verify_text(traced);
  }
  // 1. Rewrite: composites into parts, then clean up, then group what becomes one kernel. The order
  //    and its reasons stand with the list, in ir/passes/passes.cpp.
  ir::Graph graph = traced;
  ir::PassOptions passes{.disabled = options.disabled, .verify = {}, .after = watch.after_pass()};
  if (options.verify) passes.verify = [](const ir::Graph& after) { ir::verify(after); };
  if (profile != nullptr) passes.after = recorded(*profile, std::move(passes.after));
  ir::run_passes(graph, passes_of(options), passes);
  if (!options.disabled.empty()) stand_in_for_disabled(graph, options);
  // 2. Lay out: kernels, library calls and collectives as steps, memory by liveness.
  Plan plan = [&] {
    const runtime::ProfileSlice planning(profile, "compile", "plan");
    return make_plan(graph, context.rank());
  }();
  watch.planned(plan);
  if (options.verify) {
    verify_text(graph);
    verify_text(plan);
  }
  // 3. Kernels to code.
  KernelCompiler& compiler = KernelCompiler::shared(options.engine);
  {
    const runtime::ProfileSlice compiling(profile, "compile", "kernels");
    compile_kernels(plan, compiler);
    compile_device_kernels(plan, context);
  }
  if (profile != nullptr) {
    profile->count(profile->counter_source("new kernels of the process", "kernels"),
                   static_cast<std::int64_t>(compiler.compiled()));
  }
  // 4. Bind to this rank.
  auto executable = std::make_unique<Executable>(
      std::move(plan), context,
      Executable::Options{.engine = options.plan_engine, .record = options.record});
  watch.compiled(executable->plan());
  return executable;
}

}  // namespace

std::unique_ptr<Executable> compile(const ir::Graph& traced, runtime::Context& context,
                                    const CompileOptions& options) {
  check_disabled(options);
  CompileWatch watch(traced, context.rank(), options);
  try {
    return compile_watched(traced, context, options, watch);
  } catch (const InternalError& error) {
    throw InternalError(watch.failed_by_a_bug(error), error.where());
  } catch (const VerifyError& error) {
    throw VerifyError(watch.failed_by_a_bug(error), error.where());
  } catch (const std::exception& error) {
    watch.failed(error.what());
    throw;
  }
}

std::vector<bool> collectives_kept(const ir::Graph& traced, const CompileOptions& options) {
  if (is_disabled(options, "canonicalize")) return {};
  return ir::collectives_that_stay(traced);
}

}  // namespace tutti::codegen
