// How a rank records an op into its trace, and when what it has recorded is due to be computed.

#include <tutti/ir/control.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

void RankContext::check_devices(ir::Op op, std::span<const ir::Value> operands, Location where) {
  Trace& into = trace();
  const ir::Graph& graph = into.graph();
  ir::Value first;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ir::Value operand = operands[i];
    if (into.is_number(operand) || ir::is_branch_index(op, i)) continue;
    if (!first.valid()) first = operand;
    if (graph.device(operand) == graph.device(first)) continue;
    const auto shown = [&](ir::Value value) {
      ir::Type type = graph.type(value);
      type.device = {};
      return type.text() + " on " + graph.device(value).text() + " (made at " +
             graph.node(graph.producer(value)).location.text() + ")";
    };
    throw TypeError(std::string(name_of(op)) + ": the operands lie on different devices, " +
                        shown(first) + " and " + shown(operand) +
                        "; copy one of them with to(x, device)",
                    where);
  }
}

void RankContext::check_group(ir::Op op, const std::vector<ir::Attribute>& attributes,
                              Location where) const {
  const ir::Definition& entry = ir::definition(op);
  if (entry.kind != ir::OpClass::collective) return;
  if (in_callback_) {
    throw UsageError(std::string(entry.name) +
                         ": a callback of on_ready() can't call collectives, since each rank "
                         "notices at another time that a result is ready",
                     where);
  }
  const ir::Group& group = *ir::Attributes(entry.attributes, attributes).group("group");
  if (!closed_groups.empty() &&
      closed_groups.contains({group.tag, group.members_with(runtime_.rank())})) {
    throw UsageError(std::string(entry.name) + ": group \"" + group.tag +
                         "\" was closed; make one with another tag",
                     where);
  }
  const std::string name = std::string(entry.name) + ": group \"" + group.tag + "\"";
  for (const std::int64_t rank : group.ranks) {
    if (rank < runtime_.ranks()) continue;
    std::string why = "there are " + std::to_string(runtime_.ranks()) + " ranks";
    if (runtime_.ranks() == 1) {
      why = "this thread records for a world of one; call world.attach() on it if it should not";
    }
    throw UsageError(name + " names rank " + std::to_string(rank) + ", but " + why, where);
  }
  if (group.position_of(runtime_.rank()) < 0) {
    const bool is_world = group.tag == world_group_->tag;
    throw UsageError(name + " does not include this rank, " + std::to_string(runtime_.rank()) +
                         (is_world ? "; a World that a function captures stays that World: for "
                                     "one of another size it names ranks, or a mesh"
                                   : ""),
                     where);
  }
}

std::vector<StatePtr> RankContext::record(ir::Op op, std::span<const StatePtr> operands,
                                          std::vector<ir::Attribute> attributes, Location given) {
  const Recording recording(*this, given);
  const Location where = line_of(given);
  if (op == ir::Op::wait && operands[0]->is_data()) {
    // Its collective is under way or done; the tensor shares the data, and whoever reads it waits.
    check_waiter(*operands[0], where);
    StatePtr state = leaf(operands[0]->type, operands[0]->buffer, where);
    state->context = operands[0]->context;
    state->type.async = false;
    state->work = operands[0]->work;
    state->part = operands[0]->part;
    state->literal_uses = operands[0]->literal_uses;
    return {state};
  }
  Trace& into = trace();
  const bool is_inside = into.kind() == Trace::Kind::function || into.kind() == Trace::Kind::trial;
  if (is_inside && op == ir::Op::wait && operands[0]->trace != &into) {
    // What was started outside is waited for there.
    const Outside outside(*this, depth() - 1);
    return record(op, operands, std::move(attributes), where);
  }
  check_group(op, attributes, where);
  std::vector<ir::Value> values;
  values.reserve(operands.size());
  for (const StatePtr& operand : operands) values.push_back(into.value_of(*operand, where));
  if (values.size() > 1) check_devices(op, values, where);
  into.builder().at(where);
  const std::size_t calls = into.graph().call_count();
  const ir::NodeId node = into.node(op, values, std::move(attributes));
  if (!compiling() && into.graph().call_count() != calls) pending_collectives_ = true;
  std::vector<StatePtr> results;
  for (std::uint32_t i = 0; i < into.graph().node(node).result_count; ++i) {
    results.push_back(into.handle(into.graph().result(node, i), where));
    note_replication(results.back()->type, where);
  }
  compute_if_due(results);
  return results;
}

StatePtr RankContext::record_local(ir::Op op, std::span<const ir::Value> operands,
                                   std::vector<ir::Attribute> attributes, Location given) {
  const Location where = line_of(given);
  Trace& into = trace();
  if (operands.size() > 1) check_devices(op, operands, where);
  into.builder().at(where);
  const ir::NodeId node = into.node(op, operands, std::move(attributes));
  StatePtr result = into.handle(into.graph().result(node), where);
  compute_if_due(std::span(&result, 1));
  return result;
}

void RankContext::compute_if_due(std::span<const StatePtr> recorded) {
  if (compiling() || keep_recording > 0 || running_) return;
  // (Callbacks wait: an op may be in the middle of something.)
  if (eager) {
    compute(recorded);
  } else if (lazy_->graph().node_count() > most_nodes_) {
    compute_all();
  } else if (pending_collectives_ && runtime_.backend->peer_waits()) {
    compute({});
  }
}

void RankContext::compute_all() {
  std::vector<StatePtr> live;
  for (TensorState* const state : lazy_->handles()) live.emplace_back(state);
  try {
    compute(live);
    most_nodes_ = kPendingNodes;
  } catch (const std::exception&) {
    // It is not the op's that was recorded last: whoever reads what failed gets it.
    most_nodes_ = lazy_->graph().node_count() + kPendingNodes;
  }
}

StatePtr record(ir::Op op, std::span<const StatePtr> operands,
                std::vector<ir::Attribute> attributes, Location where) {
  return RankContext::current().record(op, operands, std::move(attributes), where)[0];
}

}  // namespace tutti::detail
