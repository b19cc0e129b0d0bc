#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/combination.h>
#include <tutti/codegen/llvm/emit_body.h>
#include <tutti/codegen/llvm/emit_scalar.h>

#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Emits the reductions of a loop segment, in the order that kernel.h lays down. Their partial
// results travel through the loops as one list, one reduction after another:
//   VectorAxis::outer: a vector for each one of the strip (a scalar if the value does not vary)
//   VectorAxis::inner: a vector, or several where order does not matter
// each of as many values as its combination keeps.
class ReductionEmitter {
 public:
  using Values = std::vector<llvm::Value*>;

  ReductionEmitter(llvm::IRBuilder<>& ir, ScalarEmitter& scalars, BodyEmitter& body,
                   const Kernel& kernel)
      : ir_(ir), scalars_(scalars), body_(body), kernel_(kernel) {}

  // How many vectors of the last inner axis are worked on together (VectorAxis::inner). Minima,
  // maxima and integer sums don't depend on their order: several partial results hide that each
  // step waits for the one before.
  std::int64_t vectors_in_run(const Segment& segment) const;

  Values start(const Segment& segment, const Strip& strip);
  // Adds the values of one pass of the body.
  Values accumulate(const Segment& segment, const Strip& strip, Values partial);
  // Of what chunks have given and what another one gives.
  Values join(const Segment& segment, const Strip& strip, const Values& a, const Values& b);
  // Defines the results.
  void finish(const Segment& segment, const Strip& strip, const Values& partial);

 private:
  bool along_outer() const { return kernel_.vector_axis == VectorAxis::outer; }
  bool reduces_vectors(const Reduction& reduction) const {
    return !along_outer() || body_.varies(reduction.value);
  }
  std::int64_t partial_count(const Segment& segment, const Reduction& reduction,
                             const Strip& strip) const;
  Combination combination(const Reduction& reduction) const { return {ir_, scalars_, reduction}; }
  llvm::Value* join_lanes(Combination& combination, Combination::State lanes);

  llvm::IRBuilder<>& ir_;
  ScalarEmitter& scalars_;
  BodyEmitter& body_;
  const Kernel& kernel_;
};

}  // namespace tutti::codegen::native
