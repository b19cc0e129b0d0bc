// Few long rows, which a call divides between threads before another goes along them.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/kernels/kernel_testing.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::divided_rows_test {
namespace {

using kernels::kernel_testing::random_array;
using testing::HasSubstr;
using testing::Not;

// Everything that goes along an axis, of an operand of that type.
ir::Graph graph_of(const std::string& type, const std::string& axis) {
  ir::Graph graph =
      ir::parse("func @f(%x: " + type + ") {\n" + "  %0, %1 = sort(%x) {axis = " + axis +
                ", descending = true}\n" + "  %2, %3 = topk(%x) {k = 9, axis = " + axis + "}\n" +
                "  %4 = cumsum(%x) {axis = " + axis + "}\n" + "  %5 = cummax(%x) {axis = " + axis +
                ", reverse = true}\n" + "  return %0, %1, %2, %3, %4, %5\n}\n")
          .functions.at(0);
  ir::verify(graph);
  return graph;
}

std::string plan_of(ir::Graph graph) {
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

TEST(DividedRows, HaveACallBeforeTheirs) {
  const std::string plan = plan_of(graph_of("f32[530001]", "0"));
  for (const std::string op : {"sort", "topk", "cumsum", "cummax"}) {
    EXPECT_THAT(plan, HasSubstr("call " + op + "_parts \"f32[530001]\" (b0) -> "));
    EXPECT_THAT(plan, HasSubstr("call " + op + " \"f32[530001]\" (b0, "));
  }
}

// What a profile's roofline allows them: of topk the second call reads what the first has found,
// the others' read the operand as well.
TEST(DividedRows, BothCallsCountWhatTheyReadAndWrite) {
  ir::Graph graph = graph_of("f32[530001]", "0");
  ir::run_passes(graph);
  const Plan plan = make_plan(graph, 0);
  std::map<std::string, runtime::WorkCounts> counts;
  for_each_part(plan, [&](Device, const LaunchPart& part) { counts[part.name] = part.counts; });
  constexpr std::int64_t kBytes = 530001 * 4;
  for (const std::string op : {"sort", "topk", "cumsum", "cummax"}) {
    const runtime::WorkCounts before = counts[op + "_parts"];
    EXPECT_EQ(before.bytes_read, kBytes) << op;
    EXPECT_GT(before.bytes_written, 0) << op;
    EXPECT_EQ(counts[op].bytes_read, before.bytes_written + (op == "topk" ? 0 : kBytes)) << op;
  }
  EXPECT_EQ(counts["sort"].bytes_written, 530001 * (4 + 8));
  EXPECT_EQ(counts["cumsum"].flops, 530001);
}

TEST(DividedRows, AreFewAndLong) {
  EXPECT_THAT(plan_of(graph_of("f32[1000]", "0")), Not(HasSubstr("_parts")));
  EXPECT_THAT(plan_of(graph_of("f32[64,40000]", "1")), Not(HasSubstr("_parts")));
}

TEST(DividedRows, GiveWhatTheInterpreterGives) {
  EXPECT_TRUE(
      test::modes_agree(graph_of("f32[530001]", "0"), {random_array(DType::f32, Shape{530001})}));
  EXPECT_TRUE(test::modes_agree(graph_of("bf16[66000,2]", "0"),
                                {random_array(DType::bf16, Shape{66000, 2})}));
  EXPECT_TRUE(test::modes_agree(graph_of("i64[2,66000]", "1"),
                                {random_array(DType::i64, Shape{2, 66000})}));
}

TEST(DividedRows, GiveTheSameBitsWithAnyNumberOfThreads) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Shape shape = {1100000};
    const ir::Graph graph = graph_of(ir::Type{.dtype = dtype, .shape = shape}.text(), "0");
    const std::vector<ir::Array> x = {random_array(dtype, shape)};
    const std::vector<ir::Array> alone = test::run_compiled(graph, x, kDefaultKernelMode, 1);
    for (const int threads : {2, 4}) {
      const std::vector<ir::Array> shared =
          test::run_compiled(graph, x, kDefaultKernelMode, threads);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_TRUE(test::same_bits(shared[i], alone[i])) << threads << " threads, result " << i;
      }
    }
  }
}

}  // namespace
}  // namespace tutti::codegen::divided_rows_test
