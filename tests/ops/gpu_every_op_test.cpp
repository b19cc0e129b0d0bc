// Every op on a GPU, in every dtype and shape of the table.

#include "tests/support/gpu.h"
#include "tests/support/ops/uses.h"
#include "tests/support/run_graph.h"

namespace tutti::test::gpu_every_op_test {
namespace {

class GpuOp : public testing::TestWithParam<const OpRow*> {};

TEST_P(GpuOp, MeansTheSameAsOnTheHost) {
  if (!has_gpu()) GTEST_SKIP() << "this build has no CUDA";
  const OpRow& row = *GetParam();
  std::vector<Uses> uses;
  for (const DType dtype : row.dtypes) uses.emplace_back(row, dtype);
  std::vector<Array> inputs;
  const ir::Graph graph = graph_of(row, uses, Device::cuda(), inputs);
  const std::vector<Array> results = run_on_gpu(graph, inputs);
  // Sums of many numbers add in another order, in which other numbers cancel.
  const bool adds = ir::definition(row.op).kind == ir::OpClass::reduce;
  const double slack = row.slack * (adds ? 16 : 1);
  std::size_t result = 0;
  for (std::size_t d = 0; d < uses.size(); ++d) {
    for (std::size_t i = 0; i < uses[d].count(); ++i) {
      EXPECT_TRUE(close(results[result++], uses[d].expected[i], slack))
          << name_of(row.dtypes[d]) << ", case " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, GpuOp, testing::ValuesIn(local_rows()), row_name);

}  // namespace
}  // namespace tutti::test::gpu_every_op_test
