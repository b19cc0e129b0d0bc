#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/stablehlo/export.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/verify/verify.h>

#include <set>

#include "tests/support/ops/uses.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::test::stablehlo_export_test {
namespace {

using testing::HasSubstr;

std::string exported(std::string_view text) { return ir::export_stablehlo(ir::parse(text)); }

// What comes back computes what went out.
class ExportedOp : public testing::TestWithParam<const OpRow*> {};

TEST_P(ExportedOp, MeansTheSameWhenImported) {
  const OpRow& row = *GetParam();
  for (const DType dtype : row.dtypes) {
    SCOPED_TRACE(name_of(dtype));
    const Uses uses(row, dtype);
    std::vector<Array> inputs;
    const ir::Graph graph = graph_of(row, std::span(&uses, 1), Device::cpu(), inputs);
    const auto text = [&] { return ir::export_stablehlo({.functions = {graph}}); };
    if (!ir::reason_not_exported(row.op).empty() ||
        (row.op == ir::Op::fma && dtype == DType::f64)) {
      EXPECT_THROW(text(), TypeError);
      continue;
    }
    const ir::Module back = ir::import_stablehlo(text());
    ASSERT_EQ(back.functions.size(), 1U);
    ir::verify(back.functions[0]);
    const std::vector<Array> expected = ir::interpret(graph, inputs);
    const std::vector<Array> actual = ir::interpret(back.functions[0], inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(close(actual[i], expected[i], row.slack)) << "case " << i << "\n" << text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ExportedOp, testing::ValuesIn(local_rows()), row_name);

TEST(StableHloExport, LeavesOutOnlyTheseOps) {
  std::set<std::string_view> left_out;
  for (const ir::Definition& entry : ir::definitions()) {
    if (!ir::reason_not_exported(entry.op).empty()) left_out.insert(entry.name);
  }
  const std::set<std::string_view> expected = {
      "send",      "recv",        "batch_send_recv", "barrier",  // messages
      "fold_in",   "random_bits", "uniform",         "normal",   // other numbers
      "to_device", "scan_ranks"};
  EXPECT_EQ(left_out, expected);
}

TEST(StableHloExport, IsTheTextThatJaxPrints) {
  EXPECT_EQ(exported("func @step(%x: f32[4,3] {donate}, %w: f32[3,2]) {\n"
                     "  %0 = matmul(%x, %w)  // train.cpp:7\n"
                     "  %1 = sum(%0) {axes = [0]}\n"
                     "  return %1, %x\n"
                     "}\n"),
            "module @step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : "
            "i32} {\n"
            "  func.func public @main(%x: tensor<4x3xf32> {jax.buffer_donor = true}, %w: "
            "tensor<3x2xf32>) -> (tensor<2xf32>, tensor<4x3xf32>) {\n"
            "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = "
            "[HIGHEST, HIGHEST] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32> "
            "loc(\"train.cpp\":7:0)\n"
            "    %1 = stablehlo.constant dense<0.0e+00> : tensor<f32>\n"
            "    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = "
            "[0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>\n"
            "    return %2, %x : tensor<2xf32>, tensor<4x3xf32>\n"
            "  }\n"
            "}\n");
}

TEST(StableHloExport, MakesReplicasOfRanksAndRowsOfGroups) {
  const std::string text = exported(
      "mesh (dp = 2, tp = 2)\n"
      "group @dp = mesh (dp = 2, tp = 2).dp\n"
      "func @f(%x: f32[4]) {\n"
      "  %0 = all_reduce(%x) {op = \"mean\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  return %1\n"
      "}\n");
  EXPECT_THAT(text, HasSubstr("mhlo.num_replicas = 4 : i32"));
  EXPECT_THAT(text, HasSubstr("replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>"));
  EXPECT_THAT(text, HasSubstr("stablehlo.divide"));
  EXPECT_THAT(text, testing::Not(HasSubstr("wait")));
}

TEST(StableHloExport, KeepsNamesThatMlirCannotHave) {
  ir::Graph graph("f");
  graph.set_results({graph.add_parameter("w \"0\"", {.dtype = DType::f32, .shape = {2}})});
  const std::string text = ir::export_stablehlo({.functions = {graph}});
  EXPECT_THAT(text, HasSubstr("(%w__0_: tensor<2xf32> loc(\"w \\220\\22\"))"));
}

TEST(StableHloExport, KeepsRunningSumsWhole) {
  const std::string text = exported(
      "func @f(%x: f32[6]) {\n  %0 = cumsum(%x) {axis = 0, reverse = true}\n  return %0\n}\n");
  EXPECT_THAT(text, HasSubstr("dense<-0.0e+00>"));  // the sum of -0 alone is -0
  EXPECT_THAT(ir::print(ir::import_stablehlo(text)), HasSubstr("= cumsum(%x)"));
  for (const std::string op : {"cumprod", "cummax", "cummin"}) {
    for (const std::string dtype : {"f32", "bf16", "i16"}) {
      const std::string again = ir::print(ir::import_stablehlo(exported(
          "func @f(%x: " + dtype + "[6]) {\n  %0 = " + op + "(%x) {axis = 0}\n  return %0\n}\n")));
      EXPECT_THAT(again, HasSubstr(" = " + op + "(%"));
    }
  }
}

// Integer division by what is known to be harmless needs no questions.
TEST(StableHloExport, GuardsDivisionOnlyWhereItMayBeByZero) {
  const auto divided = [](const char* divisor) {
    return exported(std::string("func @f(%x: i32[4], %y: i32[]) {\n  %c = constant() {value = "
                                "i32[] 3}\n  %0 = div(%x, ") +
                    divisor + ")\n  return %0\n}\n");
  };
  EXPECT_THAT(divided("%c"), testing::Not(HasSubstr("stablehlo.select")));
  EXPECT_THAT(divided("%y"), HasSubstr("stablehlo.select"));
}

TEST(StableHloExport, NamesTheOpAndItsLineInErrors) {
  try {
    exported(
        "func @f(%key: u64[]) {\n"
        "  %0 = uniform(%key) {dtype = f32, shape = [3]}  // noise.cpp:12\n"
        "  return %0\n"
        "}\n");
    FAIL() << "no error";
  } catch (const TypeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("noise.cpp:12: uniform can't be exported to StableHLO"));
    EXPECT_THAT(error.what(), HasSubstr("%0 = uniform(%key)"));
  }
}

}  // namespace
}  // namespace tutti::test::stablehlo_export_test
