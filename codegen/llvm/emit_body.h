#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/llvm/axis_sections.h>
#include <tutti/codegen/llvm/emit_memory.h>
#include <tutti/codegen/llvm/emit_scalar.h>
#include <tutti/codegen/llvm/kept_rows.h>
#include <tutti/codegen/llvm/placement.h>
#include <tutti/codegen/llvm/row_tiles.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// The vectors that are worked on together; the mask is null when all their lanes are inside.
struct Strip {
  std::int64_t vectors = 1;
  llvm::Value* mask = nullptr;
};

// Emits the instructions and stores of segments, and knows the values defined so far. A value that
// varies along the vectorised axis has one part for each vector of the strip, any other is a
// scalar.
class BodyEmitter {
 public:
  // `rooms`: by buffer, as of emit_inlined_kernel; null: of a kernel that stands alone.
  BodyEmitter(llvm::IRBuilder<>& ir, ScalarEmitter& scalars, const Jit& jit, const Kernel& kernel,
              const std::vector<std::int64_t>* rooms);

  // Where loads and stores are; the loops move them on.
  Positions& positions() { return positions_; }
  // What is known of conditions where the loops are.
  AxisSections& sections() { return sections_; }

  // Where a buffer's element 0 lies, of where its argument begins.
  llvm::Value* start(const std::vector<llvm::Value*>& arguments, std::size_t buffer);

  // The instructions of a segment that belong to one level of the loops (see placement.h).
  void emit(const Segment& segment, int level, const Strip& strip);
  void emit_stores(const Segment& segment, const Strip& strip);

  // Around all of a strip, and behind the loop of a segment: short rows are read before, and
  // written when all their elements are there.
  void begin_strip(const Strip& strip);
  void end_loop(const Segment& segment, const Strip& strip);
  void end_strip() { rows_.clear(); }
  // Where the loop over the last inner axis is.
  void set_row_index(llvm::Value* index) {
    rows_.set_index(index);
    kept_.set_index(index);
  }

  bool loops_run() const { return loops_run_; }
  bool varies(ValueId id) const { return places_[static_cast<std::size_t>(id)].varies; }

  llvm::Value* scalar(ValueId id) const { return values_[static_cast<std::size_t>(id)].front(); }
  // One part; a scalar in all lanes.
  llvm::Value* vector(ValueId id, std::int64_t part);
  void define(ValueId id, std::vector<llvm::Value*> parts) {
    values_[static_cast<std::size_t>(id)] = std::move(parts);
  }

  // A scalar in all lanes, made once, right behind it: outside of the loops that use it.
  llvm::Value* splat(llvm::Value* value);
  // The mask of the first `count` lanes.
  llvm::Value* lanes_below(llvm::Value* count);
  llvm::ConstantInt* number(std::int64_t value) const;

 private:
  std::vector<llvm::Value*> emit_parts(const Instruction& instruction, bool in_loop,
                                       const Strip& strip);
  llvm::Value* emit_part(const Instruction& instruction, bool in_loop, const Strip& strip,
                         std::int64_t part);
  llvm::Value* emit_load(const Instruction& instruction, bool in_loop, const Strip& strip,
                         std::int64_t part);
  // Where a load of one part is: its first element, and where a value that varies says more, how
  // far behind that each lane's element is.
  struct LoadPlace {
    llvm::Value* pointer = nullptr;
    llvm::Value* steps = nullptr;
  };
  LoadPlace place_of(const Instruction& load, bool in_loop, std::int64_t part);
  // What a term of a value adds, made once right behind that: outside of the loops that use it.
  llvm::Value* step_of(llvm::Value* value, DType dtype, const Term& term, llvm::Type* type);
  // Goes on right behind what makes a value.
  void go_behind(llvm::Value* value);
  // Of a masked access without bounds in a kernel that is inlined: the lanes that the mask lets
  // through, and how many from the first on may be touched. None: it goes by its mask.
  struct FirstLanes {
    std::int64_t count = 0;
    std::int64_t touched = 0;
  };
  std::optional<FirstLanes> first_lanes(int buffer, const Affine& address, bool in_loop,
                                        const Strip& strip, bool writes) const;
  // Where a load is inside of its bounds: an i1, or one for each lane where it varies; null where
  // all of it is known to be.
  llvm::Value* emit_inside(const Instruction& load, bool in_loop, std::int64_t part);
  // Which lanes of an axis are, from how far the first of them is behind the bound's begin.
  llvm::Value* lanes_inside(const Bound& bound, llvm::Value* from_begin);
  llvm::Value* position_of(int buffer, const Affine& affine, bool in_loop, std::int64_t part);
  // Of an access in a loop, for each vector of a strip.
  std::vector<llvm::Value*> positions_of(int buffer, const Affine& affine, const Strip& strip);
  // Whether an access is to rows that begin_strip has made tiles of.
  bool has_rows(int buffer, const Affine& affine, bool in_loop, const Strip& strip) const {
    return in_loop && strip.mask == nullptr && rows_.has(positions_.number(buffer, affine, true));
  }
  // Whether a value is known to be one of a (narrower) dtype already.
  bool is_rounded_to(DType dtype, ValueId id) const {
    return rounded_[static_cast<std::size_t>(id)] == dtype;
  }
  llvm::Constant* lane_steps(std::int64_t stride) const;

  llvm::IRBuilder<>& ir_;
  ScalarEmitter& scalars_;
  const Kernel& kernel_;
  const std::vector<std::int64_t>* const rooms_;
  Positions positions_;
  AxisSections sections_;
  MemoryEmitter memory_;
  RowTiles rows_;
  std::vector<Place> places_;
  KeptRows kept_;
  std::vector<DType> types_;  // of values
  std::vector<std::optional<DType>> rounded_;
  bool loops_run_;
  std::vector<std::vector<llvm::Value*>> values_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> splats_;
  // What terms add: one value is two indices where it is read with a sign and without.
  std::map<std::tuple<llvm::Value*, bool, std::int64_t, std::int64_t, llvm::Type*>, llvm::Value*>
      steps_;
};

}  // namespace tutti::codegen::native
