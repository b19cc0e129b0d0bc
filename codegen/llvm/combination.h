#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/emit_scalar.h>

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// How one reduction keeps a partial result, as a few values, scalars or vectors.
//
// Most keep just the result so far. Minima and maxima of floats keep three things whose updates are
// single instructions, where the exact operation is a chain of six:
//   the extreme so far, by plain comparison (any order of -0 and +0; NaN has undefined effects),
//   the signs seen, by which an extreme of zero becomes -0 or +0,
//   a NaN, if there was one.
class Combination {
 public:
  using State = std::vector<llvm::Value*>;

  Combination(llvm::IRBuilder<>& ir, ScalarEmitter& scalars, const Reduction& reduction);

  std::size_t size() const { return is_extreme_ ? 3 : 1; }
  // Whether the bits of the result depend on the order in which elements are combined.
  bool order_matters() const;

  // Before any element: scalars.
  std::vector<llvm::Constant*> start() const;
  // One more element; lanes outside of the mask, if there is one, keep what they have.
  State add(const State& state, llvm::Value* element, llvm::Value* mask);
  // Of two partial results.
  State join(const State& a, const State& b);
  llvm::Value* result(const State& state);

 private:
  llvm::Value* combine(llvm::Value* a, llvm::Value* b);
  llvm::Value* more_extreme(llvm::Value* a, llvm::Value* b);
  llvm::Value* join_signs(llvm::Value* a, llvm::Value* b);
  llvm::Value* nan_of(llvm::Value* a, llvm::Value* b);
  llvm::Type* bits_type(llvm::Type* like) const;

  llvm::IRBuilder<>& ir_;
  ScalarEmitter& scalars_;
  const Reduction& reduction_;
  bool is_maximum_;
  bool is_extreme_;
};

}  // namespace tutti::codegen::native
