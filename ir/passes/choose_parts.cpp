#include <tutti/ir/passes/choose_parts.h>

#include <algorithm>

namespace tutti::ir {

std::optional<Op> combination_of_parts(Op reduction, DType dtype) {
  // A sum of narrow floats is rounded once.
  const bool exact = !is_floating(dtype) || size_of(dtype) >= 4;
  switch (reduction) {
    case Op::sum:
      return exact ? std::optional(Op::add) : std::nullopt;
    case Op::prod:
      return exact ? std::optional(Op::mul) : std::nullopt;
    case Op::max:
      return Op::maximum;
    case Op::min:
      return Op::minimum;
    case Op::any:
      return Op::logical_or;
    case Op::all:
      return Op::logical_and;
    default:
      return std::nullopt;
  }
}

PartsChoice::PartsChoice(const Graph& graph)
    : graph_(graph), splits_(graph.value_count()), by_parts_(graph.node_count(), false) {
  find_splits();
  if (std::ranges::none_of(splits_, &std::optional<Split>::has_value)) return;
  find_takers();
  for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) decide(id);
  leave_out_what_has_no_parts();
}

bool PartsChoice::empty() const { return std::ranges::find(by_parts_, true) == by_parts_.end(); }

bool PartsChoice::is_put_together(Value value) const {
  const Op op = graph_.op(value);
  return has_split(value) && (op == Op::concat || op == Op::pad);
}

void PartsChoice::find_splits() {
  origins_.resize(graph_.value_count());
  joins_.assign(graph_.value_count(), false);
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    const Node& node = graph_.node(id);
    if (node.result_count != 1 || node.operand_count == 0) continue;
    std::optional<Split>& split = splits_[graph_.result(id).id];
    if (node.op == Op::concat || node.op == Op::pad) {
      split = split_of(graph_, id);
    } else if (kind(id) == OpClass::view && node.operand_count == 1) {
      const Value operand = graph_.operand(id, 0);
      if (has_split(operand)) split = split_through(graph_, id, *splits_[operand.id]);
    } else if (kind(id) == OpClass::elementwise) {
      split = split_of_elementwise(id);
    }
    if (!split) continue;
    origins_[graph_.result(id).id] = find_origins(id);
    joins_[graph_.result(id).id] = joins(id);
  }
}

std::vector<PartsChoice::Origin> PartsChoice::find_origins(NodeId id) const {
  const Split& split = *splits_[graph_.result(id).id];
  std::vector<Origin> out;
  for (std::size_t part = 0; part < split.count(); ++part) {
    Origin origin{.literal = true, .device = {}};
    const auto take = [&](const Origin& of) {
      origin.literal = origin.literal && of.literal;
      if (origin.device.is_any()) origin.device = of.device;
    };
    const auto take_value = [&](Value value) { take(origin_of(graph_.type(value))); };
    if (graph_.node(id).op == Op::concat) {
      take_value(graph_.operand(id, part));
    } else if (graph_.node(id).op == Op::pad) {
      take_value(graph_.operand(id, place_in_pad(id, part) ? 0 : 1));
    } else {
      for (const Value operand : graph_.operands(id)) {
        const bool has_parts =
            has_split(operand) &&
            (kind(id) == OpClass::view || split_of_operand(id, operand) == splits_[operand.id]);
        has_parts ? take(origins_[operand.id][part]) : take_value(operand);
      }
    }
    out.push_back(origin);
  }
  return out;
}

// That of the first operand that has one.
std::optional<Split> PartsChoice::split_of_elementwise(NodeId id) const {
  const Shape& result = shape(graph_.result(id));
  if (result.elements() == 0) return std::nullopt;
  for (const Value operand : graph_.operands(id)) {
    if (!has_split(operand)) continue;
    Split out = *splits_[operand.id];
    out.axis += result.rank() - shape(operand).rank();
    return out;
  }
  return std::nullopt;
}

// Whether the node could do with the parts of an operand.
bool PartsChoice::takes_parts(NodeId id, std::size_t i) const {
  const Value operand = graph_.operand(id, i);
  if (!has_split(operand)) return false;
  const Split& split = *splits_[operand.id];
  if (const std::optional<std::size_t> part = part_of_slice(graph_, id, split)) {
    return origins_[operand.id][*part] == origin_of(graph_.type(graph_.result(id)));
  }
  if (kind(id) == OpClass::reduce) return combines_parts(id, split);
  if (graph_.node(id).result_count != 1 || !has_split(graph_.result(id))) return false;
  if (kind(id) == OpClass::view) return true;
  return kind(id) == OpClass::elementwise && split_of_operand(id, operand) == split;
}

bool PartsChoice::combines_parts(NodeId id, const Split& split) const {
  const std::vector<std::int64_t>& axes = graph_.attributes(id).integers("axes");
  return split.thin() && axes.size() == 1 && axes[0] == split.axis &&
         combination_of_parts(graph_.node(id).op, graph_.type(graph_.result(id)).dtype).has_value();
}

// Users come first: whether anybody needs a value as a whole is known when its node is looked at.
void PartsChoice::decide(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.result_count == 1) by_parts_[id] = goes_by_parts(id);
  for (std::size_t i = 0; i < node.operand_count; ++i) {
    if (!by_parts_[id] || !takes_parts(id, i)) whole_[graph_.operand(id, i).id] = true;
  }
}

// Whether to compute parts that are put together behind: few ones of one shape, which one kernel
// computes, and no lone pad, which kernels can read as it is.
bool PartsChoice::is_worth_it(NodeId id) const {
  const Split& split = *splits_[graph_.result(id).id];
  const bool is_even = split.ends.back() == split.ends[0] * std::ssize(split.ends);
  return is_even && split.count() <= kMostParts / 2 && joins_[graph_.result(id).id];
}
// Whether a value is more than a pad: a concat, or pads that add up, or made of these.
bool PartsChoice::joins(NodeId id) const {
  if (graph_.node(id).op == Op::concat) return true;
  int pads = 0;
  for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
    const Value operand = graph_.operand(id, i);
    if (!takes_parts(id, i)) continue;
    if (joins_[operand.id]) return true;
    ++pads;
  }
  return pads > 1;
}

bool PartsChoice::goes_by_parts(NodeId id) const {
  const Value result = graph_.result(id);
  if (graph_.node(id).op == Op::concat || graph_.node(id).op == Op::pad) return false;
  const auto takes = [&](std::size_t i) { return takes_parts(id, i); };
  if (!has_split(result)) return graph_.node(id).operand_count == 1 && takes(0);
  if (!whole_[result.id]) return true;
  if (kind(id) != OpClass::elementwise || !is_worth_it(id)) return false;
  // Putting its own parts together is worth it where nobody has to put an operand's together, and
  // where it is no epilogue of what makes another operand.
  for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
    const Value operand = graph_.operand(id, i);
    if (takes(i) ? !all_take_parts_[operand.id]
                 : kind(graph_.producer(operand)) == OpClass::opaque) {
      return false;
    }
  }
  return true;
}

// What could go by parts, but of operands whose parts would have to be cut off them.
void PartsChoice::leave_out_what_has_no_parts() {
  std::vector<bool> has_parts(graph_.value_count(), false);
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (graph_.node(id).result_count != 1) continue;
    const Value result = graph_.result(id);
    if (by_parts_[id]) {
      bool any = false;
      for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
        any = any || (has_parts[graph_.operand(id, i).id] && takes_parts(id, i));
      }
      by_parts_[id] = any;
    }
    has_parts[result.id] = is_put_together(result) || (has_split(result) && by_parts_[id]);
  }
}

std::optional<std::int64_t> PartsChoice::place_in_pad(NodeId id, std::size_t part) const {
  const Split& split = *splits_[graph_.result(id).id];
  const auto axis = static_cast<std::size_t>(split.axis);
  const std::int64_t place =
      static_cast<std::int64_t>(part) - graph_.attributes(id).integers("low")[axis];
  const std::int64_t size = shape(graph_.operand(id, 0))[split.axis];
  return place >= 0 && place < size ? std::optional(place) : std::nullopt;
}

std::optional<Split> PartsChoice::split_of_operand(NodeId id, Value operand) const {
  Split out = *splits_[graph_.result(id).id];
  out.axis -= shape(graph_.result(id)).rank() - shape(operand).rank();
  const bool repeats = out.axis < 0 || shape(operand)[out.axis] != out.ends.back();
  return repeats ? std::nullopt : std::optional(out);
}

void PartsChoice::find_takers() {
  all_take_parts_.assign(graph_.value_count(), true);
  whole_.assign(graph_.value_count(), false);
  for (const Value result : graph_.results()) {
    all_take_parts_[result.id] = false;
    whole_[result.id] = true;
  }
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      if (!takes_parts(id, i)) all_take_parts_[graph_.operand(id, i).id] = false;
    }
  }
}

}  // namespace tutti::ir
