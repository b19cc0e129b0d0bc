#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/tensor.h>

#include <algorithm>

namespace tutti {

using detail::RankContext;
using detail::StatePtr;

namespace {

const StatePtr& checked(const StatePtr& state, Location where) {
  if (state == nullptr) throw UsageError("this tensor was never given a value", where);
  return state;
}

// The data of a tensor, computed and complete.
const StatePtr& evaluated(const Tensor& tensor, Location where) {
  const StatePtr& state = tensor.state(where);
  RankContext& context = RankContext::current();
  if (!state->is_data()) {
    detail::check_readable(*state, where);
    context.check_owner(*state, where);
    context.flush(std::span(&state, 1));
  }
  context.make_ready(*state);
  return state;
}

}  // namespace

const StatePtr& Tensor::state(Location where) const { return checked(state_, where); }
const StatePtr& AsyncTensor::state(Location where) const { return checked(state_, where); }
const Shape& Tensor::shape() const { return state()->type.shape; }
DType Tensor::dtype() const { return state()->type.dtype; }
Device Tensor::device() const { return state()->type.device; }
const Shape& AsyncTensor::shape() const { return state()->type.shape; }
DType AsyncTensor::dtype() const { return state()->type.dtype; }
Device AsyncTensor::device() const { return state()->type.device; }

std::int64_t Tensor::size(int dimension, std::source_location at) const {
  const int d = dimension < 0 ? dimension + rank() : dimension;
  if (d < 0 || d >= rank()) {
    throw TypeError(
        "dimension " + std::to_string(dimension) + " of a tensor of shape " + shape().text(), at);
  }
  return shape()[d];
}

Array Tensor::array(std::source_location at) const {
  const StatePtr& data = evaluated(*this, at);
  Array out(dtype(), shape());
  RankContext::current().read(*data, out.bytes());
  return out;
}

namespace {

Tensor wait_for(const StatePtr& async, Location where) {
  if (!async->type.async) return Tensor(async);  // an argument that was waited for already
  if (async->waited == nullptr) async->waited = detail::record(ir::Op::wait, {async}, {}, where);
  return Tensor(async->waited);
}

}  // namespace

Tensor AsyncTensor::wait(std::source_location at) const { return wait_for(state(at), at); }

Tensor::Tensor(const AsyncTensor& async, std::source_location at) : Tensor(async.wait(at)) {}

std::string describe(const AsyncTensor& async) {
  const StatePtr& state = async.state();
  std::string out = state->type.text();
  const std::string origin =
      state->trace != nullptr ? state->trace->origin_of(state->value) : state->origin;
  if (!origin.empty()) out += " from " + origin;
  if (state->trace != nullptr) {
    out += ", recorded";
  } else {
    out += state->work == nullptr || state->work->test() ? ", complete" : ", under way";
    if (state->work != nullptr) out += ", number " + std::to_string(state->work->sequence());
  }
  return out + ", line " + state->where.text();
}

void eval(std::span<const Tensor> tensors, std::source_location at) {
  std::vector<StatePtr> targets;
  for (const Tensor& tensor : tensors) {
    detail::check_readable(*tensor.state(at), at);
    targets.push_back(tensor.state());
  }
  RankContext& context = RankContext::current();
  for (const StatePtr& state : targets) {
    if (!state->is_data()) context.check_owner(*state, at);
  }
  context.flush(targets);
  for (const StatePtr& state : targets) context.make_ready(*state);
}

std::string dump_ir(const Tensor& tensor) {
  RankContext& context = RankContext::current();
  const StatePtr& state = tensor.state();
  if (state->is_data()) return "// " + state->type.text() + ", already computed\n";
  if (state->trace != nullptr && state->trace->kind() == detail::Trace::Kind::compiled) {
    return ir::print(state->trace->graph());
  }
  detail::check_readable(*state, {});
  context.check_owner(*state, {});
  return ir::print(context.extract(std::span(&state, 1)));
}

}  // namespace tutti
