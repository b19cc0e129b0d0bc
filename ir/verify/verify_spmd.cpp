#include <tutti/ir/agreement.h>
#include <tutti/ir/verify/spmd_order.h>
#include <tutti/ir/verify/spmd_text.h>
#include <tutti/ir/verify/verify_spmd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tutti::ir {

namespace {

std::string rank_text(std::int64_t rank) { return "rank " + std::to_string(rank); }

// The first group with a tag whose collectives a rank calls.
using TagsOfRanks = std::map<std::pair<std::int64_t, std::string_view>, const Meeting*>;

TagsOfRanks tags_of_ranks(const SpmdCalls& calls) {
  TagsOfRanks out;
  for (const Meeting& meeting : calls.meetings) {
    for (std::size_t i = 0; i < meeting.ranks.size(); ++i) {
      if (meeting.messages || meeting.calls[i].empty()) continue;
      out.try_emplace({meeting.ranks[i], meeting.tag}, &meeting);
    }
  }
  return out;
}

// What is wrong in one meeting, as the first call that does not fit.
class MeetingCheck {
 public:
  MeetingCheck(const SpmdCalls& all, const TagsOfRanks& tags, const Meeting& meeting)
      : all_(all), tags_(tags), meeting_(meeting) {}

  // Nothing if all members fit.
  std::optional<std::string> find() const {
    if (const auto absent = find_absent()) return absent;
    // The first call in which any member differs from the first one, and that member.
    std::size_t number = calls(0).size();
    std::size_t member = 0;
    for (std::size_t other = 1; other < meeting_.ranks.size(); ++other) {
      const std::size_t differs = first_difference(other, number);
      if (differs < number || (calls(other).size() > number && member == 0)) {
        number = differs;
        member = other;
      }
    }
    if (const auto uneven = find_uneven_exchange(number)) return uneven;
    if (member == 0) return std::nullopt;
    return meeting_text(meeting_) + ", " + number_text(meeting_, number) + ": " +
           side(0, member, number) + ", " + side(member, 0, number);
  }

 private:
  const std::vector<RankCall>& calls(std::size_t position) const {
    return meeting_.calls[position];
  }

  // A member whose program is not there, with the first call that names it.
  std::optional<std::string> find_absent() const {
    const auto programs = static_cast<std::int64_t>(all_.steps.size());
    const auto absent =
        std::ranges::find_if(meeting_.ranks, [&](std::int64_t rank) { return rank >= programs; });
    if (absent == meeting_.ranks.end()) return std::nullopt;
    const auto caller =
        std::ranges::find_if(meeting_.calls, [](const auto& c) { return !c.empty(); });
    const auto position = static_cast<std::size_t>(caller - meeting_.calls.begin());
    return meeting_text(meeting_) + ": " + call_text(caller->front(), meeting_.ranks[position]) +
           ", but there is no program of " + rank_text(*absent) + ", only of " +
           std::to_string(programs) + (programs == 1 ? " rank" : " ranks");
  }

  // The first of the first `most` calls of the first member that is another one's no call.
  std::size_t first_difference(std::size_t other, std::size_t most) const {
    const std::size_t both = std::min(most, calls(other).size());
    for (std::size_t i = 0; i < both; ++i) {
      if (!same(calls(0)[i], calls(other)[i])) return i;
    }
    return both;
  }

  bool same(const RankCall& a, const RankCall& b) const {
    if (!meeting_.messages) return same_collective(*a.graph, a.node, *b.graph, b.node);
    const Type& sent = a.graph->type(a.tensor);
    const Type& received = b.graph->type(b.tensor);
    const auto gradients = [](const RankCall& call) {
      return call.graph->attributes(call.node).integer("gradients");
    };
    return sent.dtype == received.dtype && sent.shape == received.shape &&
           gradients(a) == gradients(b);
  }

  // Among the first `most` calls, which are those of the same collectives.
  std::optional<std::string> find_uneven_exchange(std::size_t most) const {
    if (meeting_.messages) return std::nullopt;
    for (std::size_t number = 0; number < most; ++number) {
      if (calls(0)[number].graph->node(calls(0)[number].node).op != Op::all_to_all) continue;
      std::vector<Attributes> members;
      for (const auto& own : meeting_.calls) {
        members.push_back(own[number].graph->attributes(own[number].node));
      }
      const auto uneven = uneven_exchange(members);
      if (!uneven) continue;
      const auto [from, to, sent, received] = *uneven;
      return meeting_text(meeting_) + ", " + number_text(meeting_, number) + ": " +
             call_text(calls(from)[number], meeting_.ranks[from]) + " and sends " +
             std::to_string(sent) + " to " + rank_text(meeting_.ranks[to]) + ", " +
             call_text(calls(to)[number], meeting_.ranks[to]) + " and receives " +
             std::to_string(received) + " from " + rank_text(meeting_.ranks[from]);
    }
    return std::nullopt;
  }

  // What one of two members that differ does.
  std::string side(std::size_t position, std::size_t other, std::size_t number) const {
    const std::int64_t rank = meeting_.ranks[position];
    if (number >= calls(position).size()) {
      const std::string what = meeting_.messages ? (position == 0 ? "sends" : "receives") : "calls";
      return rank_text(rank) + " " + what +
             (number == 0 ? " nothing there" + elsewhere(rank) : " nothing more");
    }
    const RankCall& call = calls(position)[number];
    std::vector<std::size_t> shown;
    if (!meeting_.messages && number < calls(other).size()) {
      const RankCall& peer = calls(other)[number];
      if (call.graph->node(call.node).op == peer.graph->node(peer.node).op) {
        shown = differing_attributes(*call.graph, call.node, *peer.graph, peer.node);
      }
    }
    return call_text(call, rank, shown);
  }

  // What the rank calls in another group of the same tag.
  std::string elsewhere(std::int64_t rank) const {
    const auto found = tags_.find({rank, meeting_.tag});
    if (meeting_.messages || found == tags_.end()) return "";
    const Meeting& other = *found->second;
    const auto position =
        static_cast<std::size_t>(std::ranges::find(other.ranks, rank) - other.ranks.begin());
    return ", but in " + meeting_text(other) + " " + call_text(other.calls[position][0], rank);
  }

  const SpmdCalls& all_;
  const TagsOfRanks& tags_;
  const Meeting& meeting_;
};

std::string circle_text(const SpmdCalls& calls, const std::vector<Precedence>& circle) {
  const auto place_text = [&](const Precedence::Place& place, std::int64_t rank) {
    const Meeting& meeting = calls.meetings[place.meeting];
    const auto position = std::ranges::find(meeting.ranks, rank) - meeting.ranks.begin();
    return call_text(meeting.calls[static_cast<std::size_t>(position)][place.number], rank) + " (" +
           meeting_text(meeting) + ", " + number_text(meeting, place.number) + ")";
  };
  std::string out = "the ranks wait for each other in a circle:";
  for (const auto& [rank, first, then] : circle) {
    out += "\n  " + place_text(first, rank) + "\n    before " + place_text(then, rank);
  }
  return out;
}

}  // namespace

SpmdReport verify_spmd(std::span<const RankProgram> programs) {
  const SpmdCalls calls = collect_calls(programs);
  const TagsOfRanks tags = tags_of_ranks(calls);
  SpmdReport report;
  for (const Meeting& meeting : calls.meetings) {
    if (const auto finding = MeetingCheck(calls, tags, meeting).find()) {
      report.findings.push_back(*finding);
    }
    if (meeting.messages) {
      report.messages += meeting.calls[0].size();
    } else {
      report.groups += 1;
      report.collectives += meeting.calls[0].size();
    }
  }
  report.findings.insert(report.findings.begin(), calls.misplaced.begin(), calls.misplaced.end());
  if (!report.findings.empty()) return report;
  const std::vector<Precedence> circle = find_circle(calls);
  if (!circle.empty()) report.findings.push_back(circle_text(calls, circle));
  return report;
}

}  // namespace tutti::ir
