#include <tutti/codegen/llvm/row_tiles.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include <llvm/Analysis/VectorUtils.h>

namespace tutti::codegen::native {

using llvm::Value;

void RowTiles::load(std::size_t access, int buffer, std::int64_t pitch,
                    const std::vector<Value*>& pointers) {
  prepare(access, buffer, pointers.size());
  const Tile& tile = tiles_.at(access);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const Registers columns = turned(read(buffer, pitch, pointers[i]));
    for (std::int64_t j = 0; j < length(); ++j) {
      ir_.CreateStore(columns[static_cast<std::size_t>(j)], place(tile, i, number(j)));
    }
  }
}

void RowTiles::prepare(std::size_t access, int buffer, std::size_t tiles) {
  Tile tile{.vector = vector_of(buffer), .rooms = {}};
  for (std::size_t i = 0; i < tiles; ++i) tile.rooms.push_back(room(access, buffer, i));
  tiles_.insert_or_assign(access, std::move(tile));
}

void RowTiles::store(std::size_t access, int buffer, std::int64_t pitch,
                     const std::vector<Value*>& pointers) {
  const Tile& tile = tiles_.at(access);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    Registers columns;
    for (std::int64_t j = 0; j < length(); ++j) {
      columns.push_back(ir_.CreateLoad(tile.vector, place(tile, i, number(j))));
    }
    columns.resize(static_cast<std::size_t>(padded()), llvm::PoisonValue::get(tile.vector));
    write(buffer, pitch, pointers[i], turned_back(std::move(columns)));
  }
}

Value* RowTiles::get(std::size_t access, std::int64_t tile) {
  const Tile& own = tiles_.at(access);
  return ir_.CreateLoad(own.vector, place(own, static_cast<std::size_t>(tile), index_));
}

void RowTiles::put(std::size_t access, std::int64_t tile, Value* elements) {
  const Tile& own = tiles_.at(access);
  ir_.CreateStore(elements, place(own, static_cast<std::size_t>(tile), index_));
}

std::int64_t RowTiles::padded() const {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length())));
}

std::int64_t RowTiles::width() const { return std::min<std::int64_t>(padded(), kLanes); }

llvm::VectorType* RowTiles::vector_of(int buffer) const {
  return llvm::FixedVectorType::get(memory_.element_type(buffer), kLanes);
}

llvm::AllocaInst* RowTiles::room(std::size_t access, int buffer, std::size_t tile) {
  llvm::AllocaInst*& out = rooms_[{access, tile}];
  if (out != nullptr) return out;
  llvm::IRBuilder<>::InsertPointGuard guard(ir_);
  llvm::BasicBlock& entry = ir_.GetInsertBlock()->getParent()->getEntryBlock();
  ir_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  out = ir_.CreateAlloca(
      llvm::ArrayType::get(vector_of(buffer), static_cast<std::uint64_t>(length())));
  return out;
}

Value* RowTiles::place(const Tile& tile, std::size_t number, Value* index) {
  return ir_.CreateGEP(tile.vector, tile.rooms[number], index);
}

llvm::ConstantInt* RowTiles::number(std::int64_t value) {
  return ir_.getInt64(static_cast<std::uint64_t>(value));
}

Value* RowTiles::element_at(int buffer, Value* pointer, std::int64_t offset) {
  return ir_.CreateConstGEP1_64(memory_.element_type(buffer), pointer,
                                static_cast<std::uint64_t>(offset));
}

// The registers of a tile, row after row. Nothing is read behind the last row's end, where a page
// may: what would begin too late begins earlier, and is moved.
RowTiles::Registers RowTiles::read(int buffer, std::int64_t pitch, Value* pointer) {
  const auto at = [&](std::int64_t offset) { return element_at(buffer, pointer, offset); };
  Registers out;
  if (is_dense(pitch)) {
    for (std::int64_t i = 0; i < padded(); ++i) {
      out.push_back(memory_.load_run(buffer, at(i * kLanes), kLanes));
    }
    return out;
  }
  const std::int64_t last = (kLanes - 1) * pitch + length() - width();
  Registers pieces;
  for (std::int64_t row = 0; row < kLanes; ++row) {
    for (std::int64_t column = 0; column < padded(); column += width()) {
      const std::int64_t offset = row * pitch + column;
      Value* piece = memory_.load_run(buffer, at(std::min(offset, last)), width());
      if (offset > last) {
        std::vector<int> lanes;
        for (std::int64_t i = 0; i < width(); ++i) {
          const std::int64_t from = i + offset - last;
          lanes.push_back(from < width() ? static_cast<int>(from) : llvm::PoisonMaskElem);
        }
        piece = ir_.CreateShuffleVector(piece, lanes);
      }
      pieces.push_back(piece);
      if (static_cast<std::int64_t>(pieces.size()) * width() < kLanes) continue;
      out.push_back(pieces.size() == 1 ? pieces[0] : llvm::concatenateVectors(ir_, pieces));
      pieces.clear();
    }
  }
  return out;
}

void RowTiles::write(int buffer, std::int64_t pitch, Value* pointer, const Registers& rows) {
  const auto at = [&](std::int64_t offset) { return element_at(buffer, pointer, offset); };
  if (is_dense(pitch)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      memory_.store_run(buffer, rows[i], at(static_cast<std::int64_t>(i) * kLanes));
    }
    return;
  }
  for (std::int64_t row = 0; row < kLanes; ++row) {
    for (std::int64_t column = 0; column < length(); column += width()) {
      const std::int64_t from = row * padded() + column;  // in the registers
      std::vector<int> lanes(static_cast<std::size_t>(std::min(width(), length() - column)));
      std::iota(lanes.begin(), lanes.end(), static_cast<int>(from % kLanes));
      Value* const piece =
          ir_.CreateShuffleVector(rows[static_cast<std::size_t>(from / kLanes)], lanes);
      memory_.store_run(buffer, piece, at(row * pitch + column));
    }
  }
}

RowTiles::Registers RowTiles::turned(Registers rows) {
  const std::size_t half = rows.size() / 2;
  std::vector<int> even(kLanes);
  std::vector<int> odd(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    even[static_cast<std::size_t>(lane)] = 2 * lane;
    odd[static_cast<std::size_t>(lane)] = 2 * lane + 1;
  }
  for (std::size_t step = 1; step < rows.size(); step *= 2) {
    Registers next(rows.size());
    for (std::size_t i = 0; i < half; ++i) {
      next[i] = ir_.CreateShuffleVector(rows[2 * i], rows[2 * i + 1], even);
      next[i + half] = ir_.CreateShuffleVector(rows[2 * i], rows[2 * i + 1], odd);
    }
    rows = std::move(next);
  }
  return rows;
}

RowTiles::Registers RowTiles::turned_back(Registers columns) {
  const std::size_t half = columns.size() / 2;
  std::vector<int> low(kLanes);
  std::vector<int> high(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    low[static_cast<std::size_t>(lane)] = lane / 2 + lane % 2 * kLanes;
    high[static_cast<std::size_t>(lane)] = (lane + kLanes) / 2 + lane % 2 * kLanes;
  }
  for (std::size_t step = 1; step < columns.size(); step *= 2) {
    Registers next(columns.size());
    for (std::size_t i = 0; i < half; ++i) {
      next[2 * i] = ir_.CreateShuffleVector(columns[i], columns[i + half], low);
      next[2 * i + 1] = ir_.CreateShuffleVector(columns[i], columns[i + half], high);
    }
    columns = std::move(next);
  }
  return columns;
}

}  // namespace tutti::codegen::native
