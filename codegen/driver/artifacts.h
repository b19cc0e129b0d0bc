#pragma once

#include <tutti/codegen/plan/plan.h>

#include <span>
#include <string>
#include <vector>

// What a plan's kernels become, as text for people.
namespace tutti::codegen {

// A kernel of a plan, and the other kernels there that differ from it in the name alone: they share
// its code.
struct DistinctKernel {
  const Kernel* kernel = nullptr;
  std::vector<int> numbers;         // in Plan::kernels, ascending: k0, k3, ...
  std::vector<Location> locations;  // of the launches, each once, in their order
  bool on_host = false;             // whether a launch on the host runs it
};
std::vector<DistinctKernel> distinct_kernels(const Plan& plan);

// A text that a plan's launches on GPUs have compiled, and what they have it compiled for.
struct DistinctSource {
  std::shared_ptr<const cuda::Source> source;
  std::string target;               // "sm_90"
  std::vector<Location> locations;  // of the launches, each once, in their order
};
std::vector<DistinctSource> distinct_sources(const Plan& plan);

// The kernels as loop nests; as LLVM IR; as assembly of this machine: each distinct one once, below
// a line that says which numbers it has in the plan; LLVM IR and assembly also of the function that
// runs the steps. These two compile everything again, and throw EnvironmentError in a build without
// LLVM.
std::string kernels_text(const Plan& plan);
std::string llvm_text(const Plan& plan);
std::string assembly_text(const Plan& plan);

// What is compiled for GPUs, as CUDA C++ and as PTX. The latter compiles again, and throws
// EnvironmentError where there is no NVRTC.
std::string cuda_text(const Plan& plan);
std::string ptx_text(const Plan& plan);
std::string ptx_text(const DistinctSource& source);

// The same of one kernel, and of the function that runs the steps.
std::string llvm_text(const Kernel& kernel);
std::string assembly_text(const Kernel& kernel);
std::string steps_llvm_text(const Plan& plan);
std::string steps_assembly_text(const Plan& plan);

}  // namespace tutti::codegen
