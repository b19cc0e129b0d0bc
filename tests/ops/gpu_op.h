#pragma once

#include "tests/support/gpu.h"
#include "tests/support/ops/uses.h"
#include "tests/support/run_graph.h"

namespace tutti::test {

// Holds the kernels of a GPU to what an op's row expects, in every shape of the row.
inline void expect_gpu_agreement(const OpRow& row, const std::vector<DType>& dtypes) {
  std::vector<Uses> uses;
  for (const DType dtype : dtypes) uses.emplace_back(row, dtype);
  std::vector<ir::Array> inputs;
  const ir::Graph graph = graph_of(row, uses, Device::cuda(), inputs);
  const std::vector<ir::Array> results = run_on_gpu(graph, inputs);
  // Sums of many numbers add in another order, in which other numbers cancel.
  const bool adds = ir::definition(row.op).kind == ir::OpClass::reduce;
  const double slack = row.slack * (adds ? 16 : 1);
  std::size_t result = 0;
  for (std::size_t d = 0; d < uses.size(); ++d) {
    for (std::size_t i = 0; i < uses[d].count(); ++i) {
      EXPECT_TRUE(close(results[result++], uses[d].expected[i], slack))
          << name_of(dtypes[d]) << ", case " << i;
    }
  }
}

}  // namespace tutti::test
