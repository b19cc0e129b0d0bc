#pragma once

#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>

#include <cstdint>
#include <map>

namespace tutti::codegen {

// A value that kernels compute from what all members of a group have: element by element, in the
// order of the members, as the runtime does.
struct PeerReading {
  int members = 0;
  runtime::Reduction reduction = runtime::Reduction::sum;
};
using PeerReadings = std::map<ir::Value, PeerReading>;

// Whether kernels can do so.
bool can_combine(runtime::Reduction reduction, DType dtype);

// The all_reduces whose results no step makes: the one kernel that uses a result reads what every
// member gave and combines it on the way, instead of reading a sum that the runtime wrote. By the
// result, which is async. They are those
// - whose operands lie in the host's memory and which the runtime's own engine carries out;
// - of a size of which the table says so (AlgorithmTable);
// - that one fused group reads and nobody else, so that nothing is combined twice;
// - between whose start and reading the program waits for nothing that it started later: what is
//   waited for completes all before it.
// Members need not agree on it: to the others the rank computes its own result.
PeerReadings find_peer_readings(const ir::Graph& graph, const Views& views, std::int64_t rank,
                                const runtime::Algorithms& algorithms);

}  // namespace tutti::codegen
