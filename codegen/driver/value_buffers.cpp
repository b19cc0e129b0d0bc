#include <tutti/codegen/count_work.h>
#include <tutti/codegen/driver/target_of.h>
#include <tutti/codegen/driver/value_buffers.h>
#include <tutti/codegen/lower.h>
#include <tutti/ir/array.h>
#include <tutti/ir/op.h>
#include <tutti/ir/support/error.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tutti::codegen {

using ir::NodeId;
using ir::Op;
using ir::Value;

namespace {

// To move no more than so many a kernel of ours is faster than a call of the library.
constexpr std::int64_t kFewElements = 1024;

}  // namespace

Device ValueBuffers::device(Value value) const {
  const View& view = views_[value];
  const Value base = view.reads_base() ? view.base : value;
  const bool number = graph_.type(base).device.is_any() && graph_.op(base) == Op::parameter;
  return number ? Device::cpu() : graph_.device(base);
}

BufferId ValueBuffers::storage(Value base) {
  if (const auto found = storages_.find(base); found != storages_.end()) return found->second;
  const NodeId producer = graph_.producer(base);
  const ir::Node& node = graph_.node(producer);
  const Device place = device(base);
  BufferId out = -1;
  if (node.op == Op::constant) {
    out = writer_.add_constant(std::get<ir::ArrayPtr>(node.attributes[0]), place);
  } else if (node.op == Op::rank_index) {
    const std::int64_t position = graph_.attributes(producer).group("group")->position_of(rank_);
    if (position < 0) {
      throw TypeError("rank_index: rank " + std::to_string(rank_) + " is in no group of \"" +
                          graph_.attributes(producer).group("group")->tag + "\"",
                      node.location);
    }
    out =
        writer_.add_constant(std::make_shared<const ir::Array>(ir::Array::scalar(position)), place);
  } else {
    out = writer_.add_buffer(PlanBuffer::Kind::local, graph_.type(base).bytes(), place);
  }
  storages_[base] = out;
  return out;
}

BufferId ValueBuffers::dense(Value value) {
  const View& view = views_[value];
  if (view.dense()) return storage(view.base);
  const Value target = resolve(graph_, value);
  if (const auto found = copies_.find(target); found != copies_.end()) return found->second;
  const Device place = device(value);
  BufferId out = -1;
  if (view.source == View::Source::constant && view.shape.rank() == 0) {
    out = writer_.add_constant(std::make_shared<const ir::Array>(*view.scalar), place);
  } else {
    out = writer_.add_buffer(PlanBuffer::Kind::local, view.shape.elements() * size_of(view.dtype),
                             place);
    write_out(view, out, graph_.node(graph_.producer(value)).location);
  }
  copies_[target] = out;
  return out;
}

void ValueBuffers::write_out(const View& view, BufferId target, Location location) {
  if (view.source == View::Source::buffer) {
    copy(view, storage(view.base), target, location);
    return;
  }
  LoweredKernel copy = lower_copy(view, {});
  std::vector<BufferId> buffers;
  for (const LoweredKernel::Argument& argument : copy.arguments) {
    buffers.push_back(argument.value.valid() ? storage(argument.value) : target);
  }
  writer_.add_kernel(std::move(copy.kernel), std::move(buffers), location);
}

void ValueBuffers::copy(const View& view, BufferId from, BufferId to, Location location) {
  const Device device = writer_.device_of(to);
  const std::int64_t elements = view.shape.elements();
  if (device.is_cpu() && elements > 0 && elements <= kFewElements) {
    writer_.add_kernel(lower_copy(view, {}).kernel, {from, to}, location);
  } else {
    writer_.add_call(target_of(device).copy(view), {from, to}, location, count_copy(view));
  }
}

void ValueBuffers::copy_dense(BufferId from, BufferId to, Value value) {
  const ir::Type& type = graph_.type(value);
  const Location location = graph_.node(graph_.producer(value)).location;
  const View view{
      .base = value, .dtype = type.dtype, .shape = type.shape, .strides = type.shape.strides()};
  copy(view, from, to, location);
}

std::vector<BufferId> ValueBuffers::by_value(const Plan& plan, BufferId first) const {
  std::vector<BufferId> out(graph_.value_count(), -1);
  for (std::uint32_t id = 0; id < graph_.value_count(); ++id) {
    const View& view = views_[Value{id}];
    // What pads put around a value is nowhere.
    const Value base = view.source == View::Source::buffer ? view.base : Value{id};
    // A convolution's that is stored as its readers want it: they have it.
    const bool is_own = view.source == View::Source::buffer && view.base == Value{id};
    if (is_own && !view.dense()) continue;
    const auto found = storages_.find(base);
    const auto copy = copies_.find(Value{id});
    if (copy != copies_.end()) {
      out[id] = copy->second;
    } else if (found != storages_.end()) {
      out[id] = found->second;
    }
    if (out[id] >= 0) out[id] += first;
    // Where calls took over what follows them, nobody uses what was between.
    if (out[id] >= 0 && plan.buffers[static_cast<std::size_t>(out[id])].last_use < 0) {
      out[id] = -1;
    }
  }
  return out;
}

}  // namespace tutti::codegen
