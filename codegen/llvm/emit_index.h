#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Integers of a dtype, one or a vector of them, as integers of a type within [0, most], which has
// room for the most.
llvm::Value* emit_clamped_index(llvm::IRBuilder<>& ir, llvm::Value* index, DType dtype,
                                std::int64_t most, llvm::Type* type);

}  // namespace tutti::codegen::native
