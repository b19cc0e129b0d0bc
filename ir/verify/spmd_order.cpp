#include <tutti/ir/verify/spmd_order.h>

#include <algorithm>

namespace tutti::ir {

namespace {

constexpr std::size_t kNoStep = ~std::size_t{0};

// The events are what ranks meet in: each collective, each message. Rank by rank, an arrow leads
// from each event that the rank waits for to those behind it, up to the next such one.
class Events {
 public:
  explicit Events(const SpmdCalls& calls) : calls_(calls) {
    for (std::size_t meeting = 0; meeting < calls.meetings.size(); ++meeting) {
      first_.push_back(places_.size());
      const std::size_t count = calls.meetings[meeting].calls[0].size();
      for (std::size_t number = 0; number < count; ++number) places_.push_back({meeting, number});
    }
    add_arrows();
  }

  std::vector<Precedence> find_circle();

 private:
  struct Arrow {
    std::size_t to;
    std::int64_t rank;
  };
  // An event on the way to the one that is looked at, and the arrow that leads on.
  struct Stop {
    std::size_t event;
    std::size_t arrow;
  };

  template <class F>
  void for_each_arrow(F&& f) const {
    for (std::size_t rank = 0; rank < calls_.steps.size(); ++rank) {
      std::size_t last = kNoStep;
      for (const auto& [meeting, number, waits] : calls_.steps[rank]) {
        const std::size_t event = first_[meeting] + number;
        if (last != kNoStep) f(last, Arrow{event, static_cast<std::int64_t>(rank)});
        if (waits) last = event;
      }
    }
  }

  // Counted first, so that the arrows of each event lie together.
  void add_arrows() {
    begin_.assign(places_.size() + 1, 0);
    for_each_arrow([&](std::size_t from, Arrow) { ++begin_[from + 1]; });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    arrows_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_arrow([&](std::size_t from, Arrow arrow) { arrows_[next[from]++] = arrow; });
  }

  // The rank's step for the event; kNoStep if the rank is no part of it or never waits for it.
  std::size_t step(std::int64_t rank, std::size_t event) const {
    const Meeting& meeting = calls_.meetings[places_[event].meeting];
    const auto found = std::ranges::find(meeting.ranks, rank);
    if (found == meeting.ranks.end()) return kNoStep;
    const auto position = static_cast<std::size_t>(found - meeting.ranks.begin());
    return meeting.calls[position][places_[event].number].step;
  }

  std::vector<Precedence> shortened(std::span<const Stop> circle) const;

  const SpmdCalls& calls_;
  std::vector<std::size_t> first_;         // [meeting]: its first event
  std::vector<Precedence::Place> places_;  // [event]
  std::vector<std::size_t> begin_;         // [event]: its first arrow
  std::vector<Arrow> arrows_;
};

// Depth first, without recursion: an arrow to an event on the way closes a circle.
std::vector<Precedence> Events::find_circle() {
  enum class Seen : std::uint8_t { no, on_the_way, done };
  std::vector<Seen> seen(places_.size(), Seen::no);
  std::vector<Stop> way;
  for (std::size_t start = 0; start < places_.size(); ++start) {
    if (seen[start] != Seen::no) continue;
    way.push_back({start, begin_[start]});
    seen[start] = Seen::on_the_way;
    while (!way.empty()) {
      Stop& stop = way.back();
      if (stop.arrow == begin_[stop.event + 1]) {
        seen[stop.event] = Seen::done;
        way.pop_back();
        if (!way.empty()) ++way.back().arrow;
        continue;
      }
      const std::size_t to = arrows_[stop.arrow].to;
      if (seen[to] == Seen::on_the_way) {
        const auto begin = std::ranges::find(way, to, &Stop::event);
        return shortened({begin, way.end()});
      }
      if (seen[to] == Seen::done) {
        ++stop.arrow;
      } else {
        seen[to] = Seen::on_the_way;
        way.push_back({to, begin_[to]});
      }
    }
  }
  return {};
}

// A rank's arrows one after another become one, also where other ranks' arrows lead between the
// same events.
std::vector<Precedence> Events::shortened(std::span<const Stop> circle) const {
  std::vector<Precedence> out;
  for (std::size_t i = 0; i < circle.size();) {
    const std::int64_t rank = arrows_[circle[i].arrow].rank;
    std::size_t to = arrows_[circle[i].arrow].to;
    std::size_t end = i + 1;
    for (; end < circle.size(); ++end) {
      const std::size_t further = arrows_[circle[end].arrow].to;
      const std::size_t own = step(rank, further);
      if (own == kNoStep || own < step(rank, to)) break;
      to = further;
    }
    out.push_back({rank, places_[circle[i].event], places_[to]});
    i = end;
  }
  // The circle may begin between two arrows of one rank.
  if (out.size() > 1 && out.front().rank == out.back().rank) {
    out.front().first = out.back().first;
    out.pop_back();
  }
  return out;
}

}  // namespace

std::vector<Precedence> find_circle(const SpmdCalls& calls) { return Events(calls).find_circle(); }

}  // namespace tutti::ir
