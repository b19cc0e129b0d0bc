#include "tools/launch/summary.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace {

std::string describe(const RankFate& fate) {
  std::string text = fate.end->text();
  if (fate.sent == 0) return text;
  if (fate.end->by_signal && fate.end->number == fate.sent) return text + " by the launcher";
  return text + " after " + signal_name(fate.sent);
}

// A signal may also be survived, and something else end the rank later. As shells do, programs that
// end for it in order say so by their exit code.
bool ended_for(int signal, const RankFate& fate) {
  const ChildEnd& end = *fate.end;
  if (end.by_signal) return end.number == signal || end.number == fate.sent;
  return end.exit_code() == 128 + signal;
}

// "rank 3", "ranks 0-4, 6"
std::string list_ranks(const std::vector<std::size_t>& ranks) {
  std::string out = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (begin > 0) out += ", ";
    out += std::to_string(ranks[begin]);
    if (end - begin > 1) out += (end - begin > 2 ? "-" : ", ") + std::to_string(ranks[end - 1]);
    begin = end;
  }
  return out;
}

}  // namespace

std::string summary(const FirstFailure& first, std::span<const RankFate> fates,
                    const RecentLines& recent) {
  const ChildEnd& end = *fates[first.rank].end;
  std::string out = "tutti launch: rank " + std::to_string(first.rank) + " ";
  out += (end.by_signal ? "was " : "") + describe(fates[first.rank]);
  if (first.passed_on != 0) {
    out += std::string(", after ") + signal_name(first.passed_on) + " was passed on";
    // Whoever sent it knows why the ranks ended.
    if (ended_for(first.passed_on, fates[first.rank])) return out + "\n";
  }
  if (!recent.lines().empty()) {
    out += "; its last lines:\n";
    for (const std::string& line : recent.lines()) out += "  | " + line + "\n";
  } else {
    out += "; it printed nothing\n";
  }
  std::vector<std::pair<std::string, std::vector<std::size_t>>> others;
  for (std::size_t rank = 0; rank < fates.size(); ++rank) {
    if (rank == first.rank) continue;
    const std::string fate = describe(fates[rank]);
    const auto same = [&](const auto& other) { return other.first == fate; };
    auto found = std::find_if(others.begin(), others.end(), same);
    if (found == others.end()) found = others.insert(found, {fate, {}});
    found->second.push_back(rank);
  }
  for (const auto& [fate, ranks] : others) {
    out += "tutti launch: " + list_ranks(ranks) + ": " + fate + "\n";
  }
  return out;
}

}  // namespace tutti::tools
