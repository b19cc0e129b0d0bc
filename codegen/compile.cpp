#include <tutti/codegen/compile.h>
#include <tutti/codegen/make_plan.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify.h>

namespace tutti::codegen {

std::unique_ptr<Executable> compile(ir::Graph graph, runtime::Context& context,
                                    const CompileOptions& options) {
  if (options.on_stage) options.on_stage("trace", graph);
  // 1. Rewrite: composites into parts, then clean up, then group what becomes one kernel. The order
  //    and its reasons stand with the list, in ir/passes/passes.cpp.
  ir::PassOptions passes;
#ifndef NDEBUG
  ir::verify(graph);
  passes.verify = [](const ir::Graph& after) { ir::verify(after); };
#endif
  if (options.on_stage) {
    passes.after = [&](const ir::PassReport& report) {
      options.on_stage(report.pass.name, report.graph);
    };
  }
  ir::run_passes(graph, passes);
  // 2. Lay out: kernels, library calls and collectives as steps, memory by liveness; kernels to
  // code.
  Plan plan = make_plan(graph, context.rank(), KernelCompiler::shared(options.engine));
  // 3. Bind to this rank.
  return std::make_unique<Executable>(std::move(plan), context);
}

}  // namespace tutti::codegen
