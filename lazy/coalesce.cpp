#include <tutti/ir/collective.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/coalesce.h>
#include <tutti/lazy/coalesced_calls.h>
#include <tutti/lazy/record_collective.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti {

namespace detail {

namespace {

// The wait of an async result, without a handle that anybody else could have.
Tensor waited(const StatePtr& async, Location where) {
  return Tensor(record(ir::Op::wait, {async}, {}, where));
}

// Whether what is right for one call of a launch is right for all: shapes do not matter.
bool takes_any_shape(ir::Op op) {
  return op == ir::Op::all_reduce || op == ir::Op::reduce || op == ir::Op::broadcast;
}

std::vector<Tensor> finished(const InPlaceCall& call, Tensor result) {
  if (call.finish == nullptr) return {std::move(result)};
  return call.finish(result);
}

bool launch_as_one(const InPlaceCall& a, const InPlaceCall& b) {
  return a.op == b.op && a.operand.dtype() == b.operand.dtype() &&
         a.operand.device() == b.operand.device() &&
         std::ranges::equal(a.attributes, b.attributes, ir::equal);
}

}  // namespace

std::vector<Tensor> call_in_place(InPlaceCall call) {
  RankContext& context = RankContext::current();
  complete_attributes(ir::definition(call.op), call.attributes);
  const ir::Attributes named(ir::definition(call.op).attributes, call.attributes);
  const ir::Group& group = *named.group("group");
  if (!context.coalescing->empty()) {
    const auto open = std::ranges::find_if(
        *context.coalescing, [&](const CoalescedCalls* calls) { return calls->is_for(group); });
    if (open != context.coalescing->end()) return (*open)->note(std::move(call));
    launch_before(call.operand, call.where);
  }
  const StatePtr result =
      record_collective(call.op, {call.operand.state()}, call.attributes, call.where)[0];
  return finished(call, waited(result, call.where));
}

void launch_before(const Tensor& x, Location where) {
  if (CoalescedCalls* const calls = x.state(where)->pending) calls->launch();
}

std::vector<Tensor> CoalescedCalls::note(InPlaceCall call) {
  const bool known =
      takes_any_shape(call.op) && !noted_.empty() && launch_as_one(noted_.back().call, call);
  if (!known) check_collective(call.op, {call.operand.state()->type}, call.attributes, call.where);
  launch_before(call.operand, call.where);
  Noted noted{.call = std::move(call), .states = {}};
  std::vector<Tensor> out;
  for (const ir::Type& type : noted.call.types) {
    StatePtr state = StatePtr::make();
    state->type = type;
    state->where = noted.call.where;
    state->context = context_.id();
    state->pending = this;
    noted.states.push_back(state);
    out.emplace_back(std::move(state));
  }
  noted_.push_back(std::move(noted));
  return out;
}

void CoalescedCalls::launch() {
  if (noted_.empty()) return;
  if (&RankContext::current() != &context_) {
    throw UsageError("the collectives noted since " + where_.text() +
                     " belong to another rank or thread; call world.attach() on this thread");
  }
  std::vector<Noted> noted = std::exchange(noted_, {});
  // Until they have values: what fails leaves them without.
  struct Rest {
    std::vector<Noted>& noted;
    ~Rest() {
      for (const Noted& each : noted) {
        for (const StatePtr& state : each.states) {
          if (std::exchange(state->pending, nullptr) == nullptr) continue;
          state->lost = "the collectives that were to be launched together failed";
        }
      }
    }
  } const rest{noted};
  // One that fails is no reason not to launch the next.
  std::exception_ptr failure;
  for (auto first = noted.begin(); first != noted.end();) {
    const auto last = std::stable_partition(first, noted.end(), [&](const Noted& each) {
      return &each == &*first || launch_as_one(each.call, first->call);
    });
    try {
      launch_together({first, last});
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
    first = last;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  context_.run_callbacks();
}

void CoalescedCalls::launch_together(std::span<Noted> calls) {
  const InPlaceCall& first = calls[0].call;
  std::vector<StatePtr> operands;
  for (const Noted& each : calls) operands.push_back(each.call.operand.state());
  // Outside of functions that are compiled or differentiated this is an evaluation point, and what
  // is data needs no recording.
  const bool now = !context_.compiling() && context_.keep_recording == 0;
  std::vector<StatePtr> results;
  if (now) {
    context_.check_group(first.op, first.attributes, first.where);
    results = context_.direct_collectives.start(context_, first.op, operands, first.attributes,
                                                first.where);
  } else {
    results = record_collective(first.op, operands, first.attributes, first.where);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Tensor result = now ? Tensor(results[i]) : waited(results[i], first.where);
    std::vector<Tensor> tensors = finished(calls[i].call, std::move(result));
    for (std::size_t j = 0; j < tensors.size(); ++j) {
      StatePtr& state = calls[i].states[j];
      state->pending = nullptr;
      give_value(*state, tensors[j].state());
      made_.emplace_back(state);
    }
  }
}

bool CoalescedCalls::is_for(const ir::Group& group) const {
  return group_->is_same_for(context_.runtime().rank(), group);
}

void CoalescedCalls::drop() noexcept {
  for (const Noted& each : noted_) {
    for (const StatePtr& state : each.states) {
      state->pending = nullptr;
      state->lost = "an exception ended the block that was to launch its collective";
    }
  }
  noted_.clear();
}

}  // namespace detail

Coalesce::Coalesce(const Group& group, std::source_location at)
    : exceptions_(std::uncaught_exceptions()) {
  detail::RankContext& context = detail::RankContext::current();
  open_ = context.coalescing;
  for (const detail::CoalescedCalls* const open : *open_) {
    if (open->is_for(*group.data())) {
      throw UsageError("group \"" + group.tag() + "\" is being coalesced already", at);
    }
  }
  calls_ = std::make_shared<detail::CoalescedCalls>(context, group.data(), at);
  open_->push_back(calls_.get());
}

Coalesce::~Coalesce() noexcept(false) {
  std::erase(*open_, calls_.get());
  const bool world_is_gone = open_.use_count() == 1;
  if (world_is_gone || std::uncaught_exceptions() > exceptions_) {
    calls_->drop();
  } else {
    calls_->launch();
  }
}

void Coalesce::launch() { calls_->launch(); }

void Coalesce::wait(std::source_location at) {
  calls_->launch();
  const std::vector<Tensor> made = std::exchange(calls_->made(), {});
  eval(std::span<const Tensor>(made), at);
}

}  // namespace tutti
