#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/dump.h>

namespace tutti::codegen {

CompileOptions compile_options(const runtime::Settings& settings) {
  CompileOptions out;
  const std::string& mode = settings.text("kernels");
  if (!mode.empty()) out.kernel_mode = mode == "evaluate" ? KernelMode::evaluate : KernelMode::llvm;
  const std::string& plan = settings.text("plan");
  if (!plan.empty()) out.plan_mode = plan == "walk" ? PlanMode::walk : PlanMode::native;
  out.on_devices = {.record = settings.flag("record"),
                    .launch_blocking = settings.flag("launch_blocking")};
  out.algorithm = *ir::algorithm_from_name(settings.text("algorithm"));
  out.disabled = settings.words("TUTTI_DISABLE");
  out.verify = settings.flag("verify");
  out.no_nans = settings.text("nan") == "error";
  if (const auto& stages = settings.words("TUTTI_DUMP"); !stages.empty()) {
    out.dump = std::make_shared<Dump>(settings.text("TUTTI_DUMP_DIR"), stages);
  }
  out.log = &runtime::Log::process();
  return out;
}

}  // namespace tutti::codegen
