#pragma once

#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/run/context.h>

namespace tutti::codegen {

// Puts code into the launches of a plan that are on the host.
void compile_kernels(Plan& plan, KernelCompiler& compiler);

// Puts the text into those on GPUs that run generated kernels. No GPU is needed.
void emit_device_kernels(Plan& plan);

// Puts code into those on GPUs which have none yet. Throws EnvironmentError where there is no such
// GPU, or nothing to compile for it with.
void compile_device_kernels(Plan& plan, runtime::Context& context);

// Who makes the kernels of collectives between GPUs; null in a build without CUDA.
const runtime::CommKernels* find_comm_kernels();

}  // namespace tutti::codegen
