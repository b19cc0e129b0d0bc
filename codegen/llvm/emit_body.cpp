#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/llvm/emit_body.h>
#include <tutti/codegen/llvm/emit_index.h>
#include <tutti/runtime/buffer.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti::codegen::native {

using llvm::Value;

namespace {

std::vector<llvm::Type*> element_types(const ScalarEmitter& scalars, const Kernel& kernel) {
  std::vector<llvm::Type*> types;
  for (const auto& buffer : kernel.buffers) types.push_back(scalars.storage_type(buffer.dtype));
  return types;
}

std::vector<std::optional<DType>> find_rounded(const Kernel& kernel) {
  std::vector<std::optional<DType>> rounded(static_cast<std::size_t>(kernel.value_count));
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      auto& dtype = rounded[static_cast<std::size_t>(instruction.result)];
      if (instruction.kind == Instruction::Kind::round) dtype = instruction.dtype;
      if (instruction.kind == Instruction::Kind::scalar &&
          instruction.op == ir::ScalarOp::bitcast) {
        dtype = instruction.to;
      }
      if (instruction.kind == Instruction::Kind::load) {
        dtype = kernel.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
      }
    }
  }
  return rounded;
}

}  // namespace

BodyEmitter::BodyEmitter(llvm::IRBuilder<>& ir, ScalarEmitter& scalars, const Jit& jit,
                         const Kernel& kernel, const std::vector<std::int64_t>* rooms)
    : ir_(ir),
      scalars_(scalars),
      kernel_(kernel),
      rooms_(rooms),
      positions_(ir, kernel, element_types(scalars, kernel)),
      sections_(kernel),
      memory_(ir, jit, kernel, element_types(scalars, kernel), rooms == nullptr),
      rows_(ir, memory_, kernel),
      places_(place_values(kernel)),
      kept_(ir, kernel, places_),
      types_(types_of_values(kernel)),
      rounded_(find_rounded(kernel)),
      loops_run_(native::loops_run(kernel)),
      values_(static_cast<std::size_t>(kernel.value_count)) {}

Value* BodyEmitter::start(const std::vector<Value*>& arguments, std::size_t buffer) {
  Value* out = arguments[buffer];
  for (const Start& start : kernel_.buffers[buffer].starts) {
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(start.buffer)].dtype;
    llvm::Type* const type = scalars_.storage_type(dtype);
    Value* const place =
        ir_.CreateConstGEP1_64(type, arguments[static_cast<std::size_t>(start.buffer)],
                               static_cast<std::uint64_t>(start.element));
    Value* const index = emit_clamped_index(ir_, memory_.load(start.buffer, place), dtype,
                                            start.most, ir_.getInt64Ty());
    out = ir_.CreateGEP(scalars_.storage_type(kernel_.buffers[buffer].dtype), out,
                        ir_.CreateMul(index, number(start.stride)));
  }
  return out;
}

void BodyEmitter::emit(const Segment& segment, int level, const Strip& strip) {
  if (segment.loop && !loops_run_) return;
  for (const Instruction& instruction : segment.body) {
    const ValueId id = instruction.result;
    const Place& place = places_[static_cast<std::size_t>(id)];
    if (place.level != level || !sections_.is_needed(id) || !kept_.is_needed(id)) continue;
    define(id, emit_parts(instruction, segment.loop, strip));
  }
}

std::vector<Value*> BodyEmitter::emit_parts(const Instruction& instruction, bool in_loop,
                                            const Strip& strip) {
  const ValueId id = instruction.result;
  std::vector<Value*> parts;
  for (std::int64_t i = 0; i < (varies(id) ? strip.vectors : 1); ++i) {
    parts.push_back(kept_.is_there(id) ? kept_.get(id, i)
                                       : emit_part(instruction, in_loop, strip, i));
    if (kept_.is_kept(id)) kept_.put(id, i, parts.back());
  }
  return parts;
}

Value* BodyEmitter::emit_part(const Instruction& instruction, bool in_loop, const Strip& strip,
                              std::int64_t part) {
  const bool vectors = varies(instruction.result);
  const auto operand = [&](std::size_t i) -> Value* {
    const ValueId id = instruction.operands[i];
    if (id < 0) return nullptr;
    return vectors ? vector(id, part) : scalar(id);
  };
  switch (instruction.kind) {
    case Instruction::Kind::constant:
      return scalars_.constant(instruction.dtype, instruction.constant);
    case Instruction::Kind::scalar:
      if (const std::optional<bool> known = sections_.holds(instruction.result)) {
        return splat(ir_.getInt1(*known));
      }
      if (instruction.op == ir::ScalarOp::select) {
        const std::optional<bool> first = sections_.holds(instruction.operands[0]);
        if (first) return operand(*first ? 1 : 2);
      }
      if (instruction.op == ir::ScalarOp::bitcast) {  // rounding changes signalling NaNs
        const bool rounded = is_rounded_to(instruction.dtype, instruction.operands[0]);
        return scalars_.bitcast(instruction.dtype, instruction.to, operand(0), rounded);
      }
      return scalars_.apply(instruction.op, instruction.dtype, {operand(0), operand(1), operand(2)},
                            instruction.to);
    case Instruction::Kind::round:
      return scalars_.round(instruction.dtype, operand(0));
    case Instruction::Kind::index: {
      Value* index = position_of(-1, instruction.address, in_loop, part);
      if (!vectors) return index;
      const std::int64_t stride = lane_stride(kernel_, instruction.address, in_loop);
      return ir_.CreateAdd(splat(index), lane_steps(stride));
    }
    case Instruction::Kind::load:
      return emit_load(instruction, in_loop, strip, part);
  }
  return nullptr;
}

Value* BodyEmitter::emit_load(const Instruction& instruction, bool in_loop, const Strip& strip,
                              std::int64_t part) {
  const int buffer = instruction.buffer;
  const bool has_terms = !instruction.terms.empty();
  if (instruction.bounds.empty() && !has_terms &&
      has_rows(buffer, instruction.address, in_loop, strip)) {
    const std::size_t access = positions_.number(buffer, instruction.address, true);
    return scalars_.widen(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype,
                          rows_.get(access, part));
  }
  const auto [pointer, steps] = place_of(instruction, in_loop, part);
  const std::int64_t stride = lane_stride(kernel_, instruction.address, in_loop);
  const DType dtype = kernel_.buffers[static_cast<std::size_t>(buffer)].dtype;
  const bool vectors = varies(instruction.result);
  auto* around = scalars_.constant(instruction.type, instruction.constant);
  const bool outside = std::ranges::any_of(
      instruction.bounds, [&](const Bound& bound) { return sections_.holds(bound) == false; });
  if (outside) return splat(around);
  Value* const inside = emit_inside(instruction, in_loop, part);
  if (inside == nullptr && vectors && stride == 0 && steps == nullptr) {
    return splat(scalars_.widen(dtype, memory_.load(buffer, pointer)));
  }
  if (inside == nullptr && vectors && !has_terms) {
    if (const auto first = first_lanes(buffer, instruction.address, in_loop, strip, false)) {
      return scalars_.widen(
          dtype, memory_.load_first(buffer, pointer, stride, first->count, first->touched));
    }
  }
  const auto load_lanes = [&, to = pointer, by = steps](Value* mask) {
    return by == nullptr ? memory_.load_vector(buffer, to, stride, mask)
                         : memory_.gather(buffer, to, by, mask);
  };
  if (inside == nullptr) {
    return scalars_.widen(dtype, vectors ? load_lanes(strip.mask) : memory_.load(buffer, pointer));
  }
  // What is not loaded is zero already.
  const bool is_zero = llvm::cast<llvm::Constant>(around)->isNullValue();
  if (!vectors) {
    Value* element = scalars_.widen(dtype, memory_.load_if(buffer, pointer, inside));
    return is_zero ? element : ir_.CreateSelect(inside, element, around);
  }
  Value* mask = strip.mask == nullptr ? inside : ir_.CreateAnd(strip.mask, inside);
  Value* elements = scalars_.widen(dtype, load_lanes(mask));
  return is_zero ? elements : ir_.CreateSelect(inside, elements, splat(around));
}

std::optional<BodyEmitter::FirstLanes> BodyEmitter::first_lanes(int buffer, const Affine& address,
                                                                bool in_loop, const Strip& strip,
                                                                bool writes) const {
  const auto* const mask = llvm::dyn_cast_or_null<llvm::Constant>(strip.mask);
  if (rooms_ == nullptr || mask == nullptr) return {};
  const std::int64_t room = (*rooms_)[static_cast<std::size_t>(buffer)];
  if (room == 0 || !kernel_.buffers[static_cast<std::size_t>(buffer)].starts.empty()) return {};
  std::int64_t count = 0;
  while (count < kLanes && mask->getAggregateElement(static_cast<unsigned>(count))->isOneValue()) {
    ++count;
  }
  const FirstLanes alone = {.count = count, .touched = count};
  const std::int64_t stride = lane_stride(kernel_, address, in_loop);
  if (stride != 1) return alone;
  // The element behind the last one of the access in all rounds of the loops; and whether there is
  // one round only, whose last element is the buffer's last one.
  const bool along_outer = kernel_.vector_axis == VectorAxis::outer;
  if (along_outer && kernel_.outer.back() > kernel_.block) return alone;
  if (sections_.all().size() > 1) return alone;  // the mask may end before the axis does
  std::int64_t end = address.offset + 1;
  bool once = true;
  const auto add = [&](const std::vector<std::int64_t>& extents,
                       const std::vector<std::int64_t>& strides, bool has_vectors) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      end += (extents[axis] - 1) * std::max<std::int64_t>(strides[axis], 0);
      if (strides[axis] < 0) once = false;
      if (extents[axis] > 1 && !(has_vectors && axis + 1 == extents.size())) once = false;
    }
  };
  add(kernel_.outer, address.outer, along_outer);
  if (in_loop) add(kernel_.inner, address.inner, !along_outer);
  const std::int64_t size = size_of(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype);
  if (writes && !(once && end * size == room)) return alone;
  const auto whole = [](std::int64_t bytes) {
    constexpr auto kUnit = static_cast<std::int64_t>(runtime::kBufferAlignment);
    return (bytes + kUnit - 1) / kUnit * kUnit;
  };
  const std::int64_t lanes = std::min<std::int64_t>(kLanes, whole(count * size) / size);
  const bool fits = (end - count + lanes) * size <= whole(room);
  return FirstLanes{.count = count, .touched = fits ? lanes : count};
}

Value* BodyEmitter::emit_inside(const Instruction& load, bool in_loop, std::int64_t part) {
  Value* all = nullptr;  // of what is the same in all lanes
  Value* lanes = nullptr;
  for (const Bound& bound : load.bounds) {
    if (sections_.holds(bound)) continue;
    const Affine axis = index_of(kernel_, bound);
    Value* from_begin = ir_.CreateSub(position_of(-1, axis, in_loop, part), number(bound.begin));
    llvm::ConstantInt* const count = number(bound.end - bound.begin);
    const bool is_vector = lane_stride(kernel_, axis, in_loop) != 0;
    Value* inside =
        is_vector ? lanes_inside(bound, from_begin) : ir_.CreateICmpULT(from_begin, count);
    Value*& of_kind = is_vector ? lanes : all;
    of_kind = of_kind == nullptr ? inside : ir_.CreateAnd(of_kind, inside);
  }
  if (all == nullptr && lanes == nullptr) return nullptr;
  if (!varies(load.result)) return all;
  if (lanes == nullptr) return splat(all);
  return all == nullptr ? lanes : ir_.CreateAnd(lanes, splat(all));
}

Value* BodyEmitter::lanes_inside(const Bound& bound, Value* from_begin) {
  const auto axis = static_cast<std::size_t>(bound.axis);
  const std::int64_t extent = (bound.inner ? kernel_.inner : kernel_.outer)[axis];
  // In half as many registers, where nothing wraps.
  const bool narrow = extent + kLanes <= std::numeric_limits<std::int32_t>::max();
  llvm::Type* const type = narrow ? ir_.getInt32Ty() : ir_.getInt64Ty();
  std::vector<llvm::Constant*> lanes;
  for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
    lanes.push_back(llvm::ConstantInt::get(type, lane));
  }
  const auto count = static_cast<std::uint64_t>(bound.end - bound.begin);
  Value* const first = narrow ? ir_.CreateTrunc(from_begin, type) : from_begin;
  return ir_.CreateICmpULT(ir_.CreateAdd(splat(first), llvm::ConstantVector::get(lanes)),
                           splat(llvm::ConstantInt::get(type, count)));
}

void BodyEmitter::emit_stores(const Segment& segment, const Strip& strip) {
  const bool vectors = kernel_.vector_axis == VectorAxis::outer || segment.loop;
  for (const Store& store : segment.stores) {
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype;
    const bool rounded = is_rounded_to(dtype, store.value);
    const std::int64_t stride = lane_stride(kernel_, store.address, segment.loop);
    const auto first = first_lanes(store.buffer, store.address, segment.loop, strip, true);
    for (std::int64_t part = 0; part < (vectors ? strip.vectors : 1); ++part) {
      Value* pointer = position_of(store.buffer, store.address, segment.loop, part);
      Value* value = vectors ? vector(store.value, part) : scalar(store.value);
      Value* element = scalars_.narrow(dtype, value, rounded);
      if (has_rows(store.buffer, store.address, segment.loop, strip)) {
        rows_.put(positions_.number(store.buffer, store.address, true), part, element);
      } else if (vectors && first) {
        memory_.store_first(store.buffer, element, pointer, stride, first->count, first->touched);
      } else if (vectors) {
        memory_.store_vector(store.buffer, element, pointer, stride, strip.mask);
      } else {
        memory_.store(store.buffer, element, pointer);
      }
    }
  }
}

void BodyEmitter::begin_strip(const Strip& strip) {
  constexpr std::int64_t kMost = 256;  // vectors of all tiles, that they fit into the first cache
  if (sections_.all().size() <= 1) kept_.begin_strip(strip.vectors);
  if (strip.mask != nullptr || !has_short_rows(kernel_)) return;
  std::int64_t left = kMost / (strip.vectors * kernel_.inner[0]);
  for (const Segment& segment : kernel_.segments) {
    for (const Instruction& load : segment.body) {
      if (!is_of_short_rows(kernel_, segment, load)) continue;
      const std::size_t access = positions_.number(load.buffer, load.address, true);
      if (rows_.has(access) || left-- <= 0) continue;
      rows_.load(access, load.buffer, load.address.outer.back(),
                 positions_of(load.buffer, load.address, strip));
    }
    for (const Store& store : segment.stores) {
      if (!is_of_short_rows(kernel_, segment, store) || left-- <= 0) continue;
      rows_.prepare(positions_.number(store.buffer, store.address, true), store.buffer,
                    static_cast<std::size_t>(strip.vectors));
    }
  }
}

void BodyEmitter::end_loop(const Segment& segment, const Strip& strip) {
  for (const Store& store : segment.stores) {
    if (!has_rows(store.buffer, store.address, true, strip)) continue;
    rows_.store(positions_.number(store.buffer, store.address, true), store.buffer,
                store.address.outer.back(), positions_of(store.buffer, store.address, strip));
  }
}

std::vector<Value*> BodyEmitter::positions_of(int buffer, const Affine& affine,
                                              const Strip& strip) {
  std::vector<Value*> out;
  for (std::int64_t part = 0; part < strip.vectors; ++part) {
    out.push_back(position_of(buffer, affine, true, part));
  }
  return out;
}

Value* BodyEmitter::position_of(int buffer, const Affine& affine, bool in_loop, std::int64_t part) {
  const std::int64_t moved = part * kLanes * lane_stride(kernel_, affine, in_loop);
  return positions_.at(positions_.number(buffer, affine, in_loop), moved);
}

Value* BodyEmitter::vector(ValueId id, std::int64_t part) {
  const auto& parts = values_[static_cast<std::size_t>(id)];
  return varies(id) ? parts[static_cast<std::size_t>(part)] : splat(parts.front());
}

Value* BodyEmitter::splat(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kLanes), constant);
  }
  Value*& lanes = splats_[value];
  if (lanes != nullptr) return lanes;
  llvm::IRBuilder<>::InsertPointGuard guard(ir_);
  go_behind(value);
  return lanes = ir_.CreateVectorSplat(kLanes, value);
}

Value* BodyEmitter::lanes_below(Value* count) {
  std::vector<llvm::Constant*> lanes;
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(count)) {
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes.push_back(ir_.getInt1(lane < known->getSExtValue()));
    }
    return llvm::ConstantVector::get(lanes);
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes.push_back(ir_.getInt32(lane));
  // Blocks are far shorter than 2^31 elements.
  return ir_.CreateICmpSLT(llvm::ConstantVector::get(lanes),
                           splat(ir_.CreateTrunc(count, ir_.getInt32Ty())));
}

llvm::Constant* BodyEmitter::lane_steps(std::int64_t stride) const {
  std::vector<llvm::Constant*> steps;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) steps.push_back(number(lane * stride));
  return llvm::ConstantVector::get(steps);
}

llvm::ConstantInt* BodyEmitter::number(std::int64_t value) const {
  return ir_.getInt64(static_cast<std::uint64_t>(value));
}

}  // namespace tutti::codegen::native
