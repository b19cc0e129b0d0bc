#pragma once

#include "tests/support/gpu.h"
#include "tests/support/ops/reference.h"

namespace tutti::test {

// Holds the kernels of a GPU to an op's reference files, for the cases that are wanted.
inline void expect_gpu_agreement(const std::string& op,
                                 const std::function<bool(const ReferenceCase&)>& wanted) {
  const std::vector<ReferenceCase> cases = reference_cases(op);
  const ReferenceGraph all(*ir::op_from_name(op), cases, Device::cuda(), wanted);
  const std::vector<Array> results = run_on_gpu(all.graph, all.inputs);
  ASSERT_EQ(results.size(), all.values.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(agrees(results[i], all.values[i])) << "on a GPU, " << all.values[i].describe();
  }
}

}  // namespace tutti::test
