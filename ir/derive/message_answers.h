#pragma once

#include <tutti/ir/term.h>

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

// The derivative of messages. What a rank sends comes back as a cotangent, and for what it receives
// it sends one: the message's *answer*, the other way round and in the opposite order. Both ranks
// answer every message of floating-point numbers, whatever depends on it, since neither sees the
// other's program; that both differentiate it is part of what a message's two sides agree on (the
// attribute `gradients`).
namespace tutti::ir {

// The messages that a gradient answers.
struct AnsweredMessages {
  std::span<const NodeId> nodes;  // ascending
  // How many gradients there are around this one, which answer the answers.
  std::int64_t gradients_around = 0;
};

// When the messages of a graph are answered, in a sweep from its end to its beginning.
class MessageAnswers {
 public:
  // A node, and the values whose cotangents its answer sends, one for each of its results.
  struct Answer {
    NodeId node;
    std::vector<Value> results;
  };

  MessageAnswers(const Graph& graph, std::span<const NodeId> nodes);

  bool empty() const { return messages_.empty(); }
  bool contains(NodeId node) const { return messages_.contains(node); }
  // The first and the last of them.
  NodeId first() const { return messages_.begin()->first; }
  NodeId last() const { return messages_.rbegin()->first; }
  // What is to be answered once nodes are visited from `node` on, in this order.
  std::vector<Answer> after(NodeId node);

 private:
  // Who sends what a node receives, and those of the pair's nodes that were not answered yet: their
  // answers go in the opposite order.
  using Channel = std::vector<NodeId>;
  struct Message {
    bool is_due = false;
    bool is_answered = false;
    std::vector<Value> results;
    std::vector<Channel*> channels;
  };

  void answer(NodeId node, std::vector<Answer>& out);

  std::map<NodeId, Message> messages_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, Channel> channels_;
  // By the first node that uses what was received alone: until there a rank need not wait for it,
  // so the answer does not wait for what the rank sent meanwhile.
  std::unordered_map<NodeId, std::vector<NodeId>> first_uses_;
};

// Records the answer of a message: given its results' cotangents, invalid ones being zeros, those
// of its operands.
std::vector<Term> answer_message(Builder& builder, NodeId node, std::span<const Term> cotangents,
                                 std::int64_t gradients_around);

}  // namespace tutti::ir
