#include "tests/passes/check_fusion.h"

#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace tutti::ir {

namespace {

using Sizes = std::vector<std::int64_t>;

Sizes list(const Shape& shape) { return {shape.begin(), shape.end()}; }

class Check {
 public:
  explicit Check(const Graph& graph) : graph_(graph), readers_(graph.node_count()) {
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      if (is_alias(graph.node(id).op)) continue;
      for (const Value operand : graph.operands(id)) {
        readers_[graph.producer(source(operand))].push_back(id);
      }
    }
    for (const Value result : graph.results()) {
      readers_[graph.producer(source(result))].push_back(kCaller);
    }
  }

  void run() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const OpClass kind = kind_of(id);
      if (kind == OpClass::elementwise || kind == OpClass::reduce) {
        EXPECT_GE(fusion(id), 0) << show(id) << " has no group";
      } else if (fusion(id) >= 0) {
        const Op op = graph_.node(id).op;
        EXPECT_TRUE(op == Op::reshape || op == Op::expand_dims || op == Op::squeeze ||
                    op == Op::broadcast_to)
            << show(id) << " cannot be a member";
      }
    }
    const std::vector<FusionGroup> groups = fusion_groups(graph_);
    for (std::size_t i = 0; i < groups.size(); ++i) group(groups[i], i);
    waits();
  }

 private:
  OpClass kind_of(NodeId id) const { return definition(graph_.node(id).op).kind; }
  std::int32_t fusion(NodeId id) const { return graph_.node(id).fusion; }
  std::string show(NodeId id) const { return print(graph_, id); }
  Sizes shape(Value value) const { return list(graph_.type(value).shape); }

  Value source(Value value) const {
    while (graph_.op(value) == Op::vary || graph_.op(value) == Op::identity) {
      value = graph_.operand(graph_.producer(value), 0);
    }
    return value;
  }

  void group(const FusionGroup& group, std::size_t number) {
    ASSERT_FALSE(group.members.empty()) << "group " << number << " is empty";
    EXPECT_LE(group.members.size(), kMaxFusionMembers);
    const std::set<NodeId> members(group.members.begin(), group.members.end());

    // Side by side, so that no path can lead out and back.
    for (NodeId id = group.members.front(); id < group.members.back(); ++id) {
      if (members.contains(id)) continue;
      EXPECT_TRUE(graph_.node(id).op == Op::vary || graph_.node(id).op == Op::identity)
          << show(id) << " stands inside group " << number;
      EXPECT_TRUE(members.contains(graph_.producer(source(graph_.result(id))))) << show(id);
    }

    for (const NodeId id : group.members) {
      EXPECT_EQ(graph_.device(graph_.result(id)),
                graph_.device(graph_.result(group.members.front())))
          << show(id) << " is on another device than its group";
    }

    // The frame.
    Sizes full;
    Sizes axes;
    for (const NodeId id : group.members) {
      if (kind_of(id) != OpClass::reduce) continue;
      const Sizes mine = graph_.attributes(id).integers("axes");
      if (full.empty() && axes.empty()) {
        full = shape(graph_.operand(id, 0));
        axes = mine;
      }
      EXPECT_EQ(shape(graph_.operand(id, 0)), full) << show(id);
      EXPECT_EQ(mine, axes) << show(id);
    }
    const bool reduces = std::any_of(group.members.begin(), group.members.end(),
                                     [&](NodeId id) { return kind_of(id) == OpClass::reduce; });
    if (!reduces) full = shape(graph_.result(group.members.front()));
    Sizes row;
    Sizes kept;
    for (std::size_t d = 0; d < full.size(); ++d) {
      const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
      if (!reduced) row.push_back(full[d]);
      kept.push_back(reduced ? 1 : full[d]);
    }
    const bool trailing = !axes.empty() && axes.size() < full.size() &&
                          axes.front() == static_cast<std::int64_t>(full.size() - axes.size());

    std::set<Value> inputs;
    std::set<NodeId> with_row;  // members that depend on a reduction of the group
    for (const NodeId id : group.members) {
      const Sizes result = shape(graph_.result(id));
      const bool is_row = reduces && (result == row || result == kept);
      EXPECT_TRUE(result == full || is_row) << show(id) << " fits neither shape of its group";
      bool depends = kind_of(id) == OpClass::reduce;
      for (const Value operand : graph_.operands(id)) {
        const NodeId from = graph_.producer(source(operand));
        if (!members.contains(from)) {
          const bool free =
              graph_.node(from).op == Op::iota ||
              (graph_.node(from).op == Op::constant && graph_.type(operand).shape.elements() == 1);
          if (!free) inputs.insert(source(operand));
          EXPECT_NE(kind_of(id), OpClass::view) << show(id) << " is a view of a value from outside";
          continue;
        }
        depends = depends || with_row.contains(from);
        const Sizes read = shape(operand);
        if (kind_of(id) == OpClass::reduce) {
          EXPECT_EQ(read, full) << show(id);
        } else if (kind_of(id) == OpClass::view) {
          EXPECT_TRUE(read == row || read == kept) << show(id) << " views no row";
        } else if (result == full) {
          EXPECT_TRUE(read == full || (trailing && read == kept)) << show(id);
        } else {
          EXPECT_EQ(read, result) << show(id);
        }
      }
      if (depends) with_row.insert(id);
      // A lone reduction over dimensions of size 1 has its result for a row and for full.
      if (depends && result == full && group.members.size() > 1) {
        EXPECT_TRUE(trailing) << show(id) << " follows a reduction over columns";
      }
      if (kind_of(id) == OpClass::view) {
        EXPECT_TRUE(result != full || graph_.node(id).op == Op::broadcast_to) << show(id);
      }
    }
    EXPECT_LE(inputs.size(), kMaxFusionInputs);
    outputs(members, number);
  }

  void outputs(const std::set<NodeId>& members, std::size_t number) {
    std::size_t count = 0;
    for (const NodeId id : members) {
      const auto inside = [&](NodeId reader) { return members.contains(reader); };
      if (!std::ranges::all_of(readers_[id], inside)) ++count;
      if (kind_of(id) != OpClass::view) continue;
      EXPECT_TRUE(std::ranges::any_of(readers_[id], inside)) << show(id) << " is read by no member";
    }
    EXPECT_LE(count, kMaxFusionOutputs) << "group " << number;
  }

  // Between a wait and its first consumer stand only other waits, views and the consumer's group.
  void waits() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).op != Op::wait) continue;
      for (NodeId next = id + 1; next < graph_.node_count(); ++next) {
        const OpClass kind = kind_of(next);
        const bool views_one = kind == OpClass::view && graph_.operands(next).size() == 1;
        if (kind == OpClass::wait || (views_one && fusion(next) < 0)) continue;
        EXPECT_TRUE(reads(next, id)) << show(id) << " comes long before it is needed";
        break;
      }
    }
  }

  // Whether a node, or its group, reads what was waited for, perhaps through views.
  bool reads(NodeId reader, NodeId wait) const {
    for (NodeId id = reader; id < graph_.node_count(); ++id) {
      if (id != reader && (fusion(reader) < 0 || fusion(id) != fusion(reader))) {
        if (fusion(reader) >= 0 && is_alias(graph_.node(id).op)) continue;
        return false;
      }
      for (Value value : graph_.operands(id)) {
        while (kind_of(graph_.producer(value)) == OpClass::view &&
               fusion(graph_.producer(value)) < 0) {
          value = graph_.operand(graph_.producer(value), 0);
        }
        if (graph_.producer(value) == wait) return true;
      }
    }
    return false;
  }

  static constexpr NodeId kCaller = ~NodeId{0};

  const Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;  // [node], through aliases
};

}  // namespace

void check_fusion(const Graph& graph) { Check(graph).run(); }

}  // namespace tutti::ir
