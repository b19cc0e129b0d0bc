#pragma once

#include <tutti/codegen/llvm/jit.h>
#include <tutti/ir/scalar.h>

#include <initializer_list>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Emits transcendental functions, of scalars and of vectors, with the same bits for both. All are
// inline but for arguments beyond what they are made for, for which lanes call the C library:
// inline_math.h, widened_math.h and, of f64, wide_math.h have their errors. Some of f64 need a
// target with fused multiply-adds, and are calls on others.
class MathEmitter {
 public:
  MathEmitter(llvm::IRBuilder<>& builder, llvm::Module& module, const Jit& jit)
      : ir_(builder), module_(module), jit_(jit) {}

  // Operands are of type f32 or f64, as `dtype` says.
  llvm::Value* apply(ir::ScalarOp op, DType dtype, const std::vector<llvm::Value*>& operands);

 private:
  llvm::Value* in_a_lane(ir::ScalarOp op, DType dtype, const std::vector<llvm::Value*>& operands);
  // A call of the C library; vectors go through a function of this module that loops over lanes.
  llvm::Value* call(ir::ScalarOp op, DType dtype, const std::vector<llvm::Value*>& operands);
  llvm::Function* lane_loop(llvm::FunctionCallee callee, llvm::Type* vector, std::size_t operands);
  // `inline_result` but in the lanes that are beyond, which are calls of the C library.
  llvm::Value* call_beyond(llvm::Value* beyond, ir::ScalarOp op, DType dtype,
                           const std::vector<llvm::Value*>& operands, llvm::Value* inline_result);
  // Where x is larger than that in magnitude.
  llvm::Value* is_beyond(double limit, llvm::Value* x);
  llvm::Value* of_singles(ir::ScalarOp op, const std::vector<llvm::Value*>& operands);
  llvm::Value* of_doubles(ir::ScalarOp op, const std::vector<llvm::Value*>& operands);

  llvm::IRBuilder<>& ir_;
  llvm::Module& module_;
  const Jit& jit_;
};

}  // namespace tutti::codegen::native
