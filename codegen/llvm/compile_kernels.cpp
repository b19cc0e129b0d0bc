#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/codegen/llvm/emit_kernel.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

// Fewer are not worth a thread.
constexpr std::size_t kKernelsPerThread = 6;

class MachineCode : public KernelCode {
 public:
  using Function = void (*)(void* const*, std::int64_t, std::int64_t);

  MachineCode(std::shared_ptr<LoadedCode> code, void* address)
      : code_(std::move(code)), function_(reinterpret_cast<Function>(address)) {}

  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    function_(buffers, begin, end);
  }

 private:
  std::shared_ptr<LoadedCode> code_;
  Function function_;
};

// "mul_add_tanh_1f3a5c77": what profilers and debuggers show. The number tells equal kernels apart.
std::string symbol(const Kernel& kernel, std::size_t number) {
  std::string name;
  for (const char c : kernel.name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  name += '_' + kernel_hash(kernel).text().substr(0, 8);
  return number == 0 ? name : name + '_' + std::to_string(number);
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

void emit(llvm::Module& module, const Jit& jit, const Kernel& kernel, const std::string& name) {
  check(kernel);
  verify(*emit_kernel(module, jit, kernel, name), kernel);
}

using Codes = std::vector<std::shared_ptr<const KernelCode>>;

Codes compile_module(Jit& jit, std::span<const Kernel* const> kernels) {
  if (kernels.empty()) return {};
  llvm::LLVMContext context;
  const auto module = jit.make_module(context, "kernels");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string name = symbol(*kernels[i], 0);
    if (module->getFunction(name) != nullptr) name = symbol(*kernels[i], i);
    emit(*module, jit, *kernels[i], name);
    names.push_back(std::move(name));
  }
  const Jit::Functions functions = jit.load(*module, names);
  Codes codes;
  for (void* address : functions.addresses) {
    codes.push_back(std::make_shared<MachineCode>(functions.code, address));
  }
  return codes;
}

}  // namespace

std::vector<std::shared_ptr<const KernelCode>> compile(std::span<const Kernel* const> kernels,
                                                       const Target& target) {
  Jit& jit = Jit::of(target);
  // A module for each thread: passes run faster over one large module than over many small ones.
  const std::size_t threads = std::clamp<std::size_t>(kernels.size() / kKernelsPerThread, 1,
                                                      std::thread::hardware_concurrency());
  const std::size_t share = (kernels.size() + threads - 1) / threads;
  std::vector<std::future<Codes>> parts;
  for (std::size_t first = share; first < kernels.size(); first += share) {
    const auto part = kernels.subspan(first, std::min(share, kernels.size() - first));
    parts.push_back(
        std::async(std::launch::async, [&jit, part] { return compile_module(jit, part); }));
  }
  Codes codes = compile_module(jit, kernels.first(std::min(share, kernels.size())));
  for (auto& part : parts) {
    for (auto& code : part.get()) codes.push_back(std::move(code));
  }
  return codes;
}

std::string llvm_text(const Kernel& kernel, const Target& target) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of(target);
  const auto module = jit.make_module(context, kernel.name);
  emit(*module, jit, kernel, symbol(kernel, 0));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const Kernel& kernel, const Target& target) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of(target);
  const auto module = jit.make_module(context, kernel.name);
  emit(*module, jit, kernel, symbol(kernel, 0));
  return jit.assembly(*module);
}

}  // namespace tutti::codegen::native
