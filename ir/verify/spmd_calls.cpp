#include <tutti/ir/collective.h>
#include <tutti/ir/function.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/spmd_calls.h>
#include <tutti/ir/verify/spmd_text.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tutti::ir {

namespace {

constexpr std::size_t kNoMeeting = ~std::size_t{0};
constexpr std::size_t kMostRuns = 1'000'000;  // of functions, by a rank

// Goes through the programs of the ranks, one after another.
class Collector {
 public:
  explicit Collector(std::span<const RankProgram> programs) : programs_(programs) {
    out_.steps.resize(programs.size());
  }

  SpmdCalls run() {
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
      rank_ = static_cast<std::int64_t>(rank);
      places_.clear();
      runs_ = 0;
      for (const Graph* const graph : programs_[rank]) function(*graph);
    }
    return std::move(out_);
  }

 private:
  struct Group {
    std::string tag;
    std::vector<std::int64_t> members;
    std::size_t meeting = kNoMeeting;  // of its collectives
  };
  // Where the rank finds itself in what an attribute says; `group` is kNoMeeting where it does not.
  struct Place {
    std::size_t group = kNoMeeting;
    std::size_t position = 0;
  };
  // Where the call that a received value comes from is kept.
  struct Received {
    std::size_t meeting = kNoMeeting;
    std::size_t number = 0;
  };

  void function(const Graph& graph) {
    received_.assign(graph.value_count(), {});
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      const OpClass kind = definition(graph.node(id).op).kind;
      if (kind == OpClass::collective) {
        use_operands(graph, id);
        collective(graph, id);
      } else if (kind == OpClass::wait || kind == OpClass::view) {
        // What is under way passes through these: nothing waits yet.
        for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
          received_[graph.result(id, i).id] = received_[graph.operand(id, i).id];
        }
      } else {
        use_operands(graph, id);
        if (kind == OpClass::control && communicates(graph, id)) control(graph, id);
      }
    }
  }

  // A loop's steps one after another, where their number is known; else one step, for all of them.
  // A longer loop counts as one of as many steps as this does, which are fewer in a loop in a loop.
  void control(const Graph& graph, NodeId id) {
    constexpr std::int64_t kComparedSteps[] = {1000, 30, 5};
    std::vector<Received> outside = std::move(received_);
    std::int64_t times = 1;
    if (graph.node(id).op == Op::scan) times = graph.attributes(id).integer("length");
    times = std::min(times, depth_ < std::size(kComparedSteps) ? kComparedSteps[depth_] : 1);
    ++depth_;
    for (std::int64_t step = 0; step < times; ++step) {
      for (const Attribute& attribute : graph.node(id).attributes) {
        for (const FunctionPtr& each : functions_of(attribute)) {
          if (++runs_ > kMostRuns) {
            throw UsageError("loops and branches run their functions more than " +
                                 std::to_string(kMostRuns) + " times, too often to compare",
                             graph.node(id).location);
          }
          function(each->graph());
        }
      }
    }
    --depth_;
    received_ = std::move(outside);
  }

  // Once, however many steps of a loop make it.
  void misplace(std::string what) {
    if (std::ranges::find(out_.misplaced, what) != out_.misplaced.end()) return;
    out_.misplaced.push_back(std::move(what));
  }

  // The rank waits for what it uses, once.
  void use_operands(const Graph& graph, NodeId id) {
    for (const Value operand : graph.operands(id)) {
      const auto [meeting, number] = std::exchange(received_[operand.id], {});
      if (meeting == kNoMeeting) continue;
      RankCall& call = out_.meetings[meeting].calls[1][number];
      if (call.step == RankCall::kNoStep) call.step = add_step(meeting, number, true);
    }
  }

  void collective(const Graph& graph, NodeId id) {
    const Place place = place_of(graph, id);
    if (place.group == kNoMeeting || !fits_rank(graph, id)) return;
    if (is_point_to_point(graph.node(id).op)) return exchange(graph, id, place);
    if (groups_[place.group].members.size() == 1) return;
    std::size_t& meeting = groups_[place.group].meeting;
    if (meeting == kNoMeeting) {
      meeting = add_meeting(groups_[place.group], false, groups_[place.group].members);
    }
    auto& calls = out_.meetings[meeting].calls[place.position];
    calls.push_back({&graph, id, add_step(meeting, calls.size(), true)});
  }

  void exchange(const Graph& graph, NodeId id, const Place& place) {
    const Node& node = graph.node(id);
    for (const Message& message : messages(node.op, graph.attributes(id), rank_)) {
      const std::vector<std::int64_t>& pair = message.pair->ranks;
      const auto [known, is_new] = pairs_.try_emplace({place.group, pair[0], pair[1]}, kNoMeeting);
      if (is_new) known->second = add_meeting(groups_[place.group], true, pair);
      const std::size_t meeting = known->second;
      auto& calls = out_.meetings[meeting].calls[message.sent ? 0 : 1];
      if (message.sent) {
        const std::size_t step = add_step(meeting, calls.size(), false);
        calls.push_back({&graph, id, step, graph.operand(id, message.index)});
      } else {
        const Value result = graph.result(id, message.index);
        received_[result.id] = {meeting, calls.size()};
        calls.push_back({&graph, id, RankCall::kNoStep, result});
      }
    }
  }

  // Groups are many nodes' and few: each is looked up once a rank.
  Place place_of(const Graph& graph, NodeId id) {
    const GroupPtr& group = graph.attributes(id).group("group");
    const auto [known, is_new] = places_.try_emplace(group.get());
    if (!is_new) return known->second;
    std::vector<std::int64_t> members = group->members_with(rank_);
    if (members.empty()) {
      misplace(call_text({.graph = &graph, .node = id}, rank_) + ", but is in no group of \"" +
               group->tag + "\"");
      return {};
    }
    const auto [number, unknown] =
        numbers_.try_emplace({group->tag, std::move(members)}, groups_.size());
    if (unknown) groups_.push_back({.tag = number->first.first, .members = number->first.second});
    const auto position = static_cast<std::size_t>(group->position_of(rank_));
    return known->second = {.group = number->second, .position = position};
  }

  bool fits_rank(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    std::vector<Type> types;
    for (const Value operand : graph.operands(id)) types.push_back(graph.type(operand));
    try {
      check_on_rank(node.op, types, graph.attributes(id), rank_, {});
      return true;
    } catch (const TypeError& error) {
      misplace(call_text({.graph = &graph, .node = id}, rank_) + ": " + error.what());
      return false;
    }
  }

  std::size_t add_meeting(const Group& group, bool messages,
                          const std::vector<std::int64_t>& ranks) {
    out_.meetings.push_back({.tag = group.tag,
                             .group = group.members,
                             .messages = messages,
                             .ranks = ranks,
                             .calls = std::vector<std::vector<RankCall>>(ranks.size())});
    return out_.meetings.size() - 1;
  }

  std::size_t add_step(std::size_t meeting, std::size_t number, bool waits) {
    auto& steps = out_.steps[static_cast<std::size_t>(rank_)];
    steps.push_back({meeting, number, waits});
    return steps.size() - 1;
  }

  const std::span<const RankProgram> programs_;
  SpmdCalls out_;
  std::vector<Group> groups_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> numbers_;  // of groups_
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t> pairs_;  // meetings
  std::int64_t rank_ = 0;                               // whose program this is
  std::unordered_map<const ir::Group*, Place> places_;  // of this rank
  std::vector<Received> received_;                      // [value] of this function
  std::size_t depth_ = 0;                               // loops around it
  std::size_t runs_ = 0;                                // of functions so far
};

}  // namespace

SpmdCalls collect_calls(std::span<const RankProgram> programs) { return Collector(programs).run(); }

}  // namespace tutti::ir
