#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/math.h>

#include <array>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Renders scalar primitives, conversions and constants as LLVM IR. Operands are scalars or vectors;
// all of one call have the same number of lanes, and the result has it too.
class ScalarEmitter {
 public:
  ScalarEmitter(llvm::IRBuilder<>& builder, MathEmitter& math) : ir_(builder), math_(math) {}

  // The type of a value in a compute dtype, and of an element in memory (bool is a byte there).
  llvm::Type* compute_type(DType dtype) const;
  llvm::Type* storage_type(DType dtype) const;

  llvm::Constant* constant(DType dtype, ir::Cell cell) const;

  // The meaning of ir::evaluate.
  llvm::Value* apply(ir::ScalarOp op, DType dtype, std::array<llvm::Value*, 3> operands,
                     DType to = DType::f32);

  // From an element's type in memory to its compute type, and back, rounded once. `exact`: the
  // value is known to be one of the dtype.
  llvm::Value* widen(DType dtype, llvm::Value* element);
  llvm::Value* narrow(DType dtype, llvm::Value* value, bool exact = false);
  // narrow and widen in one.
  llvm::Value* round(DType dtype, llvm::Value* value);
  // narrow, and widen from another dtype.
  llvm::Value* bitcast(DType from, DType to, llvm::Value* x, bool exact = false);

 private:
  llvm::Value* unary(ir::ScalarOp op, DType dtype, llvm::Value* x);
  llvm::Value* binary(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* float_binary(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* integer_binary(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* divide(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* shift(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* compare(ir::ScalarOp op, DType dtype, llvm::Value* x, llvm::Value* y);
  llvm::Value* cast(DType from, DType to, llvm::Value* x);
  llvm::Value* saturated(DType to, llvm::Value* x);
  // The bits of a f32, of which the upper half is the value rounded to bf16.
  llvm::Value* bf16_bits(llvm::Value* x);
  // The 8-bit floats, for which few machines have instructions.
  llvm::Value* widen_byte(NarrowLayout layout, llvm::Value* element);
  llvm::Value* narrow_byte(NarrowLayout layout, llvm::Value* x);

  llvm::IRBuilder<>& ir_;
  MathEmitter& math_;
};

}  // namespace tutti::codegen::native
