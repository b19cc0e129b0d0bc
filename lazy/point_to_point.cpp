#include <tutti/lazy/device.h>
#include <tutti/lazy/point_to_point.h>
#include <tutti/lazy/record_collective.h>

namespace tutti {

using detail::StatePtr;
using ir::Op;

namespace {

// For the gradients around, which answer it.
std::vector<StatePtr> record_message(Op op, const std::vector<StatePtr>& operands,
                                     std::vector<ir::Attribute> attributes, Location where) {
  detail::RankContext& context = detail::RankContext::current();
  const auto& around = context.gradients_around;
  attributes.emplace_back(static_cast<std::int64_t>(around.size()));
  std::vector<StatePtr> out = detail::record_collective(op, operands, std::move(attributes), where);
  if (around.empty()) return out;  // it may have been evaluated
  const auto node = static_cast<ir::NodeId>(context.trace().graph().node_count() - 1);
  for (std::vector<ir::NodeId>* const messages : around) messages->push_back(node);
  return out;
}

}  // namespace

void send(const Operand& x, const Group& group, std::int64_t to) {
  record_message(Op::send, {x.tensor().state()}, {to, group.data()}, x.where());
}

AsyncTensor recv(const Shape& shape, DType dtype, const Group& group, std::int64_t from,
                 std::source_location at) {
  const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  const std::string device = default_device().text();
  return AsyncTensor(
      record_message(Op::recv, {}, {dtype, sizes, from, group.data(), device}, at)[0]);
}

std::vector<AsyncTensor> batch_send_recv(const std::vector<Send>& sends,
                                         const std::vector<Receive>& receives, const Group& group,
                                         std::source_location at) {
  std::vector<StatePtr> operands;
  std::vector<std::int64_t> to;
  for (const Send& message : sends) {
    operands.push_back(message.tensor.tensor().state());
    to.push_back(message.to);
  }
  std::vector<ir::Type> types;
  std::vector<std::int64_t> from;
  for (const Receive& message : receives) {
    types.push_back({.dtype = message.dtype, .shape = message.shape});
    from.push_back(message.from);
  }
  const Device device = operands.empty() ? default_device() : operands[0]->type.device;
  std::vector<AsyncTensor> out;
  for (StatePtr& state : record_message(Op::batch_send_recv, operands,
                                        {to, from, types, group.data(), device.text()}, at)) {
    out.emplace_back(std::move(state));
  }
  return out;
}

}  // namespace tutti
