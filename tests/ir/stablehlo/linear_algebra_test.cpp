#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Decompositions and triangular systems, as StableHLO's own operations and as calls of LAPACK.
namespace tutti::ir::stablehlo_linear_algebra_test {
namespace {

using test::f32;
using test::i32;
using test::refusal;
using test::run_stablehlo;
using test::stablehlo_function;
using testing::HasSubstr;

TEST(StablehloLinearAlgebra, CholeskyOfOneTriangle) {
  const auto factor = [](const std::string& lower, const Array& a) {
    return run_stablehlo(stablehlo_function("%a: tensor<2x2xf32>", "tensor<2x2xf32>", R"(
    %0 = stablehlo.cholesky %a, lower = )" + lower + R"( : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>)"),
                         {a})[0];
  };
  EXPECT_EQ(factor("true", f32({4, 99, 6, 25}, {2, 2})), f32({2, 0, 3, 4}, {2, 2}));
  EXPECT_EQ(factor("false", f32({4, 6, 99, 25}, {2, 2})), f32({2, 3, 0, 4}, {2, 2}));
}

TEST(StablehloLinearAlgebra, TriangularSystemsOnEitherSide) {
  const auto solve = [](const std::string& left, const std::string& lower,
                        const std::string& transpose, const Array& b) {
    return run_stablehlo(
        stablehlo_function(
            "%a: tensor<2x2xf32>, %b: tensor<2x2xf32>", "tensor<2x2xf32>",
            R"(
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = )" +
                left + ", lower = " + lower + ", transpose_a = #stablehlo<transpose " + transpose +
                R"(>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>)"),
        {f32({2, 5, 3, 4}, {2, 2}), b})[0];
  };
  const Array x = f32({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(solve("true", "true", "NO_TRANSPOSE", f32({2, 4, 15, 22}, {2, 2})), x);
  EXPECT_EQ(solve("true", "false", "NO_TRANSPOSE", f32({17, 24, 12, 16}, {2, 2})), x);
  EXPECT_EQ(solve("true", "true", "TRANSPOSE", f32({11, 16, 12, 16}, {2, 2})), x);
  EXPECT_EQ(solve("false", "true", "NO_TRANSPOSE", f32({8, 8, 18, 16}, {2, 2})), x);
}

std::string lapack(const std::string& target, const std::string& type, const std::string& results) {
  return stablehlo_function("%a: " + type, results,
                            "    %0:3 = stablehlo.custom_call @" + target +
                                "(%a) {mhlo.backend_config = {}} : (" + type + ") -> (" + results +
                                ")\n    return %0#0, %0#1, %0#2 : " + results);
}

TEST(StablehloLinearAlgebra, LuChoosesTheLargestPivotAndSaysWhatFailed) {
  const std::vector<Array> out =
      run_stablehlo(lapack("lapack_sgetrf_ffi", "tensor<2x2x2xf32>",
                           "tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2xi32>"),
                    {f32({1, 2, 4, 4, 1, 2, 2, 4}, {2, 2, 2})});
  EXPECT_EQ(out[0], f32({4, 4, 0.25F, 1, 2, 4, 0.5F, 0}, {2, 2, 2}));
  EXPECT_EQ(out[1], i32({2, 2, 2, 2}, {2, 2}));
  EXPECT_EQ(out[2], i32({0, 2}));
}

TEST(StablehloLinearAlgebra, RefusesOtherCallsAndNoMatrices) {
  EXPECT_THAT(refusal(lapack("lapack_sgesdd_ffi", "tensor<2x2xf32>",
                             "tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>")),
              HasSubstr("m.mlir:3:12: stablehlo.custom_call: @lapack_sgesdd_ffi is not supported; "
                        "of LAPACK's, potrf, getrf and trsm are"));
  EXPECT_THAT(refusal(lapack("lapack_sgetrf_ffi", "tensor<2xf32>",
                             "tensor<2xf32>, tensor<2xi32>, tensor<i32>")),
              HasSubstr("expected matrices of floats"));
  EXPECT_THAT(refusal(lapack("lapack_spotrf_ffi", "tensor<2x2xf32>",
                             "tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>")),
              HasSubstr("the attribute 'uplo' is missing"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_linear_algebra_test
