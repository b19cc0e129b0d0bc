#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/jit.h>

#include <string>

#include <llvm/IR/Module.h>

namespace tutti::codegen::native {

// Adds a kernel to a module as
//   void name(ptr buffers, i64 begin_tile, i64 end_tile)
// where `buffers` is an array of pointers. The kernel has passed check().
//
// The loops, from outside: tiles; with VectorAxis::outer strips of a tile, which are a few vectors
// of its last axis that are worked on together; the segments' inner axes. Values are computed in
// the outermost of them that they depend on (see placement.h).
llvm::Function* emit_kernel(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                            const std::string& name);

}  // namespace tutti::codegen::native
