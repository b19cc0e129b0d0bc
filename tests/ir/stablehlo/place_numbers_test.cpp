#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Indices of many dimensions, as of take_along_axis and its gradient: with those of the windows
// they are more than a shape may have.
namespace tutti::ir::stablehlo_place_numbers_test {
namespace {

using test::f32;
using test::i32;
using test::run_stablehlo;
using test::stablehlo_function;

Array indices() { return i32({2, 0, 1, 1, 0, 2, 2, 2}, {2, 1, 2, 1, 2, 1}); }

TEST(StablehloPlaceNumbers, GatherOfBatchesOfRankFive) {
  const std::string text = stablehlo_function(
      "%x: tensor<2x1x2x1x3xf32>, %i: tensor<2x1x2x1x2x1xi32>", "tensor<2x1x2x1x2xf32>", R"(
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [4], operand_batching_dims = [0, 1, 2, 3], start_indices_batching_dims = [0, 1, 2, 3], start_index_map = [4], index_vector_dim = 5>, slice_sizes = array<i64: 1, 1, 1, 1, 1>}> : (tensor<2x1x2x1x3xf32>, tensor<2x1x2x1x2x1xi32>) -> tensor<2x1x2x1x2xf32>
    return %0 : tensor<2x1x2x1x2xf32>)");
  EXPECT_EQ(run_stablehlo(
                text, {f32({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 1, 2, 1, 3}), indices()})[0],
            f32({2, 0, 4, 4, 6, 8, 11, 11}, {2, 1, 2, 1, 2}));
}

TEST(StablehloPlaceNumbers, ScatterOfBatchesOfRankFive) {
  const std::string text = stablehlo_function(
      "%x: tensor<2x1x2x1x3xf32>, %i: tensor<2x1x2x1x2x1xi32>, %u: tensor<2x1x2x1x2xf32>",
      "tensor<2x1x2x1x3xf32>", R"(
    %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [4], input_batching_dims = [0, 1, 2, 3], scatter_indices_batching_dims = [0, 1, 2, 3], scatter_dims_to_operand_dims = [4], index_vector_dim = 5>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x1x2x1x3xf32>, tensor<2x1x2x1x2x1xi32>, tensor<2x1x2x1x2xf32>) -> tensor<2x1x2x1x3xf32>
    return %0 : tensor<2x1x2x1x3xf32>)");
  EXPECT_EQ(run_stablehlo(text, {f32(std::vector<float>(12, 0.0F), {2, 1, 2, 1, 3}), indices(),
                                 f32({1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 2, 1, 2})})[0],
            f32({2, 0, 1, 0, 7, 0, 5, 0, 6, 0, 0, 15}, {2, 1, 2, 1, 3}));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_place_numbers_test
