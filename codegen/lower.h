#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// A kernel with the values whose storage its buffers are: reads first, then the values it computes.
// A base that is not a value of the graph (a partial result between two kernels) is scratch.
struct LoweredKernel {
  Kernel kernel;
  struct Argument {
    ir::Value value;           // its storage; invalid for scratch
    std::int64_t scratch = 0;  // bytes of scratch, shared by the two kernels of one group
    int member = -1;           // of a value that is read from peers: whose operand
  };
  std::vector<Argument> arguments;
};

class Target;

// Lowers one fused group (ir/passes/fuse.h has its rules) to one kernel, or to as many as the
// target makes of it. `stored` says which members' values need storage, `peers` which values from
// outside are read from peers.
std::vector<LoweredKernel> lower_group(const ir::Graph& graph,
                                       const std::vector<ir::NodeId>& members, const Views& views,
                                       const std::vector<bool>& stored, const PeerReadings& peers,
                                       const Target& target);

// A kernel that writes out a value which is no one's storage: a strided view, an iota, a constant,
// a view with a pad around it.
LoweredKernel lower_copy(const View& view, ir::Value target);

}  // namespace tutti::codegen
