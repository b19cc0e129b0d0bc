#pragma once

#include <tutti/codegen/driver/plan_writer.h>
#include <tutti/codegen/driver/value_buffers.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/stand_in_call.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/algorithms.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace tutti::codegen {

// The collectives of a plan under construction: adds the steps that start them, those that wait for
// them, and what brings operands to where peers can reach them and results to where they belong.
class PlannedCollectives {
 public:
  // All outlive this. `peers`: the results that kernels read from the members instead.
  PlannedCollectives(const ir::Graph& graph, const Views& views, const PeerReadings& peers,
                     const runtime::Algorithms& algorithms, Plan& plan, PlanWriter& writer,
                     ValueBuffers& values)
      : graph_(graph),
        views_(views),
        peers_(peers),
        algorithms_(algorithms),
        plan_(plan),
        writer_(writer),
        values_(values) {}

  // Starts a collective node, which the traced program knows by these calls.
  void start(ir::NodeId id, std::span<const ir::CallId> calls);
  // Waits for what makes an async value, unless a kernel reads it from peers.
  void wait_for(ir::Value async);
  // Whether it is there without that: what was written out behind a wait belongs to no collective
  // any more. And else the work that makes it.
  bool is_there(ir::Value async) const { return !works_.contains(views_[async].base); }
  int work_of(ir::Value async) const { return works_.at(views_[async].base); }
  // Nothing that comes is under way when a function ends: the next step of a loop starts it anew.
  void wait_for_all();

  // A kernel reads what the members gave between the two: this of each member.
  void begin_reading(ir::Value result);
  void end_reading(ir::Value result);
  BufferId peer(ir::Value result, int member) const {
    return starts_.at(result).results[at(member)];
  }
  // The same for those that no kernel has read.
  void read_others();

  // A buffer is written anew, so that copies of it are of what was there before.
  void forget_copies(BufferId buffer);

 private:
  // What a copy that peers can reach is of: how much of a buffer, and for whom.
  struct Reachable {
    BufferId buffer;
    std::int64_t bytes;
    bool on_device;
    auto operator<=>(const Reachable&) const = default;
  };

  void wait(int work) { plan_.steps.emplace_back(waits_[at(work)]); }
  BufferId reachable(ir::Value value, Location location, bool on_device);
  BufferId turned(ir::NodeId id, ir::Value operand);
  BufferId completed(ir::NodeId id, const CollectiveStart& start, const StandIn& stand_in,
                     std::size_t part, BufferId target);
  int axis_of(ir::NodeId id) const;
  void make_comm(BufferId id);

  const ir::Graph& graph_;
  const Views& views_;
  const PeerReadings& peers_;
  const runtime::Algorithms& algorithms_;
  Plan& plan_;
  PlanWriter& writer_;
  ValueBuffers& values_;
  std::map<ir::Value, int> works_;               // of results
  std::vector<CollectiveWait> waits_;            // by work
  std::map<ir::Value, CollectiveStart> starts_;  // of those in peers_
  std::set<int> waited_;                         // works that a step waits for
  // By work: adds the steps that bring results to where they belong, or make them, once what comes
  // for them is there.
  std::map<int, std::vector<std::function<void()>>> arrivals_;
  // Copies that peers can reach, in the host's memory or for engines of GPUs.
  std::map<Reachable, BufferId> reachable_;
};

}  // namespace tutti::codegen
