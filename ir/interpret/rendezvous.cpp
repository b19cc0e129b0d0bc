#include <tutti/ir/agreement.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/interpret/rendezvous.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>

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

bool message_fits(const MemberCall& sender, const MemberCall& receiver) {
  const Array& given = *sender.operands[0];
  const Type& expected = receiver.graph->type(receiver.results[0]);
  return given.dtype() == expected.dtype && given.shape() == expected.shape &&
         sender.attributes().integer("gradients") == receiver.attributes().integer("gradients");
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
  const MemberCall& first = calls[0];
  for (const MemberCall& call : calls) {
    if (!same_collective(*first.graph, first.node, *call.graph, call.node)) fail(first, call, "");
  }
  if (op_of(first) != Op::all_to_all) return;
  std::vector<Attributes> members;
  for (const MemberCall& call : calls) members.push_back(call.attributes());
  if (const auto uneven = uneven_exchange(members)) {
    fail(calls[uneven->from], calls[uneven->to],
         ": the first sends " + std::to_string(uneven->sent) + " to the second, which receives " +
             std::to_string(uneven->received) + " from it");
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
