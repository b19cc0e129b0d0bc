#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>
#include <vector>

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

// Matrices of more columns than are done one by one.
constexpr std::int64_t kSize = 70;

Array random_matrix(const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::vector<double> out(static_cast<std::size_t>(shape.elements()));
  for (double& number : out) number = numbers(generator);
  return Array::from<double>(out, shape);
}

struct Matrix {
  explicit Matrix(const Array& array)
      : rows(array.shape()[array.shape().rank() - 2]),
        columns(array.shape()[array.shape().rank() - 1]),
        numbers(array.data<double>().begin(), array.data<double>().end()) {}
  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count),
        columns(column_count),
        numbers(static_cast<std::size_t>(row_count * column_count)) {}
  double& operator()(std::int64_t i, std::int64_t j) {
    return numbers[static_cast<std::size_t>(i * columns + j)];
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    return numbers[static_cast<std::size_t>(i * columns + j)];
  }
  std::int64_t rows;
  std::int64_t columns;
  std::vector<double> numbers;
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      for (std::int64_t j = 0; j < b.columns; ++j) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}

Matrix turned(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) out(j, i) = a(i, j);
  }
  return out;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    out = std::max(out, std::abs(a.numbers[i] - b.numbers[i]));
  }
  return out;
}

std::string matrix_type(std::int64_t rows, std::int64_t columns) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf64>";
}

TEST(StablehloLinearAlgebra, MatricesAreNotTooLargeForAProgram) {
  const std::string type = matrix_type(20'000, 20'000);
  EXPECT_THAT(refusal(stablehlo_function("%a: " + type, type, R"(
    %0 = stablehlo.cholesky %a, lower = true : )" + type + R"(
    return %0 : )" + type)),
              HasSubstr("up to 16384 columns"));
}

TEST(StablehloLinearAlgebra, CholeskyOfManyColumns) {
  const Matrix root(random_matrix({kSize, kSize}, 1));
  Matrix square = product(root, turned(root));
  for (std::int64_t i = 0; i < kSize; ++i) square(i, i) += 1;
  const std::string type = matrix_type(kSize, kSize);
  const auto out = run_stablehlo(stablehlo_function("%a: " + type, type, R"(
    %0 = stablehlo.cholesky %a, lower = true : )" + type + R"(
    return %0 : )" + type),
                                 {Array::from<double>(square.numbers, {kSize, kSize})});
  const Matrix factor(out[0]);
  EXPECT_LT(largest_difference(product(factor, turned(factor)), square), 1e-12);
  for (std::int64_t i = 0; i < kSize; ++i) {
    for (std::int64_t j = i + 1; j < kSize; ++j) EXPECT_EQ(factor(i, j), 0);
  }
}

// Blocks on the diagonal are inverted where there are so many right sides, the last one too.
TEST(StablehloLinearAlgebra, TriangularSystemsOfManyRightSides) {
  for (const std::int64_t rows : {std::int64_t{5}, kSize}) {
    const std::int64_t columns = 200;
    Array a = random_matrix({rows, rows}, 4);
    for (std::int64_t i = 0; i < rows; ++i) {
      a.data<double>()[static_cast<std::size_t>(i * rows + i)] += i % 2 == 0 ? 9 : -9;
    }
    const Array b = random_matrix({rows, columns}, 5);
    const std::string types = matrix_type(rows, rows) + ", %b: " + matrix_type(rows, columns);
    const auto out = run_stablehlo(
        stablehlo_function("%a: " + types, matrix_type(rows, columns),
                           R"(
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : ()" +
                               matrix_type(rows, rows) + ", " + matrix_type(rows, columns) +
                               ") -> " + matrix_type(rows, columns) +
                               "\n    return %0 : " + matrix_type(rows, columns)),
        {a, b});
    Matrix lower(a);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = i + 1; j < rows; ++j) lower(i, j) = 0;
    }
    EXPECT_LT(largest_difference(product(lower, Matrix(out[0])), Matrix(b)), 1e-12) << rows;
  }
}

TEST(StablehloLinearAlgebra, LuOfManyColumns) {
  for (const auto& [rows, columns] : {std::pair{kSize, kSize},
                                      {kSize, kSize + 30},
                                      {kSize + 30, kSize},
                                      {std::int64_t{20}, kSize}}) {
    const std::int64_t steps = std::min(rows, columns);
    const std::string results =
        matrix_type(rows, columns) + ", tensor<" + std::to_string(steps) + "xi32>, tensor<i32>";
    const Array a = random_matrix({rows, columns}, 2);
    const auto out =
        run_stablehlo(lapack("lapack_dgetrf_ffi", matrix_type(rows, columns), results), {a});
    const Matrix packed(out[0]);
    Matrix lower(rows, steps);
    Matrix upper(steps, columns);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (i > j) lower(i, j) = packed(i, j);
        if (i == j) lower(i, j) = 1;
        if (i <= j) upper(i, j) = packed(i, j);
      }
    }
    Matrix exchanged(a);
    const auto pivots = out[1].data<std::int32_t>();
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t other = pivots[static_cast<std::size_t>(i)] - 1;
      ASSERT_GE(other, i);
      for (std::int64_t j = 0; j < columns; ++j) std::swap(exchanged(i, j), exchanged(other, j));
    }
    EXPECT_LT(largest_difference(product(lower, upper), exchanged), 1e-12);
    EXPECT_EQ(out[2], Array::scalar_of(DType::i32, 0));
  }
}

TEST(StablehloLinearAlgebra, QrOfAnyShape) {
  for (const auto& [rows, columns] : {std::pair{std::int64_t{3}, std::int64_t{3}},
                                      {kSize, kSize},
                                      {kSize + 30, kSize},
                                      {kSize, std::int64_t{4}},
                                      {std::int64_t{4}, kSize},
                                      {kSize - 30, kSize}}) {
    const std::int64_t steps = std::min(rows, columns);
    const std::string type = matrix_type(rows, columns);
    const std::string q_type = matrix_type(rows, steps);
    const std::string taus = "tensor<" + std::to_string(steps) + "xf64>";
    const std::string part = "[0:" + std::to_string(rows) + ", 0:" + std::to_string(steps) + "]";
    const Array a = random_matrix({rows, columns}, 3);
    const auto out =
        run_stablehlo(stablehlo_function("%a: " + type, type + ", " + q_type,
                                         R"(
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}} : ()" +
                                             type + ") -> (" + type + ", " + taus + R"()
    %1 = stablehlo.slice %0#0 )" + part + " : (" +
                                             type + ") -> " + q_type + R"(
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {mhlo.backend_config = {}} : ()" +
                                             q_type + ", " + taus + ") -> " + q_type + R"(
    return %0#0, %2 : )" + type + ", " + q_type),
                      {a});
    const Matrix packed(out[0]);
    const Matrix q(out[1]);
    Matrix r(steps, columns);
    Matrix ones(steps, steps);
    for (std::int64_t i = 0; i < steps; ++i) {
      ones(i, i) = 1;
      for (std::int64_t j = i; j < columns; ++j) r(i, j) = packed(i, j);
    }
    EXPECT_LT(largest_difference(product(q, r), Matrix(a)), 1e-12);
    EXPECT_LT(largest_difference(product(turned(q), q), ones), 1e-12);
  }
}

TEST(StablehloLinearAlgebra, QrOfABatchIsThatOfEach) {
  const auto factors = [](const std::string& batch, const Array& a) {
    const std::string type = "tensor<" + batch + "40x36xf64>";
    const std::string taus = "tensor<" + batch + "36xf64>";
    return run_stablehlo(
        stablehlo_function("%a: " + type, type,
                           "    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) "
                           "{mhlo.backend_config = {}} : (" +
                               type + ") -> (" + type + ", " + taus +
                               ")\n    return %0#0 : " + type),
        {a})[0];
  };
  const Array both = random_matrix({2, 40, 36}, 3);
  const Array of_both = factors("2x", both);
  const auto numbers = both.data<double>();
  const std::size_t half = numbers.size() / 2;
  for (std::size_t i = 0; i < 2; ++i) {
    Array one(DType::f64, {40, 36});
    std::ranges::copy(numbers.subspan(i * half, half), one.data<double>().begin());
    const Array of_one = factors("", one);
    for (std::size_t j = 0; j < half; ++j) {
      ASSERT_NEAR(of_both.data<double>()[i * half + j], of_one.data<double>()[j], 1e-12);
    }
  }
}

// Nothing to reflect: a column that is zero below its diagonal stays as it is, as in LAPACK.
TEST(StablehloLinearAlgebra, QrOfWhatIsTriangularAlready) {
  const std::string type = "tensor<3x2xf32>";
  const auto out = run_stablehlo(stablehlo_function("%a: " + type, type + ", tensor<2xf32>", R"(
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<3x2xf32>, tensor<2xf32>)"),
                                 {f32({-2, 1, 0, 0, 0, 0}, {3, 2})});
  EXPECT_EQ(out[0], f32({-2, 1, 0, 0, 0, 0}, {3, 2}));
  EXPECT_EQ(out[1], f32({0, 0}));
}

TEST(StablehloLinearAlgebra, RefusesOtherCallsAndNoMatrices) {
  EXPECT_THAT(refusal(lapack("lapack_sgesdd_ffi", "tensor<2x2xf32>",
                             "tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>")),
              HasSubstr("m.mlir:3:12: stablehlo.custom_call: @lapack_sgesdd_ffi is not supported; "
                        "of LAPACK's, potrf, getrf, geqrf, orgqr and trsm are"));
  for (const std::string name : {"lapack_ffi", "lapack__ffi", "lapack_s_ffi"}) {
    EXPECT_THAT(
        refusal(lapack(name, "tensor<2x2xf32>", "tensor<2x2xf32>, tensor<2xi32>, tensor<i32>")),
        HasSubstr("@" + name + " is not supported"));
  }
  EXPECT_THAT(refusal(lapack("lapack_sgetrf_ffi", "tensor<2xf32>",
                             "tensor<2xf32>, tensor<2xi32>, tensor<i32>")),
              HasSubstr("expected matrices of floats"));
  EXPECT_THAT(refusal(lapack("lapack_spotrf_ffi", "tensor<2x2xf32>",
                             "tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>")),
              HasSubstr("the attribute 'uplo' is missing"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_linear_algebra_test
