#pragma once

#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen {

class Dump;

#ifdef NDEBUG
inline constexpr bool kVerifyByDefault = false;
#else
inline constexpr bool kVerifyByDefault = true;
#endif

struct CompileOptions {
  KernelMode kernel_mode = kDefaultKernelMode;
  PlanMode plan_mode = kDefaultPlanMode;
  DeviceOptions on_devices = {};
  // How collectives are carried out where their group says nothing.
  ir::Algorithm algorithm = ir::Algorithm::automatic;
  // Called with the graph as traced ("trace") and after every pass (its name).
  std::function<void(std::string_view stage, const ir::Graph&)> on_stage = {};
  // Names of passes to leave out. Without `fuse` every node becomes a kernel of its own; without
  // `decompose` a program with composites is refused.
  std::vector<std::string> disabled = {};
  // Which passes to run, in order; empty: all_passes().
  std::vector<const ir::Pass*> passes = {};
  // The graph is one program of all ranks, as a compiled function is, and its first parameters, so
  // many, are the arguments: where two ranks have the same collectives in another order
  // (ProgramCalls), that is an error.
  std::optional<std::size_t> one_program = {};
  // Verify the graph at the start and after every pass that changed it, and that the texts of the
  // program, of what the passes made of it and of the plan say all (see verify_text.h).
  bool verify = kVerifyByDefault;
  // Look at what each op makes; the first NaN is an error (ir/passes/observe_nans.h).
  bool no_nans = false;
  // Where the stages are written; null: nowhere.
  std::shared_ptr<Dump> dump = nullptr;
  // Who hears what is compiled and how long it takes; null: nobody.
  const runtime::Log* log = nullptr;
  // The line of the user's program that is named in dumps and logs; if unknown that of the first
  // result.
  Location where = {};
};

// What TUTTI_DISABLE, TUTTI_SET, TUTTI_DUMP and TUTTI_LOG (of the process) ask for.
CompileOptions compile_options(const runtime::Settings& settings);

// From a traced function to something that runs on this rank. Throws UsageError for a name in
// `disabled` that is no pass and for a program that needs a disabled one. An InternalError or
// VerifyError names a file with the traced program and the command that shows the error again.
std::unique_ptr<Executable> compile(const ir::Graph& traced, runtime::Context& context,
                                    const CompileOptions& options = {});

}  // namespace tutti::codegen
