#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

// Machine code for the host through LLVM. Only this header is for use outside codegen/llvm/;
// nothing in it needs LLVM's headers.
namespace tutti::codegen::native {

// What code is made for: a CPU by LLVM's name, with features such as "-fma" changed. Without a
// name: this machine, with no more than kernels::limit_instruction_set() allows.
struct Processor {
  std::string cpu;
  std::string features;

  friend bool operator==(const Processor&, const Processor&) = default;
};

// The code of each kernel, in order: from the cache, or compiled by as many threads as there are
// cores, and stored. Thread-safe. Throws InternalError when a kernel breaks a rule of kernel.h.
std::vector<std::shared_ptr<const KernelCode>> compile(
    std::span<const Kernel* const> kernels, const Processor& processor = {},
    runtime::DiskCache& cache = runtime::DiskCache::shared());

// What makes the code, and for what: "LLVM 22.1.8, sapphirerapids, build 59f7d68a".
std::string compiler_text(const Processor& processor = {});

// For dumps: a kernel as LLVM IR, and as assembly.
std::string llvm_text(const Kernel& kernel, const Processor& processor = {});
std::string assembly_text(const Kernel& kernel, const Processor& processor = {});

}  // namespace tutti::codegen::native
