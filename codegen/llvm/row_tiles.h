#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/emit_memory.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Tiles of kLanes short rows (short_rows.h), turned: element j of all rows is a vector, and lies
// behind that of element j - 1 in a piece of the stack (which LLVM keeps in registers where loops
// are unrolled).
//
// A tile of rows of n elements, P = the next power of two, is P registers of kLanes elements, row
// after row, padded to P elements each. Taking all elements of even and all of odd places apart,
// register pair by register pair, rotates the bits of an element's place by one; log2(P) times that
// turns the tile, in P shuffles each.
class RowTiles {
 public:
  RowTiles(llvm::IRBuilder<>& ir, MemoryEmitter& memory, const Kernel& kernel)
      : ir_(ir), memory_(memory), kernel_(kernel) {}

  // Reads the rows of an access, which begin `pitch` elements apart: `pointers` are the first
  // elements of the tiles of a strip.
  void load(std::size_t access, int buffer, std::int64_t pitch,
            const std::vector<llvm::Value*>& pointers);
  // Room for rows to be written.
  void prepare(std::size_t access, int buffer, std::size_t tiles);
  // Writes the rows that put() has filled.
  void store(std::size_t access, int buffer, std::int64_t pitch,
             const std::vector<llvm::Value*>& pointers);

  bool has(std::size_t access) const { return tiles_.contains(access); }
  // Forgets all tiles: behind a strip.
  void clear() { tiles_.clear(); }

  // Where on the rows the loop is.
  void set_index(llvm::Value* index) { index_ = index; }
  llvm::Value* get(std::size_t access, std::int64_t tile);
  void put(std::size_t access, std::int64_t tile, llvm::Value* elements);

 private:
  using Registers = std::vector<llvm::Value*>;
  struct Tile {
    llvm::VectorType* vector;
    std::vector<llvm::AllocaInst*> rooms;
  };

  std::int64_t length() const { return kernel_.inner[0]; }
  std::int64_t padded() const;
  // Whether registers hold rows as memory does.
  bool is_dense(std::int64_t pitch) const { return pitch == padded() && length() == padded(); }
  // Elements of a row that a register holds.
  std::int64_t width() const;
  llvm::VectorType* vector_of(int buffer) const;
  // A tile's piece of the stack, of the function's whole frame.
  llvm::AllocaInst* room(std::size_t access, int buffer, std::size_t tile);
  llvm::Value* place(const Tile& tile, std::size_t number, llvm::Value* index);
  llvm::ConstantInt* number(std::int64_t value);
  llvm::Value* element_at(int buffer, llvm::Value* pointer, std::int64_t offset);

  Registers read(int buffer, std::int64_t pitch, llvm::Value* pointer);
  void write(int buffer, std::int64_t pitch, llvm::Value* pointer, const Registers& rows);
  Registers turned(Registers rows);
  Registers turned_back(Registers columns);

  llvm::IRBuilder<>& ir_;
  MemoryEmitter& memory_;
  const Kernel& kernel_;
  llvm::Value* index_ = nullptr;
  std::map<std::size_t, Tile> tiles_;
  // By access and tile: strips that follow each other share them.
  std::map<std::pair<std::size_t, std::size_t>, llvm::AllocaInst*> rooms_;
};

}  // namespace tutti::codegen::native
