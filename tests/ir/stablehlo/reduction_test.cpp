#include <tutti/ir/parse/parse.h>
#include <tutti/ir/stablehlo/export.h>

#include <cmath>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Where reductions begin.
namespace tutti::ir::stablehlo_reduction_test {
namespace {

using test::import_main;
using test::stablehlo_function;

// The maximum of f8E4M3FN, which has no infinity, from `initial` on.
std::string maximum_from(const std::string& initial) {
  return stablehlo_function("%x: tensor<3xf8E4M3FN>", "tensor<f8E4M3FN>",
                            "%0 = stablehlo.constant dense<" + initial + R"(> : tensor<f8E4M3FN>
    %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
    return %1 : tensor<f8E4M3FN>)");
}

int count(const Graph& graph, Op op) {
  int out = 0;
  for (NodeId id = 0; id < graph.node_count(); ++id) out += graph.node(id).op == op ? 1 : 0;
  return out;
}

TEST(StablehloReduction, AMaximumBeginsAtTheLeastNumberOfItsType) {
  const Graph graph = import_main(maximum_from("-448.0"));
  EXPECT_EQ(count(graph, Op::max), 1);
  EXPECT_EQ(count(graph, Op::maximum), 0);
  // All others matter.
  EXPECT_EQ(count(import_main(maximum_from("-1.0")), Op::maximum), 1);
  Array x(DType::f8_e4m3fn, {3});
  EXPECT_TRUE(std::isnan(interpret(import_main(maximum_from("0xFF")), {{x}})[0].at(0)));
}

TEST(StablehloReduction, AnExportedMaximumBeginsThereToo) {
  const std::string text = export_stablehlo(
      parse("func @f(%x: f8_e4m3fn[3]) {\n%0 = max(%x) {axes = [0]}\nreturn %0\n}\n"));
  EXPECT_THAT(text, testing::HasSubstr("dense<-4.48e+02> : tensor<f8E4M3FN>"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_reduction_test
