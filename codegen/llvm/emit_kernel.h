#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/jit.h>

#include <cstdint>
#include <string>
#include <vector>

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

// The same as a part of other code, with a parameter for each buffer, and all tiles at once:
//   void name(ptr, ptr, ...)
// LLVM is told to put it where it is called. `rooms` says of a buffer how many bytes it has where
// it lies in memory that goes on up to a multiple of runtime::kBufferAlignment, from such a
// multiple on, and where what lies there behind its elements may be written; else 0.
llvm::Function* emit_inlined_kernel(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                                    const std::string& name,
                                    const std::vector<std::int64_t>& rooms);

}  // namespace tutti::codegen::native
