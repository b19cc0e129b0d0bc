#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/ir/dtype.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <string>
#include <string_view>

namespace tutti::codegen::cuda {

// What a kernel between GPUs is made of.
struct CommText {
  std::string_view name;      // of its kind
  std::string_view function;  // of kernels/device/, which takes a Collective, the spec
  std::string_view piece;     // that has it
  SpecText spec;
  std::string element;  // the type of elements
  std::string detail;   // "sum f32 of 4 members"
};
// Elements that are only moved have the type of `moved`, where it says one; else they go as bits.
// Throws InternalError for what there is no kernel of.
CommText comm_text(const runtime::CommKernel& kernel, std::string_view moved = "");

// Kernels that carry out collectives between GPUs (kernels/device/collectives.cuh), for blocks of
// CommKernel::kThreads; how many there are, whoever launches it says. Throws InternalError for what
// there is no kernel of.
Source comm_kernel_source(const runtime::CommKernel& kernel);

// All of this process, by Compiler::shared().
const runtime::CommKernels& comm_kernels();

}  // namespace tutti::codegen::cuda
