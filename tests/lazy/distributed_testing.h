#pragma once

#include <tutti/lazy/distributed_ops.h>
#include <tutti/lazy/distributed_tensor.h>

#include <string>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// What the tests of distributed tensors share.
namespace tutti::test {

using Doubles = std::vector<double>;

inline Tensor numbers(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  return normal(Shape(std::span(shape.data(), shape.size())), Key(seed), DType::f64);
}

inline void expect_near(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const Doubles a = actual.to_vector<double>();
  const Doubles b = expected.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12) << i;
}

inline bool is_replicated(const Tensor& tensor, unsigned dimensions) {
  return (tensor.state()->type.replication.dimensions & dimensions) == dimensions;
}

inline std::vector<Placements> all_placements(std::size_t dimensions, std::int64_t axes) {
  std::vector<Placement> each = {Replicate(), Partial()};
  for (std::int64_t axis = 0; axis < axes; ++axis) each.push_back(Shard(axis));
  std::vector<Placements> out = {{}};
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::vector<Placements> longer;
    for (const Placements& start : out) {
      for (const Placement& next : each) {
        longer.push_back(start);
        longer.back().push_back(next);
      }
    }
    out = std::move(longer);
  }
  return out;
}

// The types: known to be the same where Replicate, and nowhere else.
inline void expect_typed(const DistributedTensor& x) {
  const unsigned known = x.local().state()->type.replication.dimensions;
  for (std::size_t d = 0; d < x.placements().size(); ++d) {
    if (x.mesh().sizes()[d] == 1) continue;
    EXPECT_EQ((known >> d & 1U) != 0, x.placements()[d].is_replicate()) << x;
  }
}

}  // namespace tutti::test
