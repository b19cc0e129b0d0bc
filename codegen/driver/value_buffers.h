#pragma once

#include <tutti/codegen/driver/plan_writer.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <map>
#include <vector>

namespace tutti::codegen {

// The buffers of a plan under construction that hold the values of its graph, each made when it is
// first asked for.
class ValueBuffers {
 public:
  // All outlive this.
  ValueBuffers(const ir::Graph& graph, const Views& views, std::int64_t rank, PlanWriter& writer)
      : graph_(graph), views_(views), rank_(rank), writer_(writer) {}

  // Where the pass `place` left a value. What is still `any` lies on the default device, but for
  // numbers that the caller gives: those are on the host.
  Device device(ir::Value value) const;

  // The storage of a base value.
  BufferId storage(ir::Value base);
  // Says what it is, or is from now on.
  void set_storage(ir::Value base, BufferId buffer) { storages_[base] = buffer; }
  // A buffer that holds the value densely: its storage, or a copy made once.
  BufferId dense(ir::Value value);

  // Steps that write out what a view shows; what it shows of a buffer (Source::buffer); and a value
  // that a buffer begins with, densely.
  void write_out(const View& view, BufferId target, Location location);
  void copy(const View& view, BufferId from, BufferId to, Location location);
  void copy_dense(BufferId from, BufferId to, ir::Value value);

  // Where each value lies in the plan once it is complete, whose buffers begin at that of number
  // `first` by now: -1 if it is nowhere.
  std::vector<BufferId> by_value(const Plan& plan, BufferId first) const;

 private:
  const ir::Graph& graph_;
  const Views& views_;
  const std::int64_t rank_;
  PlanWriter& writer_;
  std::map<ir::Value, BufferId> storages_;  // of base values
  std::map<ir::Value, BufferId> copies_;    // of values that are not dense
};

}  // namespace tutti::codegen
