// What Compiled tells about itself.

#include <tutti/codegen/driver/artifacts.h>
#include <tutti/ir/names.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/compiled_program.h>
#include <tutti/lazy/context.h>

namespace tutti::detail {

std::string CompiledFunction::ir() const { return last_traced("ir()"); }

// The passes run again: what they made the first time is not kept.
std::string CompiledFunction::ir(std::string_view pass) const {
  const std::string& traced = last_traced("ir(\"" + std::string(pass) + "\")");
  if (ir::find_pass(pass) == nullptr) {
    std::vector<std::string_view> names;
    for (const ir::Pass& each : ir::all_passes()) names.push_back(each.name);
    throw UsageError(
        "ir(): there is no pass '" + std::string(pass) + "'" + ir::suggestion_or_all(pass, names),
        where_);
  }
  ir::Graph graph = ir::parse(traced).functions.at(0);
  std::vector<const ir::Pass*> passes;
  for (const ir::Pass& each : ir::all_passes()) {
    passes.push_back(&each);
    if (each.name == pass) break;
  }
  ir::PassOptions options;
  options.disabled = RankContext::current().compile_options.disabled;
  ir::run_passes(graph, passes, options);
  return ir::print(graph);
}

std::string CompiledFunction::plan() const { return codegen::print(last_plan("plan()")); }

std::string CompiledFunction::kernels() const {
  return codegen::kernels_text(last_plan("kernels()"));
}

std::string CompiledFunction::llvm() const { return codegen::llvm_text(last_plan("llvm()")); }

std::string CompiledFunction::assembly() const {
  return codegen::assembly_text(last_plan("assembly()"));
}

std::string CompiledFunction::cuda() const { return codegen::cuda_text(last_plan("cuda()")); }

std::string CompiledFunction::ptx() const { return codegen::ptx_text(last_plan("ptx()")); }

std::string CompiledFunction::explain() const {
  std::string numbers;
  if (static_scalars_) {
    numbers =
        "; the values of its floating-point arguments are part of its programs, since C++ "
        "computes with one or compares it";
    if (static_since_.known()) numbers += ": what comes of it is used at " + static_since_.text();
  }
  return "compiled " + ir::counted(compiled_, "time") + ", last because: " + why_ + numbers;
}

std::string CompiledFunction::sizes() const {
  last_traced("sizes()");
  const Program& program = *last_;
  if (!program.sizes) return {};
  std::string out = program.sizes->bounds() + "\n";
  for (const std::string& reason : program.reasons) out += "  " + reason + "\n";
  return out;
}

void CompiledFunction::log_recompile() const {
  const RankContext& context = RankContext::current();
  const runtime::Log* const log = context.compile_options.log;
  if (log == nullptr || !log->takes(runtime::LogTopic::recompiles)) return;
  log->write(runtime::LogTopic::recompiles, context.runtime().rank(),
             "the function of " + where_.text() + " is compiled as program " +
                 std::to_string(compiled_ + 1) + " because: " + why_);
}

}  // namespace tutti::detail
