#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/tensor.h>

#include <ranges>
#include <utility>

namespace tutti {

using detail::Deferred;
using detail::RankContext;
using detail::StatePtr;

namespace {

Tensor wait_for(const StatePtr& async, Location where) {
  if (!async->type.async) return Tensor(async);  // an argument that was waited for already
  if (async->waited == nullptr) async->waited = detail::record(ir::Op::wait, {async}, {}, where);
  return Tensor(async->waited);
}

// Computes what is deferred, from the collective's result on; each once, where it was asked for.
StatePtr compute(const StatePtr& collective, Deferred& last, Location where) {
  if (last.computed != nullptr) return last.computed;
  std::vector<Deferred*> chain;
  for (Deferred* each = &last; each != nullptr && each->computed == nullptr;
       each = each->before.get()) {
    chain.push_back(each);
  }
  Deferred* const before = chain.back()->before.get();
  Tensor value = before == nullptr ? wait_for(collective, where) : Tensor(before->computed);
  for (Deferred* const each : std::views::reverse(chain)) {
    const detail::Outside outside(RankContext::current(), each->depth);
    value = each->compute(value);
    each->computed = value.state();
    each->compute = nullptr;  // what it holds is not needed any more
  }
  return last.computed;
}

const char* progress_of(const detail::TensorState& state) {
  if (!state.lost.empty()) return ", lost";
  if (!state.is_data()) return ", without a value";
  if (state.work == nullptr) return ", complete";
  if (state.context != RankContext::current().id()) return ", of another rank";
  try {
    return state.work->test() ? ", complete" : ", under way";
  } catch (const CommError&) {
    return state.work->sequence() > 0 ? ", failed" : ", lost";
  }
}

}  // namespace

Deferred::~Deferred() {
  while (before != nullptr && before.use_count() == 1) {
    before = std::exchange(before->before, nullptr);
  }
}

const StatePtr& AsyncTensor::collective(Location where) const {
  return detail::checked(state_, where);
}

const StatePtr& AsyncTensor::state(Location where) const {
  detail::checked(state_, where);
  if (deferred_ == nullptr) return state_;
  compute(state_, *deferred_, where);
  return deferred_->computed;
}

const Shape& AsyncTensor::shape(std::source_location at) const& {
  return (deferred_ != nullptr ? deferred_->type : collective(at))->type.shape;
}
DType AsyncTensor::dtype(std::source_location at) const {
  return (deferred_ != nullptr ? deferred_->type : collective(at))->type.dtype;
}
Device AsyncTensor::device(std::source_location at) const {
  return (deferred_ != nullptr ? deferred_->type : collective(at))->type.device;
}
std::int64_t AsyncTensor::size(Axis dimension, std::source_location at) const {
  return detail::size_of_dimension((deferred_ != nullptr ? deferred_->type : collective(at))->type,
                                   dimension, at);
}

Tensor AsyncTensor::wait(Location at) const {
  return deferred_ != nullptr ? Tensor(state(at)) : wait_for(collective(at), at);
}

Tensor::Tensor(const AsyncTensor& async, std::source_location at) : Tensor(async.wait(at)) {}

bool AsyncTensor::is_ready(std::source_location at) const {
  const StatePtr state = collective(at);  // a callback may give the handle another value
  RankContext::current().check_owner(*state, at);
  RankContext::current().run_callbacks();
  if (!state->is_data()) {
    detail::check_readable(*state, at);
    return false;
  }
  return state->work == nullptr || state->work->test();
}

void AsyncTensor::on_ready(std::function<void(const Tensor&)> f, std::source_location at) const {
  if (f == nullptr) throw UsageError("on_ready: there is nothing to call", at);
  RankContext& context = RankContext::current();
  const detail::Trace* const trace = collective(at)->trace;
  if (trace == nullptr || trace->is_abstract()) detail::check_readable(*state_, at);
  context.check_owner(*state_, at);
  context.call_when_ready(state_, [async = *this, call = std::move(f), at] {
    Tensor value(async.collective());  // of one that was lost: reading throws
    if (value.state()->lost.empty()) value = async.wait(at);
    call(value);
  });
  context.run_callbacks();
}

AsyncTensor AsyncTensor::then(std::function<Tensor(const Tensor&)> f, Location at) const {
  if (f == nullptr) throw UsageError("then: there is nothing to compute", at);
  ir::Type type = (deferred_ != nullptr ? deferred_->type : collective(at))->type;
  type.async = false;
  AsyncTensor out = *this;
  out.deferred_ = std::make_shared<Deferred>();
  out.deferred_->before = deferred_;
  out.deferred_->depth = RankContext::current().depth();
  // Recorded in a trace that nobody looks at, for its type and its mistakes.
  RankContext& context = RankContext::current();
  detail::Trace trial(detail::Trace::Kind::trial, context.id(), context.mesh(),
                      context.default_device());
  const detail::Tracing tracing(context, trial);
  const Tensor result = f(Tensor(trial.handle(trial.add_formal("x", type, at), at)));
  out.deferred_->type = StatePtr::make();
  out.deferred_->type->type = result.state(at)->type;
  out.deferred_->compute = std::move(f);
  return out;
}

std::string describe(const AsyncTensor& async, std::source_location at) {
  const StatePtr& state = async.collective(at);
  ir::Type type = state->type;
  type.dtype = async.dtype();
  type.shape = async.shape();
  std::string out = type.text();
  const std::string origin =
      state->trace != nullptr ? state->trace->origin_of(state->value) : state->origin;
  if (!origin.empty()) out += " from " + origin;
  if (state->trace != nullptr) {
    out += ", recorded";
  } else {
    const std::string progress = progress_of(*state);
    out += progress;
    if (state->work != nullptr && progress != ", lost")
      out += ", number " + std::to_string(state->work->sequence());
  }
  return out + ", line " + state->where.text();
}

}  // namespace tutti
