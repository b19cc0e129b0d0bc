#include <tutti/codegen/kernel/folding.h>
#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/llvm/emit_body.h>
#include <tutti/codegen/llvm/emit_kernel.h>
#include <tutti/codegen/llvm/emit_reduction.h>
#include <tutti/codegen/llvm/emit_scalar.h>
#include <tutti/codegen/llvm/loop.h>
#include <tutti/codegen/llvm/math.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::codegen::native {

namespace {

using llvm::Value;
using Values = std::vector<Value*>;

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                llvm::Function& function, const std::vector<std::int64_t>* rooms = nullptr)
      : kernel_(kernel),
        function_(function),
        ir_(llvm::BasicBlock::Create(module.getContext(), "entry", &function)),
        math_(ir_, module, jit),
        scalars_(ir_, math_),
        body_(ir_, scalars_, jit, kernel, rooms),
        reductions_(ir_, scalars_, body_, kernel) {}

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
    start();
    when(ir_.CreateICmpSLT(begin, end), [&] {
      Loop tiles(ir_, "tile", begin, {});
      emit_tile(tiles.index());
      tiles.close(end, 1, {});
    });
    ir_.CreateRetVoid();
  }

  void run_inlined() {
    constexpr std::size_t kMost = 96;  // instructions of tiles that are written out
    for (auto& parameter : function_.args()) pointers_.push_back(&parameter);
    const std::int64_t tiles = kernel_.tiles();
    if (tiles > 0) start();
    std::size_t each = 0;
    for (const Segment& segment : kernel_.segments) {
      each += segment.body.size() + segment.stores.size();
      if (segment.loop) each += kMost / 4;
    }
    // Of a tile that is known LLVM would know the last vector's mask, too: if that has one lane,
    // see only_first_lane (emit_memory.cpp).
    const bool is_cut = along_outer() && kernel_.outer.back() > kernel_.block;
    if (tiles == 1 || (!is_cut && static_cast<std::size_t>(tiles) * each <= kMost)) {
      for (std::int64_t tile = 0; tile < tiles; ++tile) emit_tile(number(tile));
    } else if (tiles > 0) {
      Loop loop(ir_, "tile", number(0), {});
      emit_tile(loop.index());
      loop.close(number(tiles), 1, {});
    }
    ir_.CreateRetVoid();
  }

 private:
  void start() {
    for (std::size_t i = 0; i < kernel_.buffers.size(); ++i)
      pointers_[i] = body_.start(pointers_, i);
  }

  bool along_outer() const { return kernel_.vector_axis == VectorAxis::outer; }
  llvm::ConstantInt* number(std::int64_t value) const { return body_.number(value); }

  // Emits `inside` to run only if a condition holds.
  void when(Value* condition, const std::function<void()>& inside) {
    auto* then = llvm::BasicBlock::Create(ir_.getContext(), "then", &function_);
    auto* behind = llvm::BasicBlock::Create(ir_.getContext(), "after", &function_);
    ir_.CreateCondBr(condition, then, behind);
    ir_.SetInsertPoint(then);
    inside();
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
    body_.positions().start(pointers_, outer);
    if (!along_outer()) {
      emit_strip({});
      return;
    }
    body_.positions().add_outer(outer.size() - 1, start);
    for (const Segment& segment : kernel_.segments) body_.emit(segment, -1, {});
    if (body_.sections().all().size() > 1) {
      emit_sections(start);
    } else {
      emit_strips(start);
    }
  }

  // What the tile has of each section.
  void emit_sections(Value* start) {
    const std::int64_t extent = kernel_.outer.back();
    const std::int64_t most = std::min(extent, kernel_.block);
    const auto within_tile = [&](std::int64_t place) {
      if (most == extent) return static_cast<Value*>(number(place));  // there is one tile
      Value* const behind = ir_.CreateBinaryIntrinsic(
          llvm::Intrinsic::smax, ir_.CreateSub(number(place), start), number(0));
      return static_cast<Value*>(
          ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, behind, number(most)));
    };
    for (const AxisRange& range : body_.sections().all()) {
      body_.sections().enter(range);
      Value* const begin = within_tile(range.begin);
      Value* const end = within_tile(range.end);
      const std::int64_t longest = std::min(most, range.end - range.begin);
      const std::int64_t step = vectors_in_strip(longest / kLanes) * kLanes;
      Value* const whole =
          ir_.CreateAdd(begin, ir_.CreateAnd(ir_.CreateSub(end, begin), number(-step)));
      when_less(begin, whole, [&] { emit_strip_loop(begin, whole, {.vectors = step / kLanes}); });
      // The rest, a vector at a time, the last of them in part.
      const bool masked = range.end % kLanes != 0 || most % kLanes != 0;
      if (masked || step > kLanes) {
        when_less(whole, end, [&] { emit_strip_loop(whole, end, {}, masked ? end : nullptr); });
      }
      body_.sections().leave();
    }
  }

  // Emits `inside` to run only if x < y: without a test, or not at all, if that is known.
  void when_less(Value* x, Value* y, const std::function<void()>& inside) {
    Value* const less = ir_.CreateICmpSLT(x, y);
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(less);
    if (known == nullptr) {
      when(less, inside);
    } else if (known->isOne()) {
      inside();
    }
  }

  void emit_strips(Value* start) {
    const std::int64_t extent = kernel_.outer.back();
    const std::int64_t last = (extent - 1) % kernel_.block + 1;  // elements of the last block
    const std::int64_t most = std::min(extent, kernel_.block);   // of every other one
    const std::int64_t vectors = vectors_in_strip(most / kLanes);
    const std::int64_t step = vectors * kLanes;
    Value* count = last == most ? number(most)
                                : ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number(most),
                                                            ir_.CreateSub(number(extent), start));
    // Code for blocks of which something holds: without a test if it holds for all.
    const auto for_blocks = [&](auto holds, auto condition, const std::function<void()>& inside) {
      if (holds(most) && holds(last)) {
        inside();
      } else if (holds(most) || holds(last)) {
        when(condition(), inside);
      }
    };

    Value* whole = ir_.CreateAnd(count, number(-step));
    for_blocks([&](std::int64_t n) { return n >= step; },
               [&] { return ir_.CreateICmpSGT(whole, number(0)); },
               [&] { emit_strip_loop(number(0), whole, {.vectors = vectors}); });
    // The rest, a vector at a time, the last of them in part.
    const bool masked = most % kLanes != 0 || last % kLanes != 0;
    for_blocks([&](std::int64_t n) { return n % step != 0; },
               [&] { return ir_.CreateICmpSLT(whole, count); },
               [&] { emit_strip_loop(whole, count, {}, masked ? count : nullptr); });
  }

  // Strips from `begin` to `end`, within the tile; masked behind `limit` if there is one.
  void emit_strip_loop(Value* begin, Value* end, Strip strip, Value* limit = nullptr) {
    const auto saved = body_.positions().save();
    const auto at = [&](Value* index) {
      body_.positions().add_outer(kernel_.outer.size() - 1, index);
      if (limit != nullptr) strip.mask = body_.lanes_below(ir_.CreateSub(limit, index));
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
    body_.positions().restore(saved);
  }

  void emit_strip(const Strip& strip) {
    body_.begin_strip(strip);
    for (const Segment& segment : kernel_.segments) {
      body_.emit(segment, 0, strip);
      if (!segment.loop) {
        body_.emit_stores(segment, strip);
        continue;
      }
      Values partial = reductions_.start(segment, strip);
      if (body_.loops_run()) partial = emit_axis(segment, 0, strip, std::move(partial));
      body_.end_loop(segment, strip);
      reductions_.finish(segment, strip, partial);
    }
    body_.end_strip();
  }

  // How many vectors a strip has, of `available` ones: a power of two. With inner loops, several
  // share a pass over the rows: longer runs of memory at a time, and independent sums.
  std::int64_t vectors_in_strip(std::int64_t available) const {
    std::size_t work = 0;
    bool loops = false;
    for (const Segment& segment : kernel_.segments) {
      loops = loops || segment.loop;
      work = std::max(work, segment.body.size());
    }
    if (!loops) return 1;
    std::int64_t vectors = work <= 12 ? 4 : 2;
    // Tiles of short rows are to stay in registers, or close.
    if (has_short_rows(kernel_))
      available = std::min(available, kLongestShortRow / kernel_.inner[0]);
    while (vectors > std::max<std::int64_t>(available, 1)) vectors /= 2;
    return vectors;
  }

  // ---- Inner axes ----

  // Whether all that the inner axes from `axis` on do is little enough to be written out.
  bool is_unrolled(const Segment& segment, std::size_t axis, const Strip& strip) const {
    constexpr std::size_t kMost = 96;  // instructions
    auto points = static_cast<std::size_t>(strip.vectors);
    for (std::size_t i = axis; i < kernel_.inner.size(); ++i) {
      const bool vectorised = !along_outer() && i + 1 == kernel_.inner.size();
      const std::int64_t extent = kernel_.inner[i];
      points *= static_cast<std::size_t>(vectorised ? (extent + kLanes - 1) / kLanes : extent);
      if (points > kMost) return false;
    }
    return points * (segment.body.size() + segment.reductions.size()) <= kMost;
  }

  // The loop over one inner axis and all that is in it; gives the reductions' partial results.
  Values emit_axis(const Segment& segment, std::size_t axis, const Strip& strip, Values partial) {
    if (axis == kernel_.inner.size()) {
      body_.emit_stores(segment, strip);
      return reductions_.accumulate(segment, strip, std::move(partial));
    }
    const bool vectorised = !along_outer() && axis + 1 == kernel_.inner.size();
    const Strip each = vectorised ? Strip{.vectors = reductions_.vectors_in_run(segment)} : strip;
    const std::int64_t extent = kernel_.inner[axis];
    const std::int64_t step = vectorised ? each.vectors * kLanes : 1;
    const std::int64_t whole = extent / step * step;
    const auto saved = body_.positions().save();
    const auto inside = [&](Value* index, const Strip& now, Values carried) {
      body_.positions().restore(saved);
      body_.positions().add_inner(axis, index);
      body_.set_row_index(index);
      body_.emit(segment, static_cast<int>(axis) + 1, now);
      return emit_axis(segment, axis + 1, now, std::move(carried));
    };
    if (whole == step || (!vectorised && is_unrolled(segment, axis, strip))) {
      for (std::int64_t i = 0; i < whole; i += step) {
        partial = inside(number(i), each, std::move(partial));
      }
    } else if (whole > 0) {
      // From one index to another.
      const auto run = [&](Value* begin, Value* end, const Values& initial) {
        Loop loop(ir_, "inner" + std::to_string(axis), begin, initial);
        return loop.close(end, step, inside(loop.index(), each, loop.carried()));
      };
      const std::optional<Folding> folding = folding_of(kernel_, segment);
      if (folding && folding->axis == axis) {
        Loop chunks(ir_, "chunk", number(0), partial);
        const std::int64_t size = folding->rounds * step;
        Value* const behind = ir_.CreateAdd(chunks.index(), number(size));
        Value* const end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, behind, number(whole));
        const Values own = run(chunks.index(), end, reductions_.start(segment, strip));
        partial = chunks.close(number(whole), size,
                               reductions_.join(segment, strip, chunks.carried(), own));
      } else {
        partial = run(number(0), number(whole), partial);
      }
    }
    // What is left of a vectorised axis: some vectors, and a part of one.
    const std::int64_t vectors = (extent - whole) / kLanes;
    const std::int64_t tail = whole + vectors * kLanes;
    if (vectorised && vectors > 0) {
      partial = inside(number(whole), {.vectors = vectors}, std::move(partial));
    }
    if (vectorised && tail < extent) {
      Value* mask = body_.lanes_below(number(extent - tail));
      partial = inside(number(tail), {.vectors = 1, .mask = mask}, std::move(partial));
    }
    body_.positions().restore(saved);
    return partial;
  }

  const Kernel& kernel_;
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  MathEmitter math_;
  ScalarEmitter scalars_;
  BodyEmitter body_;
  ReductionEmitter reductions_;
  Values pointers_;
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

llvm::Function* emit_inlined_kernel(llvm::Module& module, const Jit& jit, const Kernel& kernel,
                                    const std::string& name,
                                    const std::vector<std::int64_t>& rooms) {
  auto& context = module.getContext();
  const std::vector<llvm::Type*> parameters(kernel.buffers.size(),
                                            llvm::PointerType::get(context, 0));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  jit.set_target_attributes(*function);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  KernelEmitter(module, jit, kernel, *function, &rooms).run_inlined();
  return function;
}

}  // namespace tutti::codegen::native
