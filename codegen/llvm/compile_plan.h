#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/cache/disk_cache.h>
#include <tutti/runtime/run/abi.h>

#include <memory>
#include <string>

// Native code for plans through LLVM. Nothing here needs LLVM's headers.
namespace tutti::codegen::native {

struct PlanCode {
  std::shared_ptr<const void> code;  // keeps it in memory
  runtime::PlanFunction function = nullptr;
};

// One function that runs all steps of a checked plan: addresses are computed inline, all else are
// calls of runtime/run/abi.h. It depends on the plan's steps and places only, not on any address:
// it is loaded from the cache if it is there, else stored. With `joins`, small kernels are a part
// of it (see joined_functions.h), which are not seen one by one then. Thread-safe.
PlanCode compile(const Plan& plan, runtime::DiskCache& cache = runtime::DiskCache::shared(),
                 bool joins = true);

// For dumps: that function as LLVM IR, and as assembly.
std::string llvm_text(const Plan& plan);
std::string assembly_text(const Plan& plan);

}  // namespace tutti::codegen::native
