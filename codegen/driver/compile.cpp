#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/compile_watch.h>
#include <tutti/codegen/driver/disabled_passes.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/placement.h>
#include <tutti/codegen/program_calls.h>
#include <tutti/ir/passes/observe_nans.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

namespace {

// Every pass is a slice.
std::function<void(const ir::PassReport&)> recorded(
    runtime::Profile& profile, std::function<void(const ir::PassReport&)> next) {
  return [&profile, next = std::move(next)](const ir::PassReport& report) {
    const char* const name = report.pass.name.data();
    profile.add(profile.slice_source("compile", name, {}),
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
  // Where sizes vary, what lies behind the elements that are there does not count: such programs
  // are observed where they are recorded, for each of their sizes.
  if (options.no_nans && graph.sizes == nullptr) ir::observe_nans(graph);
  ir::PassOptions passes{.disabled = options.disabled, .verify = {}, .after = watch.after_pass()};
  if (options.verify) passes.verify = [](const ir::Graph& after) { ir::verify(after); };
  if (profile != nullptr) passes.after = recorded(*profile, std::move(passes.after));
  ir::run_passes(graph, options.passes.empty() ? ir::default_pipeline() : options.passes, passes);
  stand_in_for_disabled(graph, options.disabled);
  // 2. Lay out: kernels, library calls and collectives as steps, memory by liveness.
  const runtime::Algorithms algorithms{
      .table = &context.backend->algorithms(),
      .asked = options.algorithm,
      .one_program = options.one_program.has_value() && !context.programs_differ};
  Plan plan = [&] {
    const runtime::ProfileSlice planning(profile, "compile", "plan");
    return make_plan(graph, context.rank(), algorithms);
  }();
  if (options.one_program) {
    add_program_calls(plan,
                      program_calls(traced, *options.one_program, context.rank(), algorithms));
    add_placements(plan);
  }
  watch.planned(plan);
  if (options.verify) {
    verify_text(graph);
    verify_text(plan);
  }
  // 3. Kernels to code.
  KernelCompiler& compiler = KernelCompiler::shared(options.kernel_mode);
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
      Executable::Options{
          .mode = options.plan_mode, .on_devices = options.on_devices, .scribble = options.verify});
  watch.compiled(executable->plan());
  return executable;
}

}  // namespace

std::unique_ptr<Executable> compile(const ir::Graph& traced, runtime::Context& context,
                                    const CompileOptions& options) {
  ir::check_disabled(options.disabled);
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

}  // namespace tutti::codegen
