#pragma once

#include <set>

#include "tests/support/ops/reference.h"

namespace tutti::test {

inline void expect_agreement(const std::vector<Array>& actual,
                             const std::vector<ReferenceValue>& values, std::string_view how) {
  ASSERT_EQ(actual.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(agrees(actual[i], values[i])) << how << ", " << values[i].describe();
  }
}

// Holds the host's kernels to an op's reference files, for the cases that are wanted.
inline void expect_host_agreement(const std::string& op, const std::vector<ReferenceCase>& cases,
                                  const std::function<bool(const ReferenceCase&)>& wanted) {
  std::set<DType> dtypes;
  for (const ReferenceCase& use : cases) {
    if (wanted(use)) dtypes.insert(use.dtype);
  }
  for (const DType dtype : dtypes) {
    const ReferenceGraph all(
        *ir::op_from_name(op), cases, Device::cpu(),
        [&](const ReferenceCase& use) { return use.dtype == dtype && wanted(use); });
    for (const codegen::KernelMode mode : kernel_modes()) {
      expect_agreement(run_compiled(all.graph, all.inputs, mode), all.values, name_of(mode));
    }
  }
}

}  // namespace tutti::test
