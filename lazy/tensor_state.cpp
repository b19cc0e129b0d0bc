#include <tutti/ir/support/error.h>
#include <tutti/ir/support/recycled.h>
#include <tutti/lazy/coalesced_calls.h>
#include <tutti/lazy/context.h>

namespace tutti::detail {

void* TensorState::operator new(std::size_t) { return RecycledBlocks<sizeof(TensorState)>::take(); }
void TensorState::operator delete(void* memory) {
  RecycledBlocks<sizeof(TensorState)>::give(memory);
}

TensorState::~TensorState() {
  if (trace != nullptr) trace->forget(*this);
}

StatePtr StatePtr::make() {
  StatePtr made;
  made.state_ = new TensorState;
  return made;
}

long StatePtr::use_count() const noexcept {
  return !*this ? 0 : static_cast<long>(state_->holders.load(std::memory_order_acquire));
}

void retain(TensorState& state) noexcept { state.holders.fetch_add(1, std::memory_order_relaxed); }

void release(TensorState& state) noexcept {
  // A trace is its recording thread's alone, which may just be looking at what it holds. (Where its
  // rank has gone meanwhile, there is no trace any more.)
  if (std::atomic_ref(state.trace).load(std::memory_order_acquire) != nullptr &&
      (Recorder::was_replaced() || !RankContext::is_current(state.context)) &&
      RankContext::drop_elsewhere(state)) {
    return;
  }
  // The only holder needs no atomic change: nobody else can get at the state any more.
  if (state.holders.load(std::memory_order_acquire) == 1 ||
      state.holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete &state;
  }
}

void give_value(TensorState& state, const StatePtr& value) {
  state.type = value->type;
  state.buffer = value->buffer;
  state.work = value->work;
  state.part = value->part;
  state.literal_uses = value->literal_uses;
  if (value->trace == nullptr) return;
  Trace& trace = *value->trace;
  trace.forget(*value);
  value->trace = nullptr;
  trace.adopt(state, value->value);
}

void check_launched(const TensorState& state, Location where) {
  if (state.pending == nullptr) return;
  throw UsageError("this tensor (made at " + state.where.text() +
                       ") has no value before its collective is launched, with those noted since " +
                       state.pending->where().text() +
                       "; use it behind that block, or call launch() first",
                   where);
}

void fail_without_data(const TensorState& state, Location where) {
  throw UsageError("this tensor (made at " + state.where.text() +
                       ") has no value: it was made inside a function that was being recorded, by "
                       "compile(), a loop, a branch or simulate(), of which only what is returned "
                       "comes out; or its World was closed before it was computed",
                   where);
}

void fail_of_another_rank(const TensorState& state, Location where) {
  throw UsageError("this tensor (made at " + state.where.text() +
                       ") belongs to another rank or thread; share(tree).on(world) gives a rank "
                       "the same data, and world.attach() makes this thread the one that records "
                       "for the tensor's rank",
                   where);
}

void check_readable(const TensorState& state, Location where) {
  check_launched(state, where);
  if (state.is_data()) return;
  if (state.abstract) {
    throw UsageError("this tensor (abstract, made at " + state.where.text() +
                         ") has a shape and no data; it can be given to compile(f).lower() only",
                     where);
  }
  if (!state.lost.empty()) {
    throw CommError("this tensor (made at " + state.where.text() +
                        ") was lost when its evaluation failed: " + state.lost,
                    where);
  }
  if (state.trace == nullptr) {
    fail_without_data(state, where);
  }
  if (state.trace->is_abstract()) {
    throw UsageError(
        "there is no data to read while the function around it is being recorded, by compile(), a "
        "loop, a branch or a derivative; return the tensor and read it outside",
        where);
  }
}

}  // namespace tutti::detail
