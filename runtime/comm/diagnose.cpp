// What the flight recorders of several ranks say together.

#include <tutti/runtime/comm/flight_record.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace tutti::runtime {

namespace {

using kernels::FlightEntry;

std::string name(const RecordedCollective& collective) {
  return "#" + std::to_string(collective.sequence) + " of group \"" + collective.group + "\"";
}

// Between two times, which may be any numbers.
std::string milliseconds(std::int64_t begin, std::int64_t end) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms",
                (static_cast<double>(end) - static_cast<double>(begin)) * 1e-6);
  return text;
}

class Diagnosis {
 public:
  Diagnosis(std::span<const RecordedCollective> collectives, std::int64_t now) : latest_(now) {
    for (const RecordedCollective& collective : collectives) {
      by_rank_[collective.rank].push_back(&collective);
      by_group_[collective.group_id][collective.rank].push_back(&collective);
      latest_ = std::max({latest_, collective.started, collective.ended});
    }
  }

  std::string text(std::size_t most) {
    for (const auto& [group, ranks] : by_group_) {
      if (!first_difference(ranks)) waits(ranks);
    }
    for (const auto& [rank, collectives] : by_rank_) last_of(rank, collectives, most);
    if (by_rank_.empty()) out_ += "no collective was recorded\n";
    return out_;
  }

 private:
  using Collectives = std::vector<const RecordedCollective*>;
  using Ranks = std::map<std::int64_t, Collectives>;

  bool first_difference(const Ranks& ranks) {
    std::map<std::uint64_t, Collectives> by_sequence;
    for (const auto& [rank, collectives] : ranks) {
      for (const auto* collective : collectives) {
        by_sequence[collective->sequence].push_back(collective);
      }
    }
    for (const auto& [sequence, calls] : by_sequence) {
      const auto differs = [&](const RecordedCollective* other) {
        return other->fingerprint != calls[0]->fingerprint;
      };
      const auto found = std::find_if(calls.begin(), calls.end(), differs);
      if (found == calls.end()) continue;
      out_ += "ranks differ in " + name(*calls[0]) + ": rank " + std::to_string(calls[0]->rank) +
              " called " + calls[0]->call + ", rank " + std::to_string((*found)->rank) +
              " called " + (*found)->call + "\n";
      return true;
    }
    return false;
  }

  // Who is in a collective that others of its group have not started.
  void waits(const Ranks& ranks) {
    std::uint64_t furthest = 0;
    for (const auto& [rank, collectives] : ranks) {
      furthest = std::max(furthest, collectives.back()->sequence);
    }
    std::vector<std::int64_t> waiting;
    std::string late;
    const RecordedCollective* waited_in = nullptr;
    for (const auto& [rank, collectives] : ranks) {
      const RecordedCollective& last = *collectives.back();
      if (last.sequence < furthest) {
        late += (late.empty() ? "" : ", ") + ("rank " + std::to_string(rank)) +
                " (last there: " + name(last) + ", " + last.call + ")";
      } else if (last.state != FlightEntry::kCompleted) {
        waiting.push_back(rank);
        waited_in = &last;
      }
    }
    if (waited_in == nullptr || late.empty()) return;
    out_ += waiting.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      out_ += (i == 0 ? "" : ", ") + std::to_string(waiting[i]);
    }
    out_ += " waited in " + name(*waited_in) + ", " + waited_in->call + ", for " + late + "\n";
  }

  void last_of(std::int64_t rank, const Collectives& collectives, std::size_t most) {
    const std::size_t shown = std::min(most, collectives.size());
    out_ += "rank " + std::to_string(rank) + ", the last " + std::to_string(shown) + " of " +
            std::to_string(collectives.back()->number) + " collectives:\n";
    for (const auto* const collective : std::span(collectives).last(shown)) {
      out_ += "  " + name(*collective) + "  " + collective->call + "  ";
      if (collective->state == FlightEntry::kStarted) {
        out_ += "under way for " + milliseconds(collective->started, latest_);
      } else if (collective->ended == FlightEntry::kAtOnce) {
        out_ += "completed at once";
      } else {
        out_ += collective->state == FlightEntry::kFailed ? "failed after " : "completed in ";
        out_ += milliseconds(collective->started, collective->ended);
      }
      out_ += "\n";
    }
  }

  std::map<std::int64_t, Collectives> by_rank_;
  std::map<std::uint64_t, Ranks> by_group_;
  std::int64_t latest_;
  std::string out_;
};

}  // namespace

std::string diagnose(std::span<const RecordedCollective> collectives, std::size_t most,
                     std::int64_t now) {
  return Diagnosis(collectives, now).text(most);
}

}  // namespace tutti::runtime
