#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/compile_plan.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/llvm/joined_functions.h>
#include <tutti/codegen/llvm/optimize.h>
#include <tutti/codegen/llvm/plan_emitter.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/dynamic_slice.h>

#include <string>
#include <variant>

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

void add(const kernels::DynamicUpdateSlice& update, Hasher& hasher) {
  hasher.add(hashed(update.element_size)).add(static_cast<std::uint64_t>(update.index_dtype));
  hasher.add(hashed(update.x.rank()));
  for (int d = 0; d < update.x.rank(); ++d) {
    hasher.add(hashed(update.x[d])).add(hashed(update.part[d]));
  }
}

Hash128 code_hash(const Plan& plan, bool joins) {
  Hasher hasher;
  hasher.add(plan.regions.size());
  for (const Region& region : plan.regions) {
    hasher.add(hashed(region.first_step)).add(hashed(region.end_step));
    hasher.add(region.parameters.size()).add(region.results.size());
    for (const BufferId id : region.parameters) {
      hasher.add(hashed(id)).add(hashed(plan.buffers[at(id)].bytes));
    }
    for (const PlanResult& result : region.results) {
      hasher.add(hashed(result.buffer)).add(hashed(plan.buffers[at(result.buffer)].bytes));
    }
  }
  for (const Step& step : plan.steps) {
    hasher.add(step.index());
    std::visit([&](const auto& each) { each.hash(plan, hasher); }, step);
  }
  if (joins) {
    for (const PlanBuffer& buffer : plan.buffers) hasher.add(hashed(buffer.bytes));
    for_each_part(plan, [&](Device /*device*/, const LaunchPart& part) {
      const Kernel* kernel = nullptr;
      if (part.kernel >= 0) {
        kernel = &plan.kernels[at(part.kernel)];
      } else if (part.code != nullptr) {
        kernel = part.code->kernel();
        if (const kernels::DynamicUpdateSlice* const update = part.code->update()) {
          add(*update, hasher);
        }
      }
      hasher.add(kernel == nullptr ? Hash128() : kernel_hash(*kernel));
    });
  }
  return hasher.finish();
}

// "plan_step_1f3a5c77": what profilers and debuggers show.
std::string plan_symbol(const Plan& plan, const Hash128& hash) {
  return symbol_name("plan_" + plan.name, hash);
}

void emit_plan(llvm::Module& module, const Jit& jit, const Plan& plan, const std::string& name,
               bool joins) {
  const JoinedFunctions joined(plan, joins);
  optimize(module, PlanEmitter(module, jit, plan, joined).run(name));
#ifndef NDEBUG
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyModule(module, &stream)) {
    throw InternalError("malformed LLVM IR: " + complaint + "\nof " + print(plan));
  }
#endif
}

}  // namespace

PlanCode compile(const Plan& plan, runtime::DiskCache& cache, bool joins) {
  Jit& jit = Jit::of({});
  const Hash128 hash = code_hash(plan, joins);
  const std::string name = plan_symbol(plan, hash);
  const Jit::Functions functions = jit.load(
      {.key = hash, .name = name, .symbols = {name}},
      [&](llvm::Module& module) { emit_plan(module, jit, plan, name, joins); }, cache);
  return {functions.code, reinterpret_cast<runtime::PlanFunction>(functions.addresses[0])};
}

std::string llvm_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit_plan(*module, jit, plan, plan_symbol(plan, code_hash(plan, true)), true);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit_plan(*module, jit, plan, plan_symbol(plan, code_hash(plan, true)), true);
  return jit.assembly(*module);
}

}  // namespace tutti::codegen::native
