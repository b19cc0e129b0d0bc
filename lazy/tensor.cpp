#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/lazy/at_line.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/tensor.h>

#include <algorithm>

namespace tutti {

using detail::RankContext;
using detail::StatePtr;

namespace detail {

std::string without_value(const std::string& name, bool moved) {
  if (!moved) return name + " was never given a value";
  return name +
         " was moved from: what std::move(x) was given to, such as a compiled function, has taken "
         "its value; use what that gave, or pass x itself";
}

const StatePtr& checked(const StatePtr& state, Location where) {
  if (!state) throw UsageError(without_value("this tensor", state.was_moved()), where);
  return state;  // NOLINT(bugprone-return-const-ref-from-parameter): a tensor's
}

}  // namespace detail

StatePtr detail::evaluated(const Tensor& tensor, Location where) {
  StatePtr state = tensor.state(where);  // a callback may give the handle another value
  RankContext& context = RankContext::current();
  if (!state->is_data()) detail::check_readable(*state, where);
  if (context.records_compiled_function()) {
    throw UsageError("the function being compiled reads a tensor made at " + state->where.text() +
                         ", whose value would be the same in all later calls; pass it as an "
                         "argument, or read it outside and pass the number",
                     where);
  }
  if (!state->is_data()) {
    context.check_owner(*state, where);
    // What the machine lacks is said where the value was asked for.
    at_line<EnvironmentError>(where, [&] { context.flush(std::span(&state, 1)); });
  }
  context.make_ready(*state, where);
  context.run_callbacks();
  return state;
}

const StatePtr& Tensor::state(Location where) const { return detail::checked(state_, where); }
const Shape& Tensor::shape(std::source_location at) const& { return state(at)->type.shape; }
DType Tensor::dtype(std::source_location at) const { return state(at)->type.dtype; }
Device Tensor::device(std::source_location at) const { return state(at)->type.device; }

std::int64_t Tensor::size(Axis dimension, std::source_location at) const {
  return detail::size_of_dimension(state(at)->type, dimension, at);
}

Array detail::array_of(const Tensor& tensor, Location where) {
  const StatePtr data = evaluated(tensor, where);
  Array out(data->type.dtype, data->type.shape);
  RankContext::current().read(*data, out.bytes());
  return out;
}

Array Tensor::array(std::source_location at) const { return detail::array_of(*this, at); }

std::shared_ptr<const std::byte> detail::host_bytes(const Tensor& tensor, Location where) {
  const StatePtr data = evaluated(tensor, where);
  if (data->type.device.is_cpu()) return {data->buffer, data->buffer->data()};
  RankContext& context = RankContext::current();
  const auto bytes = static_cast<std::size_t>(data->type.bytes());
  const std::shared_ptr<runtime::Buffer> copy =
      context.runtime().allocator.allocate(bytes, {.what = "copy", .where = where});
  context.read(*data, {copy->data(), bytes});
  return {copy, copy->data()};
}

void detail::check_read_as(const Tensor& tensor, DType dtype, Location where) {
  const DType own = tensor.state(where)->type.dtype;
  if (own == dtype) return;
  throw TypeError("the elements are " + std::string(name_of(own)) + ", read as " +
                      std::string(name_of(dtype)) + "; cast the tensor first",
                  where);
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
  detail::at_line<EnvironmentError>(at, [&] { context.flush(targets); });
  for (const StatePtr& state : targets) context.make_ready(*state, at);
  context.run_callbacks();
}

std::string dump_ir(const Tensor& tensor, std::source_location at) {
  RankContext& context = RankContext::current();
  const StatePtr& state = tensor.state(at);
  if (state->is_data()) return "// " + state->type.text() + ", already computed\n";
  if (state->trace != nullptr && state->trace->is_abstract()) {
    return ir::print(state->trace->graph());
  }
  detail::check_readable(*state, at);
  context.check_owner(*state, at);
  return ir::print(context.extract(std::span(&state, 1)));
}

}  // namespace tutti
