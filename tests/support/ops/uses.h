#pragma once

#include <string>
#include <vector>

#include "tests/support/ops/table.h"
#include <gtest/gtest.h>

// How the rows of the table are put to use by tests of local ops.
namespace tutti::test {

// One dtype's cases of a row that are tested.
struct Uses {
  std::vector<std::vector<ir::Attribute>> attributes;  // [case]
  std::vector<std::vector<Array>> operands;            // [case][operand]
  std::vector<Array> expected;                         // [case]

  Uses(const OpRow& row, DType dtype);

  std::size_t count() const { return expected.size(); }
  Attributes named(const OpRow& row, std::size_t i) const {
    return {ir::definition(row.op).attributes, attributes[i]};
  }
};

// All cases as one function of the IR whose operands lie on a device, the results in their order;
// `inputs` gets what its parameters are given.
ir::Graph graph_of(const OpRow& row, std::span<const Uses> uses, Device device,
                   std::vector<Array>& inputs);

// The rows that need no other rank.
std::vector<const OpRow*> local_rows();
std::string row_name(const testing::TestParamInfo<const OpRow*>& row);

}  // namespace tutti::test
