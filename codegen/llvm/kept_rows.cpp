#include <tutti/codegen/kernel/repeated_values.h>
#include <tutti/codegen/llvm/kept_rows.h>

#include <algorithm>
#include <cstddef>
#include <ranges>

namespace tutti::codegen::native {

using llvm::Value;

namespace {

// Bytes of the stack for strips of one width, of which a kernel may have two. What does not stay in
// the first cache stays in the second.
constexpr std::int64_t kMostKept = std::int64_t{64} << 10;

}  // namespace

KeptRows::KeptRows(llvm::IRBuilder<>& ir, const Kernel& kernel, const std::vector<Place>& places)
    : ir_(ir), kernel_(kernel) {
  const auto count = static_cast<std::size_t>(kernel.value_count);
  worthwhile_.resize(count);
  kept_.resize(count);
  there_.resize(count);
  needed_.resize(count, true);
  if (kernel.inner.size() != 1) return;
  first_ = find_repeated_values(kernel);
  const std::vector<bool> costly = find_costly_values(kernel);
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      const auto id = static_cast<std::size_t>(instruction.result);
      const bool is_row = places[id].varies && places[id].level == 1;
      worthwhile_[id] =
          is_row && first_[id] >= 0 && costly[id] && instruction.type != DType::boolean;
    }
  }
}

void KeptRows::begin_strip(std::int64_t vectors) {
  if (std::find(worthwhile_.begin(), worthwhile_.end(), true) == worthwhile_.end()) return;
  for (std::vector<bool>* each : {&kept_, &there_, &needed_}) each->assign(each->size(), false);
  choose(vectors);
}

void KeptRows::choose(std::int64_t vectors) {
  const auto need = [&](ValueId id) {
    if (id >= 0) needed_[static_cast<std::size_t>(id)] = true;
  };
  std::int64_t left = kMostKept;
  for (const Segment& segment : std::views::reverse(kernel_.segments)) {
    for (const Store& store : segment.stores) need(store.value);
    for (const Reduction& reduction : segment.reductions) need(reduction.value);
    for (const Instruction& instruction : std::views::reverse(segment.body)) {
      const auto id = static_cast<std::size_t>(instruction.result);
      if (!needed_[id]) continue;
      if (worthwhile_[id]) {
        const auto first = static_cast<std::size_t>(first_[id]);
        const std::int64_t bytes =
            vectors_of_row() * (along_outer() ? vectors : 1) * kLanes * size_of(instruction.type);
        if (kept_[first] || bytes <= left) {
          if (!kept_[first]) left -= bytes;
          kept_[first] = true;
          there_[id] = true;
          need(first_[id]);
          continue;
        }
      }
      std::ranges::for_each(instruction.operands, need);
    }
  }
}

std::int64_t KeptRows::vectors_of_row() const {
  return along_outer() ? kernel_.inner[0] : (kernel_.inner[0] + kLanes - 1) / kLanes;
}

void KeptRows::put(ValueId id, std::int64_t part, Value* elements) {
  Room& room = rooms_[{id, along_outer() ? part : 0}];
  if (room.memory == nullptr) {
    room.vector = elements->getType();
    llvm::IRBuilder<>::InsertPointGuard guard(ir_);
    llvm::BasicBlock& entry = ir_.GetInsertBlock()->getParent()->getEntryBlock();
    ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    room.memory = ir_.CreateAlloca(
        llvm::ArrayType::get(room.vector, static_cast<std::uint64_t>(vectors_of_row())));
  }
  ir_.CreateStore(elements, place(room, part));
}

Value* KeptRows::get(ValueId id, std::int64_t part) {
  const ValueId first = first_[static_cast<std::size_t>(id)];
  const Room& room = rooms_.at({first, along_outer() ? part : 0});
  return ir_.CreateLoad(room.vector, place(room, part));
}

// Vectors of rows begin at multiples of kLanes.
Value* KeptRows::place(const Room& room, std::int64_t part) {
  if (along_outer()) return ir_.CreateGEP(room.vector, room.memory, index_);
  Value* const element =
      ir_.CreateAdd(index_, ir_.getInt64(static_cast<std::uint64_t>(part * kLanes)));
  return ir_.CreateGEP(room.vector->getScalarType(), room.memory, element);
}

}  // namespace tutti::codegen::native
