#pragma once

#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/comm/transports.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace tutti::codegen {

// How a result is made of pieces of its size, which lie one behind the other: `count` of them from
// number `first` on are combined in their order, and divided.
struct Combination {
  runtime::Reduction reduction = runtime::Reduction::sum;
  int first = 0;
  int count = 1;  // 0: the result is what a combination of nothing is
  int divisor = 1;
};

// A call that an engine of GPUs has, in place of one that it lacks, and what kernels do about that:
// - Where an axis takes part and dimensions come before it, the engine is given tensors with the
//   axis before them, and gives such.
// - A mean is made of a sum, but for f16, whose sums overflow soon.
// - Other combinations, and where the members' order counts, are made of what all members gave,
//   which the engine moves: all_reduce and scan_ranks become an all_gather, reduce a gather,
//   reduce_scatter an all_to_all.
// The description stays the program's. What is stood in for is part of what members agree on.
struct StandIn {
  runtime::CollectiveCall call;
  std::vector<AroundAxis> results;  // by part: as the program has them
  std::optional<Combination> combination = std::nullopt;

  // Whether the operand, and the result, of a part are turned.
  bool turns(std::size_t part) const { return results.at(part).outer != 1; }
  // Whether something has to be made of what comes for a part.
  bool completes(std::size_t part) const { return combination.has_value() || turns(part); }
};

// For the member at `position`, and the same call for all. None where the engine lacks that, too;
// where the members are too many for one kernel; and where what they gave would fill too much
// memory, since all of it comes to one of them. `in_order`: not by sums of the engine's.
std::optional<StandIn> find_stand_in(const runtime::CollectiveCall& call,
                                     const runtime::TransportEntry& engine, int members,
                                     int position, bool in_order);

// The kernel that makes a result, buffer 1, of what came, buffer 0.
Kernel combining_kernel(const Combination& combination, const AroundAxis& result, DType dtype);

// What a view shows, with that dimension before all others.
View with_axis_first(View view, int axis);
// A dense buffer that holds a value so, as the value belongs; its base is that.
View with_axis_back(ir::Value value, const ir::Type& type, int axis);

}  // namespace tutti::codegen
