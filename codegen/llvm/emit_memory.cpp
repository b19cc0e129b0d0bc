#include <tutti/codegen/llvm/emit_memory.h>
#include <tutti/codegen/plan/in_place.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

namespace tutti::codegen::native {

using llvm::Value;

bool Positions::Position::operator<(const Position& other) const {
  const auto key = [](const Position& p) {
    return std::tie(p.buffer, p.affine.offset, p.affine.outer, p.affine.inner);
  };
  return key(*this) < key(other);
}

Positions::Positions(llvm::IRBuilder<>& ir, const Kernel& kernel,
                     std::vector<llvm::Type*> element_types)
    : ir_(ir), kernel_(kernel), element_types_(std::move(element_types)) {
  const auto add = [&](int buffer, const Affine& affine, bool in_loop) {
    Position position{.buffer = buffer, .affine = affine};
    if (!in_loop) position.affine.inner.assign(kernel_.inner.size(), 0);
    if (numbers_.try_emplace(position, positions_.size()).second) positions_.push_back(position);
  };
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      const bool load = instruction.kind == Instruction::Kind::load;
      if (!load && instruction.kind != Instruction::Kind::index) continue;
      add(load ? instruction.buffer : -1, instruction.address, segment.loop);
      for (const Bound& bound : instruction.bounds) {
        add(-1, index_of(kernel, bound), segment.loop);
      }
    }
    for (const Store& store : segment.stores) add(store.buffer, store.address, segment.loop);
  }
}

std::size_t Positions::number(int buffer, const Affine& affine, bool in_loop) const {
  Position position{.buffer = buffer, .affine = affine};
  if (!in_loop) position.affine.inner.assign(kernel_.inner.size(), 0);
  return numbers_.at(position);
}

void Positions::start(const std::vector<Value*>& pointers, const std::vector<Value*>& outer) {
  values_.clear();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Position& position = positions_[i];
    values_.push_back(position.buffer < 0 ? ir_.getInt64(0)
                                          : pointers[static_cast<std::size_t>(position.buffer)]);
    // One sum of integers, then one step of the pointer: cheaper than a step for each axis.
    Value* sum = ir_.getInt64(static_cast<std::uint64_t>(position.affine.offset));
    for (std::size_t axis = 0; axis < outer.size(); ++axis) {
      const std::int64_t stride = position.affine.outer[axis];
      if (stride == 0 || outer[axis] == nullptr) continue;
      sum = ir_.CreateAdd(
          sum, ir_.CreateMul(outer[axis], ir_.getInt64(static_cast<std::uint64_t>(stride))));
    }
    values_.back() = move(i, sum, 1);
  }
}

void Positions::add_outer(std::size_t axis, Value* index) {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    values_[i] = move(i, index, positions_[i].affine.outer[axis]);
  }
}

void Positions::add_inner(std::size_t axis, Value* index) {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    values_[i] = move(i, index, positions_[i].affine.inner[axis]);
  }
}

Value* Positions::at(std::size_t number, std::int64_t moved) {
  return move(number, ir_.getInt64(static_cast<std::uint64_t>(moved)), 1);
}

Value* Positions::move(std::size_t number, Value* index, std::int64_t stride) {
  Value* value = values_[number];
  if (stride == 0) return value;
  Value* step = ir_.CreateMul(index, ir_.getInt64(static_cast<std::uint64_t>(stride)));
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(step); constant && constant->isZero()) {
    return value;
  }
  const int buffer = positions_[number].buffer;
  if (buffer < 0) return ir_.CreateAdd(value, step);
  return ir_.CreateGEP(element_types_[static_cast<std::size_t>(buffer)], value, step);
}

namespace {

// Whether a mask is known to let only the first lane through. Such accesses are emitted as scalar
// ones: LLVM 22 turns a masked store of truncated elements into a scalar store, but forgets the
// truncation and writes behind the element.
bool only_first_lane(const Value* mask) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  if (constant == nullptr || !constant->getAggregateElement(0U)->isOneValue()) return false;
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    if (!constant->getAggregateElement(lane)->isNullValue()) return false;
  }
  return true;
}

}  // namespace

MemoryEmitter::MemoryEmitter(llvm::IRBuilder<>& ir, const Jit& jit, const Kernel& kernel,
                             std::vector<llvm::Type*> element_types, bool says_what_overlaps)
    : ir_(ir), jit_(jit), kernel_(kernel), element_types_(std::move(element_types)) {
  if (!says_what_overlaps) return;
  llvm::MDBuilder metadata(ir.getContext());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(kernel.name);
  std::vector<llvm::Metadata*> scopes;
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "b" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    std::vector<llvm::Metadata*> others;
    for (std::size_t j = 0; j < kernel.buffers.size(); ++j) {
      const bool apart = kernel.buffers[i].written || kernel.buffers[j].written;
      const bool in_place = may_run_in_place(kernel, i, j) || may_run_in_place(kernel, j, i);
      if (i != j && apart && !in_place) others.push_back(scopes[j]);
    }
    own_.push_back(llvm::MDNode::get(ir.getContext(), {scopes[i]}));
    others_.push_back(others.empty() ? nullptr : llvm::MDNode::get(ir.getContext(), others));
  }
}

Value* MemoryEmitter::load(int buffer, Value* pointer) {
  llvm::Type* type = element_types_[static_cast<std::size_t>(buffer)];
  return tag(buffer, ir_.CreateAlignedLoad(type, pointer, alignment(buffer)));
}

Value* MemoryEmitter::load_if(int buffer, Value* pointer, Value* condition) {
  auto* type = llvm::FixedVectorType::get(element_types_[static_cast<std::size_t>(buffer)], 1);
  Value* const mask = ir_.CreateInsertElement(
      llvm::PoisonValue::get(llvm::FixedVectorType::get(ir_.getInt1Ty(), 1)), condition,
      std::uint64_t{0});
  Value* const element = tag(buffer, ir_.CreateMaskedLoad(type, pointer, alignment(buffer), mask,
                                                          llvm::Constant::getNullValue(type)));
  return ir_.CreateExtractElement(element, std::uint64_t{0});
}

Value* MemoryEmitter::load_vector(int buffer, Value* pointer, std::int64_t stride, Value* mask) {
  auto* type = llvm::FixedVectorType::get(element_types_[static_cast<std::size_t>(buffer)], kLanes);
  if (stride == 1 && mask == nullptr) {
    return tag(buffer, ir_.CreateAlignedLoad(type, pointer, alignment(buffer)));
  }
  auto* zeros = llvm::Constant::getNullValue(type);
  if (only_first_lane(mask)) {
    return ir_.CreateInsertElement(zeros, load(buffer, pointer), std::uint64_t{0});
  }
  if (stride == 1) return load_masked(buffer, pointer, mask);
  if (mask == nullptr && stride != 0 && stride >= -1 && stride <= kShortStride) {
    return load_with_gaps(buffer, pointer, stride);
  }
  return tag(buffer, ir_.CreateMaskedGather(type, lane_pointers(buffer, pointer, stride),
                                            alignment(buffer), mask, zeros));
}

Value* MemoryEmitter::gather(int buffer, Value* pointer, Value* steps, Value* mask) {
  llvm::Type* const element = element_type(buffer);
  auto* const type = llvm::FixedVectorType::get(element, kLanes);
  auto* const zeros = llvm::Constant::getNullValue(type);
  if (only_first_lane(mask)) {
    Value* const place =
        ir_.CreateGEP(element, pointer, ir_.CreateExtractElement(steps, std::uint64_t{0}));
    return ir_.CreateInsertElement(zeros, load(buffer, place), std::uint64_t{0});
  }
  return tag(buffer, ir_.CreateMaskedGather(type, ir_.CreateGEP(element, pointer, steps),
                                            alignment(buffer), mask, zeros));
}

Value* MemoryEmitter::load_masked(int buffer, Value* pointer, Value* mask) {
  llvm::Type* const element = element_types_[static_cast<std::size_t>(buffer)];
  const unsigned bits = element->getScalarSizeInBits();
  // Elements of other sizes have no such instruction: LLVM loads them one by one.
  const bool has_instruction = jit_.has_avx_alone() && (bits == 32 || bits == 64);
  if (has_instruction && !llvm::isa<llvm::Constant>(mask)) {
    return load_by_vmaskmov(buffer, pointer, mask);
  }
  auto* const type = llvm::FixedVectorType::get(element, kLanes);
  return tag(buffer, ir_.CreateMaskedLoad(type, pointer, alignment(buffer), mask,
                                          llvm::Constant::getNullValue(type)));
}

// Register by register, with vectors for masks. LLVM 22 takes the upper half of a mask of which it
// finds out that it is zero for all ones, and loads what may not even be there.
Value* MemoryEmitter::load_by_vmaskmov(int buffer, Value* pointer, Value* mask) {
  constexpr unsigned kRegisterBits = 256;
  llvm::Type* const element = element_types_[static_cast<std::size_t>(buffer)];
  const unsigned bits = element->getScalarSizeInBits();
  const int at_once = static_cast<int>(kRegisterBits / bits);
  Value* const signs =
      ir_.CreateSExt(mask, llvm::FixedVectorType::get(ir_.getIntNTy(bits), kLanes));
  std::vector<Value*> pieces;
  for (int begin = 0; begin < kLanes; begin += at_once) {
    std::vector<int> lanes(static_cast<std::size_t>(at_once));
    std::iota(lanes.begin(), lanes.end(), begin);
    Value* const place =
        ir_.CreateConstGEP1_64(element, pointer, static_cast<std::uint64_t>(begin));
    pieces.push_back(
        tag(buffer, ir_.CreateIntrinsic(bits == 32 ? llvm::Intrinsic::x86_avx_maskload_ps_256
                                                   : llvm::Intrinsic::x86_avx_maskload_pd_256,
                                        {}, {place, ir_.CreateShuffleVector(signs, lanes)})));
  }
  Value* const whole = llvm::concatenateVectors(ir_, pieces);
  return ir_.CreateBitCast(whole, llvm::FixedVectorType::get(element, kLanes));
}

// All from the first to the last lane's element, but nothing behind it: whole vectors, the last of
// which may begin within the one before.
Value* MemoryEmitter::load_with_gaps(int buffer, Value* pointer, std::int64_t stride) {
  llvm::Type* const element = element_types_[static_cast<std::size_t>(buffer)];
  auto* const type = llvm::FixedVectorType::get(element, kLanes);
  const std::int64_t reach = (kLanes - 1) * stride;
  Value* const first =
      stride < 0 ? ir_.CreateConstGEP1_64(element, pointer, static_cast<std::uint64_t>(reach))
                 : pointer;
  const std::int64_t gap = std::abs(stride);
  std::array<int, kLanes> from{};  // of what is gathered so far, or kLanes + of the next vector
  std::iota(from.begin(), from.end(), 0);
  Value* out = nullptr;
  for (std::int64_t i = 0; i < gap; ++i) {
    const std::int64_t begin = i + 1 < gap ? i * kLanes : (kLanes - 1) * (gap - 1);
    Value* const piece = tag(
        buffer, ir_.CreateAlignedLoad(
                    type, ir_.CreateConstGEP1_64(element, first, static_cast<std::uint64_t>(begin)),
                    alignment(buffer)));
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t place = (stride < 0 ? kLanes - 1 - lane : lane * gap) - begin;
      const bool here = place >= 0 && place < kLanes && (i == 0 || place + begin >= i * kLanes);
      from[static_cast<std::size_t>(lane)] = static_cast<int>(!here    ? lane
                                                              : i == 0 ? place
                                                                       : kLanes + place);
    }
    out = out == nullptr ? ir_.CreateShuffleVector(piece, from)
                         : ir_.CreateShuffleVector(out, piece, from);
  }
  return out;
}

Value* MemoryEmitter::load_run(int buffer, Value* pointer, std::int64_t lanes) {
  auto* const type = llvm::FixedVectorType::get(element_type(buffer), static_cast<unsigned>(lanes));
  return tag(buffer, ir_.CreateAlignedLoad(type, pointer, alignment(buffer)));
}

void MemoryEmitter::store_run(int buffer, Value* elements, Value* pointer) {
  tag(buffer, ir_.CreateAlignedStore(elements, pointer, alignment(buffer)));
}

void MemoryEmitter::store(int buffer, Value* element, Value* pointer) {
  tag(buffer, ir_.CreateAlignedStore(element, pointer, alignment(buffer)));
}

void MemoryEmitter::store_vector(int buffer, Value* elements, Value* pointer, std::int64_t stride,
                                 Value* mask) {
  if (only_first_lane(mask)) {
    store(buffer, ir_.CreateExtractElement(elements, std::uint64_t{0}), pointer);
  } else if (stride == 1 && mask == nullptr) {
    tag(buffer, ir_.CreateAlignedStore(elements, pointer, alignment(buffer)));
  } else if (stride == 1) {
    tag(buffer, ir_.CreateMaskedStore(elements, pointer, alignment(buffer), mask));
  } else {
    tag(buffer, ir_.CreateMaskedScatter(elements, lane_pointers(buffer, pointer, stride),
                                        alignment(buffer), mask));
  }
}

Value* MemoryEmitter::load_first(int buffer, Value* pointer, std::int64_t stride,
                                 std::int64_t count, std::int64_t lanes) {
  llvm::Type* const element = element_type(buffer);
  Value* const zeros = llvm::Constant::getNullValue(llvm::FixedVectorType::get(element, kLanes));
  if (stride != 1) {
    Value* out = zeros;
    for (std::int64_t lane = 0; lane < count; ++lane) {
      Value* const place =
          ir_.CreateConstGEP1_64(element, pointer, static_cast<std::uint64_t>(lane * stride));
      out = ir_.CreateInsertElement(out, load(buffer, place), static_cast<std::uint64_t>(lane));
    }
    return out;
  }
  Value* const read = load_run(buffer, pointer, lanes);
  std::vector<int> places;  // in what is read, or behind it, where there are zeros
  for (int lane = 0; lane < kLanes; ++lane) {
    places.push_back(lane < count ? lane : static_cast<int>(lanes));
  }
  return ir_.CreateShuffleVector(read, llvm::Constant::getNullValue(read->getType()), places);
}

void MemoryEmitter::store_first(int buffer, Value* elements, Value* pointer, std::int64_t stride,
                                std::int64_t count, std::int64_t lanes) {
  if (stride != 1) {
    for (std::int64_t lane = 0; lane < count; ++lane) {
      store(buffer, ir_.CreateExtractElement(elements, static_cast<std::uint64_t>(lane)),
            ir_.CreateConstGEP1_64(element_type(buffer), pointer,
                                   static_cast<std::uint64_t>(lane * stride)));
    }
    return;
  }
  std::vector<int> places(static_cast<std::size_t>(lanes));
  std::iota(places.begin(), places.end(), 0);
  store_run(buffer, lanes == kLanes ? elements : ir_.CreateShuffleVector(elements, places),
            pointer);
}

llvm::Align MemoryEmitter::alignment(int buffer) const {
  const DType dtype = kernel_.buffers[static_cast<std::size_t>(buffer)].dtype;
  return llvm::Align(static_cast<std::uint64_t>(size_of(dtype)));
}

Value* MemoryEmitter::lane_pointers(int buffer, Value* pointer, std::int64_t stride) {
  std::vector<llvm::Constant*> steps;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    steps.push_back(ir_.getInt64(static_cast<std::uint64_t>(lane * stride)));
  }
  return ir_.CreateGEP(element_types_[static_cast<std::size_t>(buffer)], pointer,
                       llvm::ConstantVector::get(steps));
}

template <class T>
T* MemoryEmitter::tag(int buffer, T* access) {
  if (own_.empty()) return access;
  const auto i = static_cast<std::size_t>(buffer);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, own_[i]);
  if (others_[i] != nullptr) access->setMetadata(llvm::LLVMContext::MD_noalias, others_[i]);
  return access;
}

}  // namespace tutti::codegen::native
