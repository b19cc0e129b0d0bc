#include <tutti/codegen/in_parallel.h>
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/codegen/llvm/emit_kernel.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/ir/support/error.h>

#include <utility>

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

class MachineCode : public KernelCode {
 public:
  MachineCode(std::shared_ptr<LoadedCode> code, void* address)
      : code_(std::move(code)), function_(reinterpret_cast<runtime::KernelFunction>(address)) {}

  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    function_(buffers, begin, end);
  }
  runtime::KernelFunction function() const override { return function_; }

 private:
  std::shared_ptr<LoadedCode> code_;
  runtime::KernelFunction function_;
};

// "mul_add_tanh_1f3a5c77": what profilers and debuggers show.
std::string kernel_symbol(const Kernel& kernel) {
  return symbol_name(kernel.name, kernel_hash(kernel));
}

void verify([[maybe_unused]] llvm::Function& function, [[maybe_unused]] const Kernel& kernel) {
#ifndef NDEBUG
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyFunction(function, &stream)) {
    throw InternalError("malformed LLVM IR: " + complaint + "\nof " + print(kernel));
  }
#endif
}

void emit_verified(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                   const std::string& name) {
  check(kernel);
  verify(*emit_kernel(module, jit, kernel, name), kernel);
}

CodeRequest request_for(const Kernel& kernel) {
  const std::string name = kernel_symbol(kernel);
  return {.key = kernel_hash(kernel), .name = name, .symbols = {name}};
}

std::shared_ptr<const KernelCode> code_of(const Jit::Functions& functions) {
  return std::make_shared<MachineCode>(functions.code, functions.addresses.front());
}

}  // namespace

std::vector<std::shared_ptr<const KernelCode>> compile(std::span<const Kernel* const> kernels,
                                                       const Processor& processor,
                                                       runtime::DiskCache& cache) {
  Jit& jit = Jit::of(processor);
  std::vector<std::shared_ptr<const KernelCode>> codes(kernels.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto stored = jit.load_stored(request_for(*kernels[i]), cache);
    if (stored) {
      codes[i] = code_of(*stored);
    } else {
      missing.push_back(i);
    }
  }
  for_each_in_parallel(missing.size(), [&](std::size_t n) {
    const Kernel& kernel = *kernels[missing[n]];
    const CodeRequest request = request_for(kernel);
    codes[missing[n]] = code_of(jit.compile(
        request, [&](llvm::Module& module) { emit_verified(module, jit, kernel, request.name); },
        cache));
  });
  return codes;
}

std::string compiler_text(const Processor& processor) { return Jit::of(processor).origin(); }

std::string llvm_text(const Kernel& kernel, const Processor& processor) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of(processor);
  const auto module = jit.make_module(context, kernel.name);
  emit_verified(*module, jit, kernel, kernel_symbol(kernel));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const Kernel& kernel, const Processor& processor) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of(processor);
  const auto module = jit.make_module(context, kernel.name);
  emit_verified(*module, jit, kernel, kernel_symbol(kernel));
  return jit.assembly(*module);
}

}  // namespace tutti::codegen::native
