#include <tutti/ir/derive/message_answers.h>

#include <algorithm>
#include <ranges>
#include <string>

namespace tutti::ir {

namespace {

using Positions = std::vector<std::int64_t>;

Positions sources_of(Op op, const Attributes& attributes) {
  if (op == Op::recv) return {attributes.integer("from")};
  if (op == Op::batch_send_recv) return attributes.integers("from");
  return {};
}

}  // namespace

MessageAnswers::MessageAnswers(const Graph& graph, std::span<const NodeId> nodes) {
  struct Received {
    Value waited = {};           // what its wait gives
    NodeId first_use = kNoNode;  // of that
    bool is_plain = true;        // used by one wait alone
  };
  std::unordered_map<std::uint32_t, Received> received;  // by the value
  for (const NodeId node : nodes) {
    Message& message = messages_[node];
    const Attributes attributes = graph.attributes(node);
    for (std::uint32_t i = 0; i < graph.node(node).result_count; ++i) {
      message.results.push_back(graph.result(node, i));
    }
    const Op op = graph.node(node).op;
    if (op == Op::recv) received.try_emplace(graph.result(node, 0).id);
    const GroupPtr& group = attributes.group("group");
    for (const std::int64_t source : sources_of(op, attributes)) {
      Positions key = group->ranks;
      key.push_back(group->stride);
      key.push_back(source);
      Channel& channel = channels_[{group->tag, std::move(key)}];
      if (!channel.empty() && channel.back() == node) continue;
      channel.push_back(node);
      message.channels.push_back(&channel);
    }
  }
  if (received.empty()) return;
  std::unordered_map<std::uint32_t, Received*> waited;  // by what a wait has made of it
  const auto end = static_cast<NodeId>(graph.node_count());
  for (NodeId id = nodes.front(); id < end; ++id) {
    for (const Value operand : graph.operands(id)) {
      if (const auto found = received.find(operand.id); found != received.end()) {
        Received& own = found->second;
        const bool waits = graph.node(id).op == Op::wait && !own.waited.valid();
        own.is_plain = own.is_plain && waits;
        if (!waits) continue;
        own.waited = graph.result(id);
        waited[own.waited.id] = &own;
      } else if (const auto used = waited.find(operand.id); used != waited.end()) {
        if (used->second->first_use == kNoNode) used->second->first_use = id;
      }
    }
  }
  for (const NodeId node : std::views::reverse(nodes)) {
    if (graph.node(node).op != Op::recv) continue;
    const Received& own = received.at(graph.result(node, 0).id);
    // Of what is used otherwise the cotangent is known where it was received.
    if (!own.is_plain || own.first_use == kNoNode) continue;
    messages_[node].results = {own.waited};
    first_uses_[own.first_use].push_back(node);
  }
}

std::vector<MessageAnswers::Answer> MessageAnswers::after(NodeId node) {
  std::vector<Answer> out;
  if (const auto found = first_uses_.find(node); found != first_uses_.end()) {
    for (const NodeId receive : found->second) answer(receive, out);
  }
  if (contains(node)) answer(node, out);
  return out;
}

void MessageAnswers::answer(NodeId first, std::vector<Answer>& out) {
  messages_.at(first).is_due = true;
  for (std::vector<NodeId> due = {first}; !due.empty();) {
    const NodeId node = due.back();
    due.pop_back();
    Message& message = messages_.at(node);
    const auto is_next = [&](const Channel* channel) { return channel->back() == node; };
    // Else one behind it comes first.
    if (message.is_answered || !std::ranges::all_of(message.channels, is_next)) continue;
    message.is_answered = true;
    out.push_back({node, std::move(message.results)});
    for (Channel* const channel : message.channels) channel->pop_back();
    for (const Channel* const channel : message.channels) {
      if (!channel->empty() && messages_.at(channel->back()).is_due) due.push_back(channel->back());
    }
  }
}

std::vector<Term> answer_message(Builder& builder, NodeId node, std::span<const Term> cotangents,
                                 std::int64_t gradients_around) {
  const Graph& graph = builder.graph();
  const Op op = graph.node(node).op;
  const Attributes attributes = graph.attributes(node);
  const GroupPtr& group = attributes.group("group");
  const std::vector<Value> operands(graph.operands(node).begin(), graph.operands(node).end());
  std::vector<Term> out(operands.size());

  // The cotangents of what was received, where its type has one.
  const Positions sources = sources_of(op, attributes);
  std::vector<Value> sent;
  Positions to;
  for (std::size_t i = sources.size(); i-- > 0;) {
    const Value result = graph.result(node, static_cast<std::uint32_t>(i));
    if (!is_floating(graph.type(result).dtype)) continue;
    const Term own(&builder, result);
    sent.push_back(cotangents[i].valid() ? cotangents[i].value()
                                         : own.apply(Op::wait).apply(Op::zeros_like).value());
    to.push_back(sources[i]);
  }
  const Positions targets = op == Op::send              ? Positions{attributes.integer("to")}
                            : op == Op::batch_send_recv ? attributes.integers("to")
                                                        : Positions{};
  std::vector<std::size_t> received;  // operands
  Positions from;
  std::vector<Type> types;
  for (std::size_t i = targets.size(); i-- > 0;) {
    const Type& type = graph.type(operands[i]);
    if (!is_floating(type.dtype)) continue;
    received.push_back(i);
    from.push_back(targets[i]);
    types.push_back({.dtype = type.dtype, .shape = type.shape});
  }

  if (op == Op::recv) {
    if (!sent.empty()) builder.node(Op::send, sent, {to[0], group, gradients_around});
    return out;
  }
  if (sent.empty() && received.empty()) return out;
  const std::string device =
      operands.empty() ? attributes.text("device") : graph.device(operands[0]).text();
  NodeId answer = 0;
  if (op == Op::send) {
    const Positions shape(types[0].shape.begin(), types[0].shape.end());
    answer = builder.node(Op::recv, {},
                          {types[0].dtype, shape, from[0], group, device, gradients_around});
  } else {
    answer =
        builder.node(Op::batch_send_recv, sent, {to, from, types, group, device, gradients_around});
  }
  for (std::size_t i = 0; i < received.size(); ++i) {
    const Term result(&builder, graph.result(answer, static_cast<std::uint32_t>(i)));
    out[received[i]] = result.apply(Op::wait);
  }
  return out;
}

}  // namespace tutti::ir
