#include <tutti/ir/collective.h>

#include <algorithm>

namespace tutti::ir {

namespace {

// The positions that a rank sends to and receives from.
struct Peers {
  std::vector<std::int64_t> to;
  std::vector<std::int64_t> from;
};

Peers peers(Op op, const Attributes& attributes) {
  if (op == Op::send) return {{attributes.integer("to")}, {}};
  if (op == Op::recv) return {{}, {attributes.integer("from")}};
  return {attributes.integers("to"), attributes.integers("from")};
}

void check_own_size(std::string_view name, std::int64_t own, const std::vector<std::int64_t>& sizes,
                    std::int64_t position, const std::string& what, Location where) {
  const std::int64_t said = sizes[static_cast<std::size_t>(position)];
  if (own == said) return;
  throw TypeError(std::string(name) + ": " + what + " is " + std::to_string(own) + ", but sizes[" +
                      std::to_string(position) + "], which is this rank's, is " +
                      std::to_string(said),
                  where);
}

}  // namespace

ScalarOp combination_of(std::string_view reduction) {
  if (reduction == "product") return ScalarOp::mul;
  if (reduction == "min") return ScalarOp::minimum;
  if (reduction == "max") return ScalarOp::maximum;
  if (reduction == "and") return ScalarOp::bit_and;
  if (reduction == "or") return ScalarOp::bit_or;
  if (reduction == "xor") return ScalarOp::bit_xor;
  return ScalarOp::add;
}

bool is_point_to_point(Op op) {
  return op == Op::send || op == Op::recv || op == Op::batch_send_recv;
}

std::vector<Message> messages(Op op, const Attributes& attributes, std::int64_t rank) {
  const Group& group = *attributes.group("group");
  const std::vector<std::int64_t> members = group.members_with(rank);
  // A tag that no user's group has, and groups of one tag don't share.
  std::string tag = group.tag + " [";
  for (std::size_t i = 0; i < members.size(); ++i) {
    tag += (i == 0 ? "" : ",") + std::to_string(members[i]);
  }
  tag += "] messages";
  const auto pair = [&](std::int64_t sender, std::int64_t receiver) {
    return std::make_shared<const Group>(Group{.tag = tag,
                                               .ranks = {sender, receiver},
                                               .stride = 2,
                                               .timeout = group.timeout,
                                               .backends = group.backends,
                                               .name = {},
                                               .programs_differ = false,
                                               .algorithm = group.algorithm});
  };
  const auto [to, from] = peers(op, attributes);
  std::vector<Message> out;
  for (std::size_t i = 0; i < std::max(to.size(), from.size()); ++i) {
    if (i < to.size()) {
      out.push_back({pair(rank, members[static_cast<std::size_t>(to[i])]), true, i});
    }
    if (i < from.size()) {
      out.push_back({pair(members[static_cast<std::size_t>(from[i])], rank), false, i});
    }
  }
  return out;
}

void check_on_rank(Op op, std::span<const Type> operands, const Attributes& attributes,
                   std::int64_t rank, Location where) {
  const std::string_view name = name_of(op);
  const std::int64_t position = attributes.group("group")->position_of(rank);
  if (position < 0) return;
  if (is_point_to_point(op)) {
    const auto [to, from] = peers(op, attributes);
    if (std::ranges::find(to, position) == to.end() &&
        std::ranges::find(from, position) == from.end()) {
      return;
    }
    throw TypeError(std::string(name) + ": position " + std::to_string(position) + " of group \"" +
                        attributes.group("group")->tag +
                        "\" is this rank itself; for a tensor that may stay where it is use "
                        "collective_permute",
                    where);
  }
  if (op == Op::all_gather || op == Op::gather) {
    const std::vector<std::int64_t>& sizes = attributes.integers("sizes");
    const std::int64_t axis = attributes.integer("axis");
    for (const Type& operand : operands) {
      if (sizes.empty()) break;
      check_own_size(name, operand.shape[static_cast<int>(axis)], sizes, position,
                     "axis " + std::to_string(axis) + " of " + operand.text(), where);
    }
  }
  if (op == Op::reduce_scatter || op == Op::scatter) {
    const std::vector<std::int64_t>& sizes = attributes.integers("sizes");
    if (sizes.empty()) return;
    check_own_size(name, attributes.integer("part"), sizes, position, "part", where);
  }
  if (op == Op::all_to_all) {
    const std::vector<std::int64_t>& sent = attributes.integers("send_sizes");
    const std::vector<std::int64_t>& received = attributes.integers("receive_sizes");
    if (sent.empty()) return;
    const auto own = static_cast<std::size_t>(position);
    if (sent[own] == received[own]) return;
    throw TypeError(std::string(name) + ": this rank, position " + std::to_string(position) +
                        ", sends " + std::to_string(sent[own]) + " to itself, but receives " +
                        std::to_string(received[own]) + " from itself",
                    where);
  }
}

}  // namespace tutti::ir
