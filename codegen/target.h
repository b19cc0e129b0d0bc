#pragma once

#include <tutti/codegen/lower.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/view.h>
#include <tutti/runtime/comm/algorithms.h>

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tutti::codegen {

// A launch that comes before that of a node. Its buffers are the operands' storages in order, which
// it reads, then one of so many bytes, which it writes and the node's launch reads.
struct Preparation {
  LaunchPart call;
  std::int64_t bytes = 0;
  // Nearly all of the node's work: its launch reads little of the operands, or nothing.
  bool is_most = false;
};

// A launch that puts the next so many operands of a concat together. Its buffers are their
// storages, then one for `view`, which is dense.
struct PartialConcat {
  LaunchPart call;
  std::size_t count = 0;
  View view;
};

// The matmuls of a plan under construction, by the buffer that they write.
struct PlannedMatmul {
  ir::Type result;
  std::vector<View> operands;
};
using PlannedMatmuls = std::map<BufferId, PlannedMatmul>;

// What a planner has to know of a kind of devices: how nodes become launches there. Targets have no
// state; target_of (driver/target_of.h) has the one of a device.
class Target {
 public:
  virtual ~Target() = default;

  // Whether the launch of an opaque node reads that operand where it lies; otherwise it must be
  // dense.
  virtual bool reads_view(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                          std::size_t operand) const = 0;
  // Whether the launch may write the node's result over its first operand.
  virtual bool works_in_place(ir::Op op) const = 0;
  // What an opaque node's launch needs to have run before, if anything.
  virtual std::optional<Preparation> preparation(const ir::Graph& graph, ir::NodeId id,
                                                 const std::vector<View>& operands,
                                                 const View& result) const = 0;
  // Of a concat of more operands than one launch takes, launches for all of them; the node's is
  // given what they write. None where it takes all.
  virtual std::vector<PartialConcat> partial_concats(const ir::Graph& graph, ir::NodeId id,
                                                     const std::vector<View>& operands) const = 0;
  // The launch of an opaque node whose operands have these views (of buffers; dense where
  // reads_view says no), without buffers. They will be the operands' storages in order, then what
  // its preparation wrote if it has one, then the results'; `result` is the view of the first.
  virtual LaunchPart call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                          const View& result) const = 0;
  // The launch that writes a view of a buffer out densely.
  virtual LaunchPart copy(const View& view) const = 0;
  // The kernel of a fused group, or several where that is faster.
  virtual std::vector<LoweredKernel> schedule(LoweredKernel kernel) const = 0;
  // Whether the work of a loop's step is recorded once and replayed, so that the steps have to find
  // what they work on at the same places.
  virtual bool replays_steps() const = 0;
  // Lets matmuls, and collectives between GPUs, do what the kernels behind them do, where that is
  // faster.
  virtual void fuse_epilogues(Plan& plan, const PlannedMatmuls& matmuls,
                              const runtime::AlgorithmTable& table) const = 0;
};

}  // namespace tutti::codegen
