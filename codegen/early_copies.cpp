#include <tutti/codegen/early_copies.h>
#include <tutti/codegen/read_takes.h>
#include <tutti/ir/control.h>

#include <algorithm>

namespace tutti::codegen {

using ir::NodeId;
using ir::Op;
using ir::Value;

namespace {

constexpr std::int64_t kMuch = 1 << 20;  // bytes
constexpr NodeId kSoon = 16;             // nodes later

bool is_part(Op op) { return op == Op::dynamic_slice || is_take(op); }

}  // namespace

EarlyCopies::EarlyCopies(const ir::Graph& graph, const std::vector<bool>& widened)
    : graph_(graph), widened_(widened) {
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!is_part(graph.node(id).op)) continue;
    find_origins();
    find_readers();
    return;
  }
}

bool EarlyCopies::shows_its_operand(NodeId id) const {
  const Op op = graph_.node(id).op;
  return ir::definition(op).kind == ir::OpClass::view || is_part(op) || op == Op::wait ||
         widened_[id];
}

bool EarlyCopies::hold(NodeId part) const {
  return is_updated_before_it_is_read(part) || keeps_much_alive(part);
}

void EarlyCopies::find_origins() {
  origins_.resize(graph_.value_count());
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    const bool shows = shows_its_operand(id);
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      const Value result = graph_.result(id, i);
      origins_[result.id] = shows ? origins_[graph_.operand(id, 0).id] : result;
    }
  }
}

void EarlyCopies::find_readers() {
  const auto count = static_cast<NodeId>(graph_.node_count());
  last_reader_.assign(graph_.value_count(), 0);
  last_own_reader_.assign(graph_.value_count(), 0);
  for (const Value result : graph_.results()) {
    last_reader_[result.id] = last_own_reader_[result.id] = count;
  }
  for (NodeId id = count; id-- > 0;) {
    const Op op = graph_.node(id).op;
    const bool passes_on = shows_its_operand(id) || op == Op::pad;
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      // Loops work on what they carry where it lies.
      if (ir::is_control(op) || (op == Op::dynamic_update_slice && i == 0)) {
        updates_.emplace_back(origins_[operand.id], id);
      }
      const auto note = [&](std::vector<NodeId>& last, bool on) {
        const NodeId reader = on ? last[graph_.result(id).id] : 0;
        last[operand.id] = std::max({last[operand.id], id, reader});
      };
      note(last_reader_, passes_on);
      note(last_own_reader_, passes_on && !is_part(op));
    }
  }
  std::ranges::sort(updates_);
}

// The update would have to copy all of the whole, or of what says which parts.
bool EarlyCopies::is_updated_before_it_is_read(NodeId part) const {
  const auto is_updated = [&](Value operand) {
    const Value whole = origins_[operand.id];
    const auto next = std::ranges::upper_bound(updates_, std::pair(whole, part));
    return next != updates_.end() && next->first == whole &&
           next->second < last_reader_[graph_.result(part).id];
  };
  // What a take reads by is read as late as the table.
  return is_updated(graph_.operand(part, 0)) ||
         (is_take(graph_.node(part).op) && is_updated(graph_.operand(part, 1)));
}

bool EarlyCopies::keeps_much_alive(NodeId part) const {
  const Value whole = origins_[graph_.operand(part, 0).id];
  const Value result = graph_.result(part);
  const std::int64_t bytes = graph_.type(whole).bytes();
  const Op op = graph_.op(whole);
  return op != Op::parameter && op != Op::constant && bytes >= kMuch &&
         graph_.type(result).bytes() < bytes / 4 &&
         last_reader_[result.id] > last_own_reader_[whole.id] + kSoon;
}

}  // namespace tutti::codegen
