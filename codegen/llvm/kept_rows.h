#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/placement.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// What a loop computes that a loop before it has computed too (repeated_values.h), and that takes
// long: it stays on the stack in between. Of kernels with one inner axis, whose rows fit.
class KeptRows {
 public:
  KeptRows(llvm::IRBuilder<>& ir, const Kernel& kernel, const std::vector<Place>& places);

  // For all that is emitted from here on, strips of so many vectors.
  void begin_strip(std::int64_t vectors);
  // Where on the rows the loop is.
  void set_index(llvm::Value* index) { index_ = index; }

  // Whether a value is to be kept for a later loop, and whether it is one that was kept.
  bool is_kept(ValueId id) const { return kept_[static_cast<std::size_t>(id)]; }
  bool is_there(ValueId id) const { return there_[static_cast<std::size_t>(id)]; }
  // Whether it has to be computed: not if nothing but values that are there is made of it.
  bool is_needed(ValueId id) const { return needed_[static_cast<std::size_t>(id)]; }

  void put(ValueId id, std::int64_t part, llvm::Value* elements);
  llvm::Value* get(ValueId id, std::int64_t part);

 private:
  struct Room {
    llvm::Type* vector = nullptr;
    llvm::AllocaInst* memory = nullptr;
  };

  bool along_outer() const { return kernel_.vector_axis == VectorAxis::outer; }
  // Vectors of one value that a strip keeps.
  std::int64_t vectors_of_row() const;
  // Chooses values of the loops, from the last result back, and finds what is left to compute.
  void choose(std::int64_t vectors);
  llvm::Value* place(const Room& room, std::int64_t part);

  llvm::IRBuilder<>& ir_;
  const Kernel& kernel_;
  std::vector<ValueId> first_;    // by value, as the others; see find_repeated_values
  std::vector<bool> worthwhile_;  // of which there is a first one, and which takes long
  std::vector<bool> kept_;
  std::vector<bool> there_;
  std::vector<bool> needed_;
  llvm::Value* index_ = nullptr;
  // By the value that is kept and, of strips, the vector's number.
  std::map<std::pair<ValueId, std::int64_t>, Room> rooms_;
};

}  // namespace tutti::codegen::native
