#include <tutti/ir/agreement.h>

namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

// Uneven parts differ from equal ones, whatever the sizes.
bool is_uneven(const Attributes& attributes, std::string_view sizes) {
  return !attributes.integers(sizes).empty();
}

// The axis along which the members' operands may have sizes of their own; -1: none.
int uneven_axis(Op op, const Attributes& attributes) {
  const bool gathers = op == Op::all_gather || op == Op::gather;
  const bool uneven = (gathers && is_uneven(attributes, "sizes")) ||
                      (op == Op::all_to_all && is_uneven(attributes, "send_sizes"));
  return uneven ? static_cast<int>(attributes.integer("axis")) : -1;
}

bool same_type(const Type& a, const Type& b, int except_axis) {
  if (a.dtype != b.dtype || a.shape.rank() != b.shape.rank()) return false;
  for (int d = 0; d < a.shape.rank(); ++d) {
    if (d != except_axis && a.shape[d] != b.shape[d]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> differing_attributes(const Graph& a, NodeId at_a, const Graph& b,
                                              NodeId at_b) {
  std::vector<std::size_t> out;
  const auto& specs = definition(a.node(at_a).op).attributes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string_view name = specs[i].name;
    if (name == "group" || name == "part") continue;
    const Attribute& of_a = a.node(at_a).attributes[i];
    const Attribute& of_b = b.node(at_b).attributes[i];
    const bool own = name == "send_sizes" || name == "receive_sizes";
    const bool same =
        own ? std::get<List>(of_a).empty() == std::get<List>(of_b).empty() : equal(of_a, of_b);
    if (!same) out.push_back(i);
  }
  return out;
}

bool same_collective(const Graph& a, NodeId at_a, const Graph& b, NodeId at_b) {
  const Op op = a.node(at_a).op;
  const std::span<const Value> operands_a = a.operands(at_a);
  const std::span<const Value> operands_b = b.operands(at_b);
  if (b.node(at_b).op != op || operands_a.size() != operands_b.size()) return false;
  const int axis = uneven_axis(op, a.attributes(at_a));
  for (std::size_t i = 0; i < operands_a.size(); ++i) {
    if (!same_type(a.type(operands_a[i]), b.type(operands_b[i]), axis)) return false;
  }
  return differing_attributes(a, at_a, b, at_b).empty();
}

std::optional<UnevenExchange> uneven_exchange(std::span<const Attributes> members) {
  if (!is_uneven(members[0], "send_sizes")) return std::nullopt;
  std::vector<const List*> received;
  for (const Attributes& member : members) received.push_back(&member.integers("receive_sizes"));
  for (std::size_t from = 0; from < members.size(); ++from) {
    const List& sent = members[from].integers("send_sizes");
    for (std::size_t to = 0; to < members.size(); ++to) {
      const std::int64_t expected = (*received[to])[from];
      if (sent[to] != expected) return UnevenExchange{from, to, sent[to], expected};
    }
  }
  return std::nullopt;
}

}  // namespace tutti::ir
