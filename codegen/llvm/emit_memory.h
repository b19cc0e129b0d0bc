#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/jit.h>

#include <map>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// An element address or index of a kernel, as far as the loops around the point of emission have
// fixed it: a pointer for accesses, an i64 for Instruction::Kind::index. Affine functions that are
// equal share one.
class Positions {
 public:
  Positions(llvm::IRBuilder<>& ir, const Kernel& kernel, std::vector<llvm::Type*> element_types);

  // The number of an access to a buffer, or of an index (buffer -1).
  std::size_t number(int buffer, const Affine& affine, bool in_loop) const;

  // Starts all positions at what the outer axes give (null for one that is not fixed yet).
  void start(const std::vector<llvm::Value*>& pointers, const std::vector<llvm::Value*>& outer);
  // Adds what one more axis gives.
  void add_outer(std::size_t axis, llvm::Value* index);
  void add_inner(std::size_t axis, llvm::Value* index);

  // The state, to be restored behind a loop.
  std::vector<llvm::Value*> save() const { return values_; }
  void restore(std::vector<llvm::Value*> values) { values_ = std::move(values); }

  // A position, moved by a number of elements.
  llvm::Value* at(std::size_t number, std::int64_t moved = 0);

 private:
  struct Position {
    int buffer = -1;
    Affine affine;
    bool operator<(const Position& other) const;
  };
  llvm::Value* move(std::size_t number, llvm::Value* index, std::int64_t stride);

  llvm::IRBuilder<>& ir_;
  const Kernel& kernel_;
  std::vector<llvm::Type*> element_types_;
  std::vector<Position> positions_;
  std::map<Position, std::size_t> numbers_;
  std::vector<llvm::Value*> values_;
};

// Loads and stores of vectors and scalars.
//
// Buffers that a kernel writes overlap no other; each access says so with LLVM's alias scopes, so
// that loads may move across stores. Not so where the kernel goes into a loop of other code: there
// LLVM would take it to hold from one step to the next, in which buffers change places.
class MemoryEmitter {
 public:
  MemoryEmitter(llvm::IRBuilder<>& ir, const Jit& jit, const Kernel& kernel,
                std::vector<llvm::Type*> element_types, bool says_what_overlaps);

  llvm::Value* load(int buffer, llvm::Value* pointer);
  // Zero where the condition does not hold.
  llvm::Value* load_if(int buffer, llvm::Value* pointer, llvm::Value* condition);
  // kLanes elements, `stride` apart; with a mask only its lanes (the others hold zeros).
  llvm::Value* load_vector(int buffer, llvm::Value* pointer, std::int64_t stride,
                           llvm::Value* mask);
  // kLanes elements, each as many behind the pointer as `steps` says; with a mask only its lanes.
  llvm::Value* gather(int buffer, llvm::Value* pointer, llvm::Value* steps, llvm::Value* mask);
  // The first `count` of kLanes elements (the others hold zeros), with no mask: `lanes` of them may
  // be read.
  llvm::Value* load_first(int buffer, llvm::Value* pointer, std::int64_t stride, std::int64_t count,
                          std::int64_t lanes);
  // Elements that lie side by side: `lanes` of them, or all that `elements` has.
  llvm::Value* load_run(int buffer, llvm::Value* pointer, std::int64_t lanes);
  void store_run(int buffer, llvm::Value* elements, llvm::Value* pointer);
  void store(int buffer, llvm::Value* element, llvm::Value* pointer);
  void store_vector(int buffer, llvm::Value* elements, llvm::Value* pointer, std::int64_t stride,
                    llvm::Value* mask);
  // The first `count` of kLanes elements, with no mask: where they lie side by side, so many of
  // `lanes` may be written.
  void store_first(int buffer, llvm::Value* elements, llvm::Value* pointer, std::int64_t stride,
                   std::int64_t count, std::int64_t lanes);

  llvm::Type* element_type(int buffer) const {
    return element_types_[static_cast<std::size_t>(buffer)];
  }

 private:
  llvm::Align alignment(int buffer) const;
  llvm::Value* load_masked(int buffer, llvm::Value* pointer, llvm::Value* mask);
  llvm::Value* load_by_vmaskmov(int buffer, llvm::Value* pointer, llvm::Value* mask);
  llvm::Value* load_with_gaps(int buffer, llvm::Value* pointer, std::int64_t stride);
  llvm::Value* lane_pointers(int buffer, llvm::Value* pointer, std::int64_t stride);
  template <class T>
  T* tag(int buffer, T* access);

  llvm::IRBuilder<>& ir_;
  const Jit& jit_;
  const Kernel& kernel_;
  std::vector<llvm::Type*> element_types_;
  std::vector<llvm::MDNode*> own_;     // the scope of each buffer
  std::vector<llvm::MDNode*> others_;  // the scopes that it does not overlap
};

}  // namespace tutti::codegen::native
