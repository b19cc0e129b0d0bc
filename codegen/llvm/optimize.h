#pragma once

#include <span>

#include <llvm/IR/Module.h>

namespace tutti::codegen::native {

// Puts functions that ask for it where they are called, and lets the middle end of LLVM make
// `functions` shorter: values are kept in registers, and computed once. What is computed stays the
// same, bit for bit: floats are not reordered, and calls of the C library remain what they are.
void optimize(llvm::Module& module, std::span<llvm::Function* const> functions);

}  // namespace tutti::codegen::native
