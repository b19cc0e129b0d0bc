#include <tutti/ir/stablehlo/tiling.h>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Shardings in XLA's older notation, and the custom calls that have them.
namespace tutti::ir::stablehlo::stablehlo_tiling_test {
namespace {

using test::f32;
using test::refusal;
using testing::HasSubstr;

// The axes of the coarsest mesh of the text, and that mesh's sizes.
std::pair<AxesOfDimensions, std::vector<std::int64_t>> read(const std::string& text,
                                                            std::int64_t ranks, int rank) {
  const Tiling tiling = read_tiling(text, ranks);
  const Mesh mesh = mesh_for({&tiling, 1}, ranks).value();
  return {axes_of(tiling, mesh, rank), mesh.sizes};
}

using Axes = AxesOfDimensions;
using Sizes = std::vector<std::int64_t>;

TEST(StablehloTiling, DevicesAreCountedByAMesh) {
  EXPECT_EQ(read("{devices=[4,1]<=[4]}", 4, 2), std::pair(Axes({{0}, {}}), Sizes({4})));
  EXPECT_EQ(read("{devices=[2,2]<=[2,2]T(1,0)}", 4, 2), std::pair(Axes({{1}, {0}}), Sizes({2, 2})));
  EXPECT_EQ(read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 4, 2),
            std::pair(Axes({{0}, {}}), Sizes({2, 2})));
  EXPECT_EQ(read("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={replicated}}", 4, 2),
            std::pair(Axes({{}, {1}}), Sizes({2, 2})));
  // One dimension over two axes, the inner one first; an iota dimension in two parts.
  EXPECT_EQ(read("{devices=[6,2]<=[2,3,2]T(2,1,0)}", 12, 2),
            std::pair(Axes({{2, 1}, {0}}), Sizes({2, 3, 2})));
  EXPECT_EQ(read("{devices=[2,4]<=[8]}", 8, 2), std::pair(Axes({{0}, {1}}), Sizes({2, 4})));
  EXPECT_EQ(read("{replicated}", 4, 2), std::pair(Axes({{}, {}}), Sizes({4})));
  EXPECT_TRUE(read_tiling("{manual}", 4).manual);
}

TEST(StablehloTiling, DevicesMayBeAList) {
  EXPECT_EQ(read("{devices=[2,2]0,1,2,3}", 4, 2), std::pair(Axes({{0}, {1}}), Sizes({2, 2})));
  EXPECT_EQ(read("{devices=[2,2]0,2,1,3}", 4, 2), std::pair(Axes({{1}, {0}}), Sizes({2, 2})));
  EXPECT_EQ(read("{devices=[3,1,2]0,1,2,3,4,5 last_tile_dim_replicate}", 6, 2),
            std::pair(Axes({{0}, {}}), Sizes({3, 2})));
}

TEST(StablehloTiling, OneMeshIsForAllTilings) {
  const std::vector<Tiling> fit = {read_tiling("{devices=[8]<=[8]}", 8),
                                   read_tiling("{devices=[2,4]<=[8]}", 8),
                                   read_tiling("{devices=[4,2]<=[8]}", 8)};
  const Mesh mesh = mesh_for(fit, 8).value();
  EXPECT_EQ(mesh.names, (std::vector<std::string>{"axis0", "axis1", "axis2"}));
  EXPECT_EQ(mesh.sizes, Sizes({2, 2, 2}));
  EXPECT_EQ(axes_of(fit[0], mesh, 1), Axes({{0, 1, 2}}));
  EXPECT_EQ(axes_of(fit[2], mesh, 2), Axes({{0, 1}, {2}}));
  const std::vector<Tiling> unfit = {read_tiling("{devices=[2,3]<=[6]}", 6),
                                     read_tiling("{devices=[3,2]<=[6]}", 6)};
  EXPECT_EQ(mesh_for(unfit, 6), std::nullopt);
}

TEST(StablehloTiling, RefusesWhatIsNoTiling) {
  const auto refused = [](const std::string& text) {
    try {
      read_tiling(text, 4);
    } catch (const TypeError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* const text :
       {"", "{", "devices", "{devices=[4]<=[4]", "{devices=[4]<=[5]}", "{devices=[4]<=[2,2]T(0,0)}",
        "{devices=[4]<=[2,2]T(0)}", "{devices=[-4]<=[4]}", "{devices=[4]<=[4] last_tile_dims={",
        "{devices=[99999999999999999999]<=[4]}", "{devices=[4]<=[4] last_tile_dim_replicate"}) {
    EXPECT_THAT(refused(text), HasSubstr("not understood")) << text;
  }
  EXPECT_THAT(refused("{maximal device=0}"), HasSubstr("on one device only"));
  EXPECT_THAT(refused("{{replicated}, {replicated}}"), HasSubstr("of a tuple"));
  EXPECT_THAT(refused("{devices=[2]<=[4]}"), HasSubstr("fewer tiles than devices"));
  EXPECT_THAT(refused("{devices=[3]<=[4]}"), HasSubstr("no mesh of devices makes"));
  EXPECT_THAT(refused("{devices=[0]<=[4]}"), HasSubstr("no mesh of devices makes"));
  EXPECT_THAT(refused("{devices=[4]0,2,3,1}"), HasSubstr("is no mesh"));
  EXPECT_THAT(refused("{devices=[4]0,1}"), HasSubstr("is no mesh"));
  EXPECT_THAT(refused("{devices=[2,2]<=[4] last_tile_dims={manual}}"), HasSubstr("are manual"));
}

// A program of four devices that doubles what they have of a 4x2 tensor.
std::string doubled(const std::string& in, const std::string& out, const std::string& part) {
  const auto call = [](const std::string& name, const std::string& of, const std::string& sharding,
                       const std::string& from, const std::string& to) {
    return " = stablehlo.custom_call @" + name + "(" + of + ") {backend_config = \"\", " +
           "mhlo.sharding = \"" + sharding + "\"} : (tensor<" + from + ">) -> tensor<" + to + ">\n";
  };
  return "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
         "  func.func public @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>) {\n    %0" +
         call("Sharding", "%x", in, "4x2xf32", "4x2xf32") + "    %1" +
         call("SPMDFullToShardShape", "%0", "{manual}", "4x2xf32", part) +
         "    %2 = stablehlo.add %1, %1 : tensor<" + part + ">\n    %3" +
         call("Sharding", "%2", "{manual}", part, part) + "    %4" +
         call("SPMDShardToFullShape", "%3", out, part, "4x2xf32") +
         "    return %4 : tensor<4x2xf32>\n  }\n}\n";
}

TEST(StablehloTiling, CustomCallsSplitAndPutTogether) {
  const Graph graph =
      test::import_main(doubled("{devices=[4,1]<=[4]}", "{devices=[4,1]<=[2,2]T(1,0)}", "1x2xf32"));
  EXPECT_EQ(graph.mesh->sizes, Sizes({2, 2}));
  EXPECT_EQ(graph.parameters()[0].sharding, Sharding({{"axis0", "axis1"}, {}}));
  EXPECT_EQ(graph.result_sharding(0), Sharding({{"axis1", "axis0"}, {}}));
  std::vector<std::vector<Array>> arguments;
  for (int rank = 0; rank < 4; ++rank) {
    arguments.push_back({f32({static_cast<float>(rank), 1}, {1, 2})});
  }
  EXPECT_EQ(interpret(graph, arguments)[3][0], f32({6, 2}, {1, 2}));
}

TEST(StablehloTiling, CustomCallsThatDoNotFitAreRefusedAtTheirPlace) {
  const std::string rows = "{devices=[4,1]<=[4]}";
  EXPECT_THAT(refusal(doubled("{devices=[4]<=[4]}", rows, "1x2xf32")),
              HasSubstr("m.mlir:3:84: a sharding of 1 dimensions for a tensor of rank 2"));
  EXPECT_THAT(refusal(doubled("{devices=[1,4]<=[4]}", rows, "1x2xf32")),
              HasSubstr("4 ranks do not divide the 2 of dimension 1"));
  EXPECT_THAT(refusal(doubled(rows, rows, "2x2xf32")), HasSubstr("gives f32[1,2]"));
  EXPECT_THAT(refusal(doubled(rows, "{replicated}", "1x2xf32")),
              HasSubstr("parts of [1,2] do not make up the [4,2]"));
  EXPECT_THAT(refusal(doubled(rows, "{manual}", "1x2xf32")),
              HasSubstr("says nothing of a whole value"));
  EXPECT_THAT(refusal(doubled("{manual}", rows, "1x2xf32")),
              HasSubstr("expected a value of @Sharding"));
  EXPECT_THAT(refusal(doubled("{devices=[2,2]", rows, "1x2xf32")), HasSubstr("m.mlir:3:84: shar"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo::stablehlo_tiling_test
