#include <tutti/ir/collective.h>
#include <tutti/ir/print.h>
#include <tutti/ir/rendezvous.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

namespace tutti::ir {

namespace {

std::string called(const MemberCall& call) {
  std::string out = "rank " + std::to_string(call.rank) + " calls " + print(*call.graph, call.node);
  if (!call.operands.empty()) out += " of";
  for (const ArrayPtr& operand : call.operands) {
    out += " " + Type{.dtype = operand->dtype(), .shape = operand->shape()}.text();
  }
  const Location where = call.graph->node(call.node).location;
  return where.known() ? out + " (" + where.text() + ")" : out;
}

Op op_of(const MemberCall& call) { return call.graph->node(call.node).op; }

// Whether two members' tensors are alike: equal but for the axis where parts may be uneven.
bool same_operands(const MemberCall& a, const MemberCall& b) {
  if (a.operands.size() != b.operands.size()) return false;
  const Op op = op_of(a);
  const bool gathers = op == Op::all_gather || op == Op::gather;
  const bool uneven =
      op == Op::all_to_all || (gathers && !a.attributes().integers("sizes").empty());
  const int axis = uneven ? static_cast<int>(a.attributes().integer("axis")) : -1;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    const Array& x = *a.operands[i];
    const Array& y = *b.operands[i];
    if (x.dtype() != y.dtype() || x.shape().rank() != y.shape().rank()) return false;
    for (int d = 0; d < x.shape().rank(); ++d) {
      if (d != axis && x.shape()[d] != y.shape()[d]) return false;
    }
  }
  return true;
}

const std::vector<std::int64_t>& sent(const MemberCall& call) {
  return call.attributes().integers("send_sizes");
}

// Whether two members mean the same, but for what each says of itself alone.
bool same_attributes(const MemberCall& a, const MemberCall& b) {
  // Uneven parts differ from equal ones, whatever the sizes.
  if (op_of(a) == Op::all_to_all && sent(a).empty() != sent(b).empty()) return false;
  const auto& specs = definition(op_of(a)).attributes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string_view name = specs[i].name;
    if (name == "part" || name == "send_sizes" || name == "receive_sizes" || name == "group") {
      continue;
    }
    if (!equal(a.graph->node(a.node).attributes[i], b.graph->node(b.node).attributes[i])) {
      return false;
    }
  }
  return true;
}

bool message_fits(const MemberCall& sender, const MemberCall& receiver) {
  const Array& given = *sender.operands[0];
  const Type& expected = receiver.graph->type(receiver.results[0]);
  return given.dtype() == expected.dtype && given.shape() == expected.shape;
}

void check_agreement(const std::string& tag, std::int64_t number,
                     const std::vector<MemberCall>& calls) {
  const auto fail = [&](const MemberCall& a, const MemberCall& b, const std::string& why) {
    throw TypeError("collective #" + std::to_string(number) + " of group \"" + tag +
                    "\" does not match: " + called(a) + ", " + called(b) + why);
  };
  if (is_point_to_point(op_of(calls[0]))) {
    if (!message_fits(calls[0], calls[1])) fail(calls[0], calls[1], "");
    return;
  }
  for (const MemberCall& call : calls) {
    const MemberCall& first = calls[0];
    if (op_of(call) != op_of(first) || !same_operands(first, call) ||
        !same_attributes(first, call)) {
      fail(first, call, "");
    }
  }
  if (op_of(calls[0]) != Op::all_to_all || sent(calls[0]).empty()) return;
  for (std::size_t from = 0; from < calls.size(); ++from) {
    for (std::size_t to = 0; to < calls.size(); ++to) {
      const std::int64_t given = sent(calls[from])[to];
      const std::int64_t expected = calls[to].attributes().integers("receive_sizes")[from];
      if (given == expected) continue;
      fail(calls[from], calls[to],
           ": the first sends " + std::to_string(given) + " to the second, which receives " +
               std::to_string(expected) + " from it");
    }
  }
}

}  // namespace

std::vector<MemberCall> Rendezvous::arrive(const std::string& tag,
                                           const std::vector<std::int64_t>& members,
                                           std::size_t position, MemberCall call) {
  Meeting& meeting = meetings_[{tag, members}];
  meeting.waiting.resize(members.size());
  meeting.waiting[position].push_back(std::move(call));
  if (std::ranges::any_of(meeting.waiting, [](const auto& calls) { return calls.empty(); })) {
    return {};
  }
  std::vector<MemberCall> out;
  for (auto& calls : meeting.waiting) {
    out.push_back(std::move(calls.front()));
    calls.pop_front();
  }
  check_agreement(tag, ++meeting.held, out);
  return out;
}

void Rendezvous::check_done(const std::function<std::string(std::int64_t)>& whereabouts) const {
  for (const auto& [key, meeting] : meetings_) {
    const auto& [tag, members] = key;
    const auto here =
        std::ranges::find_if(meeting.waiting, [](const auto& c) { return !c.empty(); });
    if (here == meeting.waiting.end()) continue;
    const auto missing =
        std::ranges::find_if(meeting.waiting, [](const auto& c) { return c.empty(); });
    const std::int64_t rank = members[static_cast<std::size_t>(missing - meeting.waiting.begin())];
    throw TypeError("collective #" + std::to_string(meeting.held + 1) + " of group \"" + tag +
                    "\" is never complete: " + called(here->front()) + ", but rank " +
                    std::to_string(rank) + " " + whereabouts(rank));
  }
}

}  // namespace tutti::ir
