#include <tutti/codegen/llvm/emit_kernel.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <tutti/codegen/llvm/emit_memory.h>
#include <tutti/codegen/llvm/emit_scalar.h>
#include <tutti/codegen/llvm/loop.h>
#include <tutti/codegen/llvm/math.h>
#include <tutti/codegen/llvm/placement.h>

namespace tutti::codegen::native {

namespace {

using llvm::Value;
using Values = std::vector<Value*>;

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                llvm::Function& function)
      : kernel_(kernel),
        function_(function),
        ir_(llvm::BasicBlock::Create(module.getContext(), "entry", &function)),
        math_(ir_, module, jit),
        scalar_(ir_, math_),
        positions_(ir_, kernel, element_types()),
        memory_(ir_, kernel, element_types()),
        places_(place_values(kernel)),
        rounded_(find_rounded(kernel)),
        loops_run_(codegen::native::loops_run(kernel)),
        values_(static_cast<std::size_t>(kernel.value_count)) {}

  void run() {
    if (kernel_.tiles() == 0) {
      ir_.CreateRetVoid();
      return;
    }
    Value* begin = function_.getArg(1);
    Value* end = function_.getArg(2);
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i) {
      Value* slot = ir_.CreateConstGEP1_64(ir_.getPtrTy(), function_.getArg(0), i);
      pointers_.push_back(ir_.CreateLoad(ir_.getPtrTy(), slot, "b" + std::to_string(i)));
    }
    when(ir_.CreateICmpSLT(begin, end), [&] {
      Loop tiles(ir_, "tile", begin, {});
      emit_tile(tiles.index());
      tiles.close(end, 1, {});
    });
    ir_.CreateRetVoid();
  }

 private:
  bool along_outer() const { return kernel_.vector_axis == VectorAxis::outer; }

  std::vector<llvm::Type*> element_types() const {
    std::vector<llvm::Type*> types;
    for (const auto& buffer : kernel_.buffers) types.push_back(scalar_.storage_type(buffer.dtype));
    return types;
  }

  // Emits `body` to run only if a condition holds.
  void when(Value* condition, const std::function<void()>& body) {
    auto* inside = llvm::BasicBlock::Create(ir_.getContext(), "then", &function_);
    auto* behind = llvm::BasicBlock::Create(ir_.getContext(), "after", &function_);
    ir_.CreateCondBr(condition, inside, behind);
    ir_.SetInsertPoint(inside);
    body();
    ir_.CreateBr(behind);
    ir_.SetInsertPoint(behind);
  }

  // ---- Tiles and strips ----

  void emit_tile(Value* tile) {
    Values outer(kernel_.outer.size(), nullptr);
    Value* rest = tile;
    Value* start = nullptr;
    for (std::size_t axis = outer.size(); axis-- > 0;) {
      const bool cut = along_outer() && axis + 1 == outer.size();
      const std::int64_t steps =
          cut ? (kernel_.outer[axis] + kernel_.block - 1) / kernel_.block : kernel_.outer[axis];
      Value* index = axis == 0 ? rest : ir_.CreateURem(rest, number(steps));
      if (axis > 0) rest = ir_.CreateUDiv(rest, number(steps));
      (cut ? start : outer[axis]) = cut ? ir_.CreateMul(index, number(kernel_.block)) : index;
    }
    positions_.start(pointers_, outer);
    if (!along_outer()) {
      emit_strip({.vectors = 1, .mask = nullptr});
      return;
    }
    positions_.add_outer(outer.size() - 1, start);
    for (const Segment& segment : kernel_.segments) emit_body(segment, -1, {});
    emit_strips(start);
  }

  // The vectors that are worked on together; the mask is null when all lanes are inside.
  struct Strip {
    std::int64_t vectors = 1;
    Value* mask = nullptr;
  };

  void emit_strips(Value* start) {
    const std::int64_t extent = kernel_.outer.back();
    const std::int64_t last = (extent - 1) % kernel_.block + 1;  // elements of the last block
    const std::int64_t most = std::min(extent, kernel_.block);   // of every other one
    const std::int64_t vectors = vectors_in_strip(most / kLanes);
    const std::int64_t step = vectors * kLanes;
    Value* count = last == most ? number(most)
                                : ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number(most),
                                                            ir_.CreateSub(number(extent), start));
    const auto all_do = [&](auto holds) { return holds(most) && holds(last); };
    const auto some_do = [&](auto holds) { return holds(most) || holds(last); };
    const auto guarded = [&](auto holds, Value* condition, const std::function<void()>& body) {
      if (!some_do(holds)) return;
      if (all_do(holds)) return body();
      when(condition, body);
    };

    // Whole strips.
    Value* whole = ir_.CreateAnd(count, number(-step));
    guarded([&](std::int64_t n) { return n >= step; }, ir_.CreateICmpSGT(whole, number(0)), [&] {
      emit_strip_loop(number(0), whole, {.vectors = vectors});
    });
    // The rest, a vector at a time, the last of them in part.
    const bool masked = some_do([&](std::int64_t n) { return n % kLanes != 0; });
    guarded([&](std::int64_t n) { return n % step != 0; }, ir_.CreateICmpSLT(whole, count), [&] {
      emit_strip_loop(whole, count, {.vectors = 1}, masked ? count : nullptr);
    });
  }

  // Strips from `begin` to `end`, within the tile; masked behind `limit` if there is one.
  void emit_strip_loop(Value* begin, Value* end, Strip strip, Value* limit = nullptr) {
    const auto saved = positions_.save();
    const auto at = [&](Value* index) {
      positions_.add_outer(kernel_.outer.size() - 1, index);
      if (limit != nullptr) strip.mask = lanes_below(ir_.CreateSub(limit, index));
      emit_strip(strip);
    };
    const std::int64_t step = strip.vectors * kLanes;
    auto* span = llvm::dyn_cast<llvm::ConstantInt>(ir_.CreateSub(end, begin));
    if (span != nullptr && span->getSExtValue() <= step) {
      at(begin);
    } else {
      Loop loop(ir_, "strip", begin, {});
      at(loop.index());
      loop.close(end, step, {});
    }
    positions_.restore(saved);
  }

  void emit_strip(const Strip& strip) {
    for (const Segment& segment : kernel_.segments) {
      emit_body(segment, 0, strip);
      if (!segment.loop) {
        emit_stores(segment, strip);
        continue;
      }
      Values partial = neutral_elements(segment, strip);
      if (loops_run_) partial = emit_axis(segment, 0, strip, std::move(partial));
      finish_reductions(segment, strip, partial);
    }
  }

  // How many vectors a strip has, of `available` ones. With inner loops, several share a pass over
  // the rows: longer runs of memory at a time, and independent sums.
  std::int64_t vectors_in_strip(std::int64_t available) const {
    std::size_t work = 0;
    bool loops = false;
    for (const Segment& segment : kernel_.segments) {
      loops = loops || segment.loop;
      work = std::max(work, segment.body.size());
    }
    if (!loops) return 1;
    std::int64_t vectors = work <= 12 ? 4 : 2;
    while (vectors > std::max<std::int64_t>(available, 1)) vectors /= 2;
    return vectors;
  }

  // How many vectors of the last inner axis are worked on together. Minima, maxima and integer sums
  // don't depend on their order: several partial results hide that each waits for the one before.
  std::int64_t vectors_in_run(const Segment& segment) const {
    if (along_outer()) return 1;
    bool any = false;
    for (const Reduction& reduction : segment.reductions) any = any || order_matters(reduction);
    if (any || segment.reductions.empty()) return 1;
    const std::int64_t vectors = segment.body.size() <= 4 ? 4 : segment.body.size() <= 12 ? 2 : 1;
    return kernel_.inner.back() >= 2 * vectors * kLanes ? vectors : 1;
  }

  // ---- Inner axes ----

  // The loop over one inner axis and all that is in it; gives the reductions' partial results.
  Values emit_axis(const Segment& segment, std::size_t axis, const Strip& strip, Values partial) {
    if (axis == kernel_.inner.size()) {
      emit_stores(segment, strip);
      return accumulate(segment, strip, std::move(partial));
    }
    const std::int64_t extent = kernel_.inner[axis];
    const bool vectorised = !along_outer() && axis + 1 == kernel_.inner.size();
    const std::int64_t vectors = vectorised ? vectors_in_run(segment) : strip.vectors;
    const std::int64_t step = vectorised ? vectors * kLanes : 1;
    const std::int64_t whole = extent / step * step;
    const auto saved = positions_.save();
    const auto inside = [&](Value* index, const Strip& now, Values carried) {
      positions_.restore(saved);
      positions_.add_inner(axis, index);
      emit_body(segment, static_cast<int>(axis) + 1, now);
      return emit_axis(segment, axis + 1, now, std::move(carried));
    };
    const Strip each{.vectors = vectors, .mask = strip.mask};
    if (whole == step) {
      partial = inside(number(0), each, std::move(partial));
    } else if (whole > 0) {
      Loop loop(ir_, "inner" + std::to_string(axis), number(0), partial);
      partial = loop.close(number(whole), step, inside(loop.index(), each, loop.carried()));
    }
    // What is left of a vectorised axis: some vectors, and a part of one.
    const std::int64_t rest = (extent - whole) / kLanes;
    const std::int64_t tail = whole + rest * kLanes;
    if (rest > 0) partial = inside(number(whole), {.vectors = rest}, std::move(partial));
    if (tail < extent) {
      Value* mask = lanes_below(number(extent - tail));
      partial = inside(number(tail), {.vectors = 1, .mask = mask}, std::move(partial));
    }
    positions_.restore(saved);
    return partial;
  }

  // ---- Reductions ----

  bool reduces_vectors(const Reduction& reduction) const {
    return !along_outer() || place(reduction.value).varies;
  }

  // Whether the bits of the result depend on the order in which elements are combined.
  static bool order_matters(const Reduction& reduction) {
    const bool rounds = reduction.combine == ir::ScalarOp::add || reduction.combine == ir::ScalarOp::mul;
    return rounds && is_floating(reduction.dtype);
  }

  // How many partial results a reduction has, each a vector or scalar.
  std::int64_t partial_count(const Segment& segment, const Reduction& reduction,
                             const Strip& strip) const {
    if (!along_outer()) return vectors_in_run(segment);
    return reduces_vectors(reduction) ? strip.vectors : 1;
  }

  // Of each reduction, one after another, its partial results.
  Values neutral_elements(const Segment& segment, const Strip& strip) {
    Values partial;
    for (const Reduction& reduction : segment.reductions) {
      llvm::Constant* neutral = scalar_.constant(
          reduction.dtype, neutral_element(reduction.combine, reduction.dtype));
      partial.insert(partial.end(),
                     static_cast<std::size_t>(partial_count(segment, reduction, strip)),
                     reduces_vectors(reduction) ? splat(neutral) : neutral);
    }
    return partial;
  }

  Value* combine(const Reduction& reduction, Value* a, Value* b) {
    return scalar_.apply(reduction.combine, reduction.dtype, {a, b, nullptr});
  }

  Values accumulate(const Segment& segment, const Strip& strip, Values partial) {
    std::size_t first = 0;
    for (const Reduction& reduction : segment.reductions) {
      const std::int64_t count = partial_count(segment, reduction, strip);
      const bool vectors = reduces_vectors(reduction);
      for (std::int64_t i = 0; i < (vectors ? strip.vectors : 1); ++i) {
        Value* value = vectors ? vector(reduction.value, i) : scalar(reduction.value);
        Value*& sum = partial[first + static_cast<std::size_t>(i % count)];
        Value* combined = combine(reduction, sum, value);
        // Along inner axes a lane that is outside must keep what it has.
        const bool keep = strip.mask != nullptr && !along_outer();
        sum = keep ? ir_.CreateSelect(strip.mask, combined, sum) : combined;
      }
      first += static_cast<std::size_t>(count);
    }
    return partial;
  }

  void finish_reductions(const Segment& segment, const Strip& strip, const Values& partial) {
    auto next = partial.begin();
    for (const Reduction& reduction : segment.reductions) {
      Values& result = values_[static_cast<std::size_t>(reduction.result)];
      result.assign(next, next + partial_count(segment, reduction, strip));
      next += partial_count(segment, reduction, strip);
      if (along_outer()) continue;
      Value* lanes = result.front();
      for (std::size_t i = 1; i < result.size(); ++i) lanes = combine(reduction, lanes, result[i]);
      result = {combine_lanes(reduction, lanes)};
    }
  }

  // As a tree: lane i with lane i + 8, and so on.
  Value* combine_lanes(const Reduction& reduction, Value* lanes) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      std::vector<int> low(static_cast<std::size_t>(half));
      std::iota(low.begin(), low.end(), 0);
      std::vector<int> high(static_cast<std::size_t>(half));
      std::iota(high.begin(), high.end(), half);
      lanes = combine(reduction, ir_.CreateShuffleVector(lanes, low),
                      ir_.CreateShuffleVector(lanes, high));
    }
    return ir_.CreateExtractElement(lanes, std::uint64_t{0});
  }

  // ---- Bodies ----

  // The instructions of a segment that belong to one level of the loops.
  void emit_body(const Segment& segment, int level, const Strip& strip) {
    if (segment.loop && !loops_run_) return;
    for (const Instruction& instruction : segment.body) {
      if (place(instruction.result).level == level) emit(instruction, segment.loop, strip);
    }
  }

  void emit(const Instruction& instruction, bool in_loop, const Strip& strip) {
    const bool varies = place(instruction.result).varies;
    Values parts;
    for (std::int64_t i = 0; i < (varies ? strip.vectors : 1); ++i) {
      parts.push_back(emit_part(instruction, in_loop, strip, varies, i));
    }
    values_[static_cast<std::size_t>(instruction.result)] = std::move(parts);
  }

  Value* emit_part(const Instruction& instruction, bool in_loop, const Strip& strip, bool varies,
                   std::int64_t part) {
    const auto operand = [&](std::size_t i) -> Value* {
      const ValueId id = instruction.operands[i];
      if (id < 0) return nullptr;
      return varies ? vector(id, part) : scalar(id);
    };
    switch (instruction.kind) {
      case Instruction::Kind::constant:
        return scalar_.constant(instruction.dtype, instruction.constant);
      case Instruction::Kind::scalar:
        return scalar_.apply(instruction.op, instruction.dtype,
                             {operand(0), operand(1), operand(2)}, instruction.to);
      case Instruction::Kind::round: return scalar_.round(instruction.dtype, operand(0));
      case Instruction::Kind::index: {
        Value* position = position_of(-1, instruction.address, in_loop, part);
        const std::int64_t stride = lane_stride(kernel_, instruction.address, in_loop);
        return varies ? ir_.CreateAdd(splat(position), lane_steps(stride)) : position;
      }
      case Instruction::Kind::load: {
        const int buffer = instruction.buffer;
        Value* pointer = position_of(buffer, instruction.address, in_loop, part);
        const std::int64_t stride = lane_stride(kernel_, instruction.address, in_loop);
        Value* element = varies ? memory_.load_vector(buffer, pointer, stride, strip.mask)
                                : memory_.load(buffer, pointer);
        return scalar_.widen(kernel_.buffers[static_cast<std::size_t>(buffer)].dtype, element);
      }
    }
    return nullptr;
  }

  void emit_stores(const Segment& segment, const Strip& strip) {
    const bool vectors = along_outer() || segment.loop;
    for (const Store& store : segment.stores) {
      const DType dtype = kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype;
      const std::int64_t stride = lane_stride(kernel_, store.address, segment.loop);
      for (std::int64_t part = 0; part < (vectors ? strip.vectors : 1); ++part) {
        Value* pointer = position_of(store.buffer, store.address, segment.loop, part);
        if (vectors) {
          Value* elements = scalar_.narrow(dtype, vector(store.value, part), exact(dtype, store.value));
          memory_.store_vector(store.buffer, elements, pointer, stride, strip.mask);
        } else {
          Value* element = scalar_.narrow(dtype, scalar(store.value), exact(dtype, store.value));
          memory_.store(store.buffer, element, pointer);
        }
      }
    }
  }

  // ---- Values ----

  // Whether a value has been rounded to a dtype already.
  bool exact(DType dtype, ValueId id) const {
    return rounded_[static_cast<std::size_t>(id)] == dtype;
  }

  static std::vector<std::optional<DType>> find_rounded(const Kernel& kernel) {
    std::vector<std::optional<DType>> rounded(static_cast<std::size_t>(kernel.value_count));
    for (const Segment& segment : kernel.segments) {
      for (const Instruction& instruction : segment.body) {
        auto& dtype = rounded[static_cast<std::size_t>(instruction.result)];
        if (instruction.kind == Instruction::Kind::round) dtype = instruction.dtype;
        if (instruction.kind == Instruction::Kind::load) {
          dtype = kernel.buffers[static_cast<std::size_t>(instruction.buffer)].dtype;
        }
      }
    }
    return rounded;
  }

  const Place& place(ValueId id) const { return places_[static_cast<std::size_t>(id)]; }

  Value* position_of(int buffer, const Affine& affine, bool in_loop, std::int64_t part) {
    const std::int64_t moved = part * kLanes * lane_stride(kernel_, affine, in_loop);
    return positions_.at(positions_.number(buffer, affine, in_loop), moved);
  }

  Value* scalar(ValueId id) const { return values_[static_cast<std::size_t>(id)].front(); }

  Value* vector(ValueId id, std::int64_t part) {
    const Values& parts = values_[static_cast<std::size_t>(id)];
    return place(id).varies ? parts[static_cast<std::size_t>(part)] : splat(parts.front());
  }

  // A scalar in all lanes, made once, right behind it: outside of the loops that use it.
  Value* splat(Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
      return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kLanes), constant);
    }
    Value*& lanes = splats_[value];
    if (lanes != nullptr) return lanes;
    llvm::IRBuilder<>::InsertPointGuard guard(ir_);
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    llvm::BasicBlock* block = instruction->getParent();
    ir_.SetInsertPoint(block, llvm::isa<llvm::PHINode>(instruction)
                                  ? block->getFirstNonPHIIt()
                                  : std::next(instruction->getIterator()));
    return lanes = ir_.CreateVectorSplat(kLanes, value);
  }

  llvm::Constant* lane_steps(std::int64_t stride) {
    std::vector<llvm::Constant*> steps;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) steps.push_back(number(lane * stride));
    return llvm::ConstantVector::get(steps);
  }

  // True in the first `count` lanes.
  Value* lanes_below(Value* count) {
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

  llvm::ConstantInt* number(std::int64_t value) {
    return ir_.getInt64(static_cast<std::uint64_t>(value));
  }

  const Kernel& kernel_;
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  MathEmitter math_;
  ScalarEmitter scalar_;
  Positions positions_;
  MemoryEmitter memory_;
  std::vector<Place> places_;
  std::vector<std::optional<DType>> rounded_;
  bool loops_run_;
  Values pointers_;
  std::vector<Values> values_;
  llvm::DenseMap<Value*, Value*> splats_;
};

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                            const std::string& name) {
  auto& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* integer = llvm::Type::getInt64Ty(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, integer, integer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  jit.set_target_attributes(*function);
  KernelEmitter(module, jit, kernel, *function).run();
  return function;
}

}  // namespace tutti::codegen::native
