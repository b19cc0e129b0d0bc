#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

namespace tutti::ir::stablehlo_sharding_test {
namespace {

using test::f32;
using test::refusal;
using testing::HasSubstr;

const std::string kMesh = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
)";

std::string module_text(const std::string& functions) {
  return "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n" +
         kMesh + functions + "}\n";
}

// Doubles x's rows on the ranks that have them.
std::string doubled(const std::string& axes, const std::string& out, const std::string& rest = "") {
  return module_text(R"(
  func.func public @main(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [)" +
                     out + R"(, {}]>] manual_axes={)" + axes + R"(} (%arg1: tensor<1x2xf32>) {
      %1 = stablehlo.add %arg1, %arg1 : tensor<1x2xf32>
      sdy.return %1 : tensor<1x2xf32>
    } : (tensor<4x2xf32>) -> tensor<4x2xf32>
)" + (rest.empty() ? "    return %0 : tensor<4x2xf32>" : rest) +
                     "\n  }\n");
}

const std::string kBoth = R"("x", "y")";

TEST(StablehloSharding, ArgumentsAndResultsAreParts) {
  const std::string text = doubled(kBoth, R"({"x", "y"})");
  const Module module = import_stablehlo(text, "m.mlir");
  EXPECT_EQ(print(module),
            "// tutti ir 1\nmesh (x = 2, y = 2)\n\nfunc @main(\n"
            "    %arg0: f32[1,2] {sharding = [[\"x\", \"y\"], []]}\n"
            ") -> (f32[1,2] {sharding = [[\"x\", \"y\"], []]}) {\n"
            "  %0 = add(%arg0, %arg0) : f32[1,2]                                     // m.mlir:6\n"
            "  return %0\n}\n");
  EXPECT_EQ(print(parse(print(module))), print(module));
}

TEST(StablehloSharding, WhatIsNotManualIsOfWholeValues) {
  // The rows of the parts, turned about on every rank.
  const Graph graph =
      test::import_main(doubled(kBoth, R"({"y", "x"})",
                                "    %2 = stablehlo.reverse %0, dims = [0] : tensor<4x2xf32>\n    "
                                "return %2 : tensor<4x2xf32>"));
  EXPECT_TRUE(graph.result_sharding(0).empty());
  std::vector<std::vector<Array>> arguments;
  for (int rank = 0; rank < 4; ++rank) {
    arguments.push_back({f32({static_cast<float>(rank), 0}, {1, 2})});
  }
  // Rank (x, y) has row 2 x + y of the argument and row 2 y + x of the result.
  for (const std::vector<Array>& results : interpret(graph, arguments)) {
    EXPECT_EQ(results[0], f32({6, 0, 2, 0, 4, 0, 0, 0}, {4, 2}));
  }
}

TEST(StablehloSharding, AnArgumentThatIsAlsoUsedWholeIsWhole) {
  const Graph graph = test::import_main(doubled(
      kBoth, R"({"x", "y"})",
      "    %2 = stablehlo.add %0, %arg0 : tensor<4x2xf32>\n    return %2 : tensor<4x2xf32>"));
  EXPECT_TRUE(graph.parameters()[0].sharding.empty());
  const Array whole = f32({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  for (const std::vector<Array>& results :
       interpret(graph, std::vector<std::vector<Array>>(4, {whole}))) {
    EXPECT_EQ(results[0], f32({3, 6, 9, 12, 15, 18, 21, 24}, {4, 2}));
  }
}

TEST(StablehloSharding, WhatIsUsedWholeSeveralTimesIsGatheredOnce) {
  const Graph graph = test::import_main(
      doubled(kBoth, R"({"x", "y"})",
              "    %2 = stablehlo.multiply %0, %0 : tensor<4x2xf32>\n"
              "    %3 = stablehlo.add %2, %0 : tensor<4x2xf32>\n    return %3 : tensor<4x2xf32>"));
  int gathers = 0;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    gathers += graph.node(id).op == Op::all_gather ? 1 : 0;
  }
  EXPECT_EQ(gathers, 1);
}

// One value, said to be parts along x, and then along y.
TEST(StablehloSharding, WhatIsWholeDependsOnTheSharding) {
  const Graph graph = test::import_main(module_text(R"(
  func.func public @main(%arg0: tensor<4x1xf32>) -> tensor<4x1xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x1xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<2x1xf32>
      sdy.return %3 : tensor<2x1xf32>
    } : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x1xf32>) {
      sdy.return %arg1 : tensor<2x1xf32>
    } : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x1xf32>
    return %2 : tensor<4x1xf32>
  }
)"));
  ASSERT_FALSE(graph.parameters()[0].sharding.empty());
  std::vector<std::vector<Array>> arguments;
  for (int rank = 0; rank < 4; ++rank) {
    arguments.push_back({rank < 2 ? f32({1, 2}, {2, 1}) : f32({3, 4}, {2, 1})});
  }
  const auto out = interpret(graph, arguments);
  EXPECT_EQ(out[0][0], f32({2 + 2, 4 + 4, 6 + 2, 8 + 4}, {4, 1}));
  EXPECT_EQ(out[2][0], f32({2 + 6, 4 + 8, 6 + 6, 8 + 8}, {4, 1}));
}

TEST(StablehloSharding, RanksOfAMeshHaveTheirNumbers) {
  const std::string text = "module @m {\n" + kMesh + R"(
  func.func @main() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
})";
  const auto out = interpret(test::import_main(text), std::vector<std::vector<Array>>(4));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(out[rank][0], Array::scalar(static_cast<std::uint32_t>(rank)));
  }
}

TEST(StablehloSharding, RefusesWhatItCannotShare) {
  std::string second = doubled(kBoth, R"({"x", "y"})");
  second.insert(second.find("  func.func"), "  sdy.mesh @other = <[\"x\"=4]>\n");
  second.replace(second.find("%arg0: tensor<4x2xf32>"), 22,
                 "%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@other, [{\"x\"}, {}]>}");
  EXPECT_THAT(refusal(second), HasSubstr("a second mesh"));
  EXPECT_THAT(refusal(doubled(R"("x")", R"({"x"})")),
              HasSubstr("this rank's part has shape [2,2], but [1,2] is written"));
  EXPECT_THAT(refusal(doubled(kBoth, R"({"z"})")), HasSubstr("no mesh axis \"z\""));
  EXPECT_THAT(refusal(doubled(kBoth, R"({"x", "x"})")), HasSubstr("is used twice"));
  std::string summands = doubled(kBoth, R"({"x"})");
  summands.insert(summands.find(">] manual_axes"), R"(, replicated={}, unreduced={"y"})");
  EXPECT_THAT(refusal(summands), HasSubstr("(unreduced) are not supported"));
  EXPECT_THAT(refusal(module_text(R"(
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%arg1: tensor<2xf32>) {
      sdy.return %arg1 : tensor<2xf32>
    } : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })")),
              HasSubstr("2 ranks do not divide the 3 of dimension 0"));
}

// A collective on 4 ranks, rank r with the argument r + 1, r + 11.
std::vector<Array> communicate(const std::string& operation, const std::string& result) {
  const Graph graph = test::import_main(
      "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "func.func @main(%x: tensor<2xf32>) -> " +
      result + " {\n  %0 = " + operation + "\n  return %0 : " + result + "\n}\n}\n");
  std::vector<std::vector<Array>> arguments;
  for (int rank = 0; rank < 4; ++rank) {
    const auto number = static_cast<float>(rank);
    arguments.push_back({f32({number + 1, number + 11})});
  }
  std::vector<Array> out;
  for (const std::vector<Array>& results : interpret(graph, arguments)) out.push_back(results[0]);
  return out;
}

const std::string kChannel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
const std::string kGroups = "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, " +
                            kChannel + ", use_global_device_ids";

TEST(StablehloCollective, GroupsAreListsOfRanks) {
  const std::string maximum = R"(({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }))";
  EXPECT_EQ(communicate("\"stablehlo.all_reduce\"(%x) <{" + kGroups + "}> " + maximum +
                            " : (tensor<2xf32>) -> tensor<2xf32>",
                        "tensor<2xf32>")[1],
            f32({4, 14}));
  EXPECT_EQ(communicate("\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, " + kGroups +
                            "}> : (tensor<2xf32>) -> tensor<4xf32>",
                        "tensor<4xf32>")[3],
            f32({2, 12, 4, 14}));
  EXPECT_EQ(communicate("\"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 0 : i64, " +
                            kGroups + "}> " + maximum + " : (tensor<2xf32>) -> tensor<1xf32>",
                        "tensor<1xf32>")[2],
            f32({13}));
  EXPECT_EQ(communicate("\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, "
                        "3]]> : tensor<1x2xi64>, " +
                            kChannel + "}> : (tensor<2xf32>) -> tensor<2xf32>",
                        "tensor<2xf32>")[3],
            f32({1, 11}));
  EXPECT_EQ(communicate("\"stablehlo.collective_broadcast\"(%x) <{" + kGroups +
                            "}> : (tensor<2xf32>) -> tensor<2xf32>",
                        "tensor<2xf32>")[3],
            f32({2, 12}));
  EXPECT_EQ(communicate("stablehlo.partition_id : tensor<ui32>", "tensor<ui32>")[3].at(0), 3);
}

// Adds the ranks' values up again and again.
std::string summing_loop(const std::string& bound, const std::string& by) {
  return "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
         "func.func @main(%x: tensor<2xf32>, %n: tensor<i8>) -> (tensor<i8>, tensor<2xf32>) {\n"
         "  %zero = stablehlo.constant dense<0> : tensor<i8>\n"
         "  %bound = stablehlo.constant dense<" +
         bound +
         "> : tensor<i8>\n"
         "  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i8>, tensor<2xf32>\n"
         "  cond {\n"
         "    %1 = stablehlo.compare LT, %i, " +
         (bound == "0" ? "%n" : "%bound") +
         ", SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
         "    stablehlo.return %1 : tensor<i1>\n"
         "  } do {\n"
         "    %by = stablehlo.constant dense<" +
         by +
         "> : tensor<i8>\n"
         "    %2 = \"stablehlo.all_reduce\"(%y) <{" +
         kGroups + R"(}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %4 = stablehlo.add %i, %by : tensor<i8>
    stablehlo.return %4, %2 : tensor<i8>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<i8>, tensor<2xf32>
}
}
)";
}

// With a constant bound it is a scan; with one that is an argument, a while_loop.
TEST(StablehloCollective, LoopsCommunicate) {
  for (const std::string bound : {"5", "0"}) {
    const Graph graph = test::import_main(summing_loop(bound, "2"));
    EXPECT_THAT(print(graph), HasSubstr(bound == "5" ? "= scan(" : "= while_loop("));
    std::vector<std::vector<Array>> arguments;
    for (int rank = 0; rank < 4; ++rank) {
      arguments.push_back({f32({static_cast<float>(rank), 1}), Array::scalar(std::int8_t{5})});
    }
    const std::vector<Array> of_last = interpret(graph, arguments)[3];  // with rank 1, three times
    EXPECT_EQ(of_last[0], Array::scalar(std::int8_t{6}));
    EXPECT_EQ(of_last[1], f32({16, 8}));
  }
}

TEST(StablehloCollective, RefusesGroupsThatAreNone) {
  const auto of = [](const std::string& groups) {
    return refusal(
        "module @m attributes {mhlo.num_partitions = 4 : i32} {\nfunc.func @main(%x: "
        "tensor<2xf32>) -> tensor<2xf32> {\n%0 = \"stablehlo.collective_broadcast\"(%x) "
        "<{replica_groups = dense<" +
        groups + "> : tensor<2x2xi64>, " + kChannel +
        "}> : (tensor<2xf32>) -> tensor<2xf32>\nreturn %0 : "
        "tensor<2xf32>\n}\n}\n");
  };
  EXPECT_THAT(of("[[0, 1], [2, -1]]"), HasSubstr("of different sizes"));
  EXPECT_THAT(of("[[0, 1], [2, 4]]"), HasSubstr("name rank 4 of 4"));
  EXPECT_THAT(of("[[0, 1], [2, 0]]"), HasSubstr("has rank 0 twice"));
}

TEST(StablehloCollective, GroupsHoldTheRanksOfTheProgram) {
  const auto of = [](const std::string& ranks, const std::string& name, const std::string& more) {
    return refusal("module @m attributes {" + ranks +
                   "} {\nfunc.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = \"stablehlo." +
                   name + "\"(%x) <{" + more +
                   "}> : (tensor<2xf32>) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>\n}\n}\n");
  };
  const std::string partitions = "mhlo.num_partitions = 4 : i32";
  const std::string replicas = "mhlo.num_replicas = 4 : i32";
  const std::string pairs = "source_target_pairs = dense<[[0, 3]]> : tensor<1x2xi64>";
  EXPECT_EQ(of(partitions, "collective_permute", pairs + ", " + kChannel), "");
  EXPECT_EQ(of(replicas, "collective_permute", pairs), "");
  EXPECT_THAT(of(partitions, "collective_permute", pairs), HasSubstr("groups are of replicas"));
  EXPECT_THAT(of(replicas, "collective_permute", pairs + ", " + kChannel),
              HasSubstr("groups are of partitions"));
  const std::string single =
      "all_gather_dim = 0 : i64, replica_groups = dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>";
  EXPECT_EQ(of(replicas, "all_gather", single), "");
  EXPECT_EQ(of(partitions, "all_gather", single + ", " + kChannel + ", use_global_device_ids"), "");
  EXPECT_THAT(of(partitions, "all_gather", single + ", " + kChannel),
              HasSubstr("without use_global_device_ids"));
  EXPECT_THAT(of(partitions + ", " + replicas, "collective_permute", pairs),
              HasSubstr("replicas and partitions at once"));
}

// A group names every rank, of which there may be many.
TEST(StablehloCollective, AllRanksAreOneGroup) {
  std::string axes;
  for (int i = 0; i < 8; ++i) {
    axes += (i == 0 ? "\"a" : ", \"a") + std::to_string(i) + "\"=4";
  }
  const auto permuted = [](const std::string& pairs) {
    return "\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[" + pairs +
           "]]> : tensor<1x2xi64>, " + kChannel + "}> : (tensor<2xf32>) -> tensor<2xf32>\n";
  };
  const Graph graph = test::import_main(
      "module @m {\nsdy.mesh @mesh = <[" + axes +
      "]>\nfunc.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n%0 = " +
      permuted("0, 1") + "%1 = " + permuted("1, 0") +
      "return %0, %1 : tensor<2xf32>, tensor<2xf32>\n}\n}\n");
  std::vector<GroupPtr> groups;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op != Op::collective_permute) continue;
    groups.push_back(graph.attributes(id).group("group"));
  }
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], groups[1]);
  EXPECT_EQ(groups[0]->tag, "a0_a1_a2_a3_a4_a5_a6_a7");
}

TEST(StablehloSharding, RanksOfTheModuleAreThoseOfItsMesh) {
  const auto of = [](const std::string& ranks) {
    return refusal("module @m attributes {" + ranks + "} {\n" + kMesh +
                   "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\nreturn %x : "
                   "tensor<2xf32>\n}\n}\n");
  };
  EXPECT_EQ(of("mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32"), "");
  EXPECT_THAT(of("mhlo.num_partitions = 2 : i32"), HasSubstr("than the 4 partitions of its mesh"));
  EXPECT_THAT(of("mhlo.num_replicas = 4 : i32"), HasSubstr("than the 4 partitions of its mesh"));
}

TEST(Sharding, IsReadAndPrintedWithTheTypesItBelongsTo) {
  const std::string whole =
      "// tutti ir 1\nmesh (dp = 2, tp = 2)\n\nfunc @f(%x: f32[2] {donate, sharding = "
      "[[\"dp\"]]}) -> (f32[2] {sharding = [[\"dp\"]]}) {\n  return %x\n}\n";
  EXPECT_EQ(print(parse(whole)), whole);
  const auto refused = [](const std::string& sharding) {
    try {
      parse("mesh (dp = 2)\nfunc @f(%x: f32[2] {sharding = " + sharding + "}) { return %x }");
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("[[\"dp\"], []]"), HasSubstr("a sharding of 2 dimensions for a value of"));
  EXPECT_THAT(refused("[[\"dp\", \"dp\"]]"), HasSubstr("is in the sharding twice"));
  EXPECT_THAT(refused("[[\"tp\"]]"), HasSubstr("no dimension"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_sharding_test
