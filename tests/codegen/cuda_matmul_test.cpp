#include <tutti/codegen/cuda/matmul.h>
#include <tutti/codegen/cuda/matmul_layout.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>

#include <cmath>

#include "tests/codegen/matmul_cases.h"
#include "tests/kernels/kernel_testing.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cuda_matmul_test {
namespace {

using cuda::Epilogue;
using cuda::MatrixLayout;
using ir::Array;
using kernels::kernel_testing::random_array;
using test::DeviceCases;
using test::MatmulCase;
using test::seen;
using test::Seen;

void add(DeviceCases& cases, const MatmulCase& one) {
  cases.add(cuda::matmul_source(one.result, one.views(), one.epilogue), one.buffers(),
            one.expected(), one.text(), [one](const Array& result, const Array& expected) {
              return one.is_close(result, expected);
            });
}

// ---- The kernel of our own ----

TEST(DeviceMatmul, EveryDTypeAndLayout) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::number_dtypes()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        if (transpose_a != transpose_b && dtype != DType::f32) continue;
        add(cases, test::plain_matmul(dtype, {70, 20, 65}, transpose_a, transpose_b));
      }
    }
  }
  cases.run();
}

TEST(DeviceMatmul, OddSizes) {
  DeviceCases cases;
  for (const auto& sizes : test::kOddSizes) {
    add(cases, test::plain_matmul(DType::f32, sizes));
    add(cases, test::plain_matmul(DType::bf16, sizes, true, true));
  }
  cases.run();
}

TEST(DeviceMatmul, BatchesAndAnyStrides) {
  DeviceCases cases;
  for (const MatmulCase& one : test::batched_matmuls(DType::f32)) add(cases, one);
  for (const MatmulCase& one : test::batched_matmuls(DType::f16)) add(cases, one);
  // Rows backwards, every second column, from the middle.
  const Seen a = seen(random_array(DType::f32, Shape{9, 40}), Shape{9, 20}, {-40, 2}, 8 * 40 + 1);
  const Seen b = seen(random_array(DType::f32, Shape{1, 33}, 2), Shape{20, 33}, {0, -1}, 32);
  add(cases, {.result = {.dtype = DType::f32, .shape = Shape{9, 33}}, .a = a, .b = b});
  cases.run();
}

TEST(DeviceMatmul, NothingToAddOrNothingAtAll) {
  DeviceCases cases;
  for (const auto& sizes : {test::Sizes{3, 0, 5}, test::Sizes{0, 4, 5}, test::Sizes{3, 4, 0}}) {
    add(cases, test::plain_matmul(DType::f32, sizes));
    add(cases, test::plain_matmul(DType::i8, sizes));
  }
  MatmulCase one = test::plain_matmul(DType::f32, {3, 0, 5});
  one.add_epilogue(Epilogue::Kind::bias);
  add(cases, one);
  cases.run();
}

TEST(DeviceMatmul, Epilogues) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::floating_dtypes()) {
    for (const auto kind : test::kEpilogues) {
      MatmulCase one = test::plain_matmul(dtype, {5, 30, 70});
      one.add_epilogue(kind);
      add(cases, one);
    }
  }
  cases.run();
}

TEST(DeviceMatmul, RefusesWhatHasNoMeaning) {
  const Seen x = seen(Array(DType::boolean, Shape{2, 2}));
  EXPECT_THROW(
      cuda::matmul_source({.dtype = DType::boolean, .shape = Shape{2, 2}}, {x.view, x.view}),
      InternalError);
  const Seen i = seen(Array(DType::i32, Shape{2, 2}));
  EXPECT_THROW(cuda::matmul_source({.dtype = DType::i32, .shape = Shape{2, 2}}, {i.view, i.view},
                                   Epilogue::Kind::bias),
               InternalError);
}

TEST(DeviceMatmul, IntegersAreMultipliedByOurOwnKernel) {
  const Seen x = seen(Array(DType::i32, Shape{2, 2}));
  const auto matmul =
      cuda::device_matmul({.dtype = DType::i32, .shape = Shape{2, 2}}, {x.view, x.view});
  EXPECT_EQ(matmul.detail, "i32 2x2x2");
  EXPECT_TRUE(std::holds_alternative<cuda::Source>(matmul.code));
}

// ---- What cuBLASLt is told ----

std::optional<cuda::MatmulLayout> layout_of(const MatmulCase& one) {
  return cuda::matmul_layout(one.result, one.views());
}

TEST(MatmulLayout, TransposedOperandsAreReadInPlace) {
  const auto plain = layout_of(test::plain_matmul(DType::f32, {5, 7, 9}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->a, (MatrixLayout{.transposed = false, .leading = 7}));
  EXPECT_EQ(plain->b, (MatrixLayout{.transposed = false, .leading = 9}));
  const auto turned = layout_of(test::plain_matmul(DType::f32, {5, 7, 9}, true, true));
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->a, (MatrixLayout{.transposed = true, .leading = 5}));
  EXPECT_EQ(turned->b, (MatrixLayout{.transposed = true, .leading = 7}));
}

TEST(MatmulLayout, ABatchAgainstOneMatrixIsOneTallProduct) {
  const MatmulCase one = {.result = {.dtype = DType::f32, .shape = Shape{4, 3, 5, 9}},
                          .a = seen(Array(DType::f32, Shape{4, 3, 5, 7})),
                          .b = seen(Array(DType::f32, Shape{7, 9}))};
  const auto layout = layout_of(one);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->m, 60);
  EXPECT_EQ(layout->batch, 1);
  EXPECT_EQ(layout->calls.size(), 1U);
}

// q and k of attention, [2, 6, 10, 8] each, as they lie in [2, 10, 3, 6, 8].
MatmulCase attention_scores(std::int64_t batch, std::int64_t length) {
  const Array projected = random_array(DType::f32, Shape{batch, length, 3, 6, 8});
  const std::int64_t row = 3 * 6 * 8;
  return {.result = {.dtype = DType::f32, .shape = Shape{batch, 6, length, length}},
          .a = seen(projected, Shape{batch, 6, length, 8}, {length * row, 8, row, 1}),
          .b = seen(projected, Shape{batch, 6, 8, length}, {length * row, 8, 1, row}, 6 * 8)};
}

TEST(MatmulLayout, ABatchOfTwoStridesTakesACallForEach) {
  const auto layout = layout_of(attention_scores(2, 10));
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->batch, 6);
  EXPECT_EQ(layout->a_stride, 8);
  ASSERT_EQ(layout->calls.size(), 2U);
  EXPECT_EQ(layout->calls[1].a, 10 * 3 * 6 * 8);
  EXPECT_EQ(layout->calls[1].b, 10 * 3 * 6 * 8 + 6 * 8);
  EXPECT_EQ(layout->calls[1].c, 6 * 10 * 10);
}

TEST(MatmulLayout, ManySmallCallsAreWorseThanACopy) {
  const MatmulCase few = attention_scores(3, 10);
  const MatmulCase many = attention_scores(40, 10);
  for (const std::size_t operand : {0, 1}) {
    EXPECT_TRUE(cuda::matmul_takes_view(few.result, few.views(), operand));
    EXPECT_FALSE(cuda::matmul_takes_view(many.result, many.views(), operand));
  }
}

TEST(MatmulLayout, WhatHasNoAdjacentElementsIsCopied) {
  const Array x = random_array(DType::f32, Shape{400});
  const ir::Type result = {.dtype = DType::f32, .shape = Shape{4, 4}};
  const auto takes = [&](const Seen& a) {
    const std::vector<View> views = {a.view, seen(Array(DType::f32, Shape{4, 4})).view};
    EXPECT_EQ(cuda::matmul_layout(result, views).has_value(),
              cuda::matmul_takes_view(result, views, 0));
    return cuda::matmul_takes_view(result, views, 0);
  };
  EXPECT_TRUE(takes(seen(x, Shape{4, 4}, {50, 1}, 3)));
  EXPECT_TRUE(takes(seen(x, Shape{4, 4}, {1, 50}, 3)));
  EXPECT_FALSE(takes(seen(x, Shape{4, 4}, {50, 2})));
  EXPECT_FALSE(takes(seen(x, Shape{4, 4}, {-50, 1}, 200)));
  EXPECT_FALSE(takes(seen(x, Shape{4, 4}, {0, 1})));  // one row, four times
  EXPECT_FALSE(takes(seen(x, Shape{4, 4}, {3, 1})));  // rows that overlap
}

// ---- Epilogues found in kernels ----

// The epilogue of the only kernel of a program whose first step is a matmul with 8 columns.
std::optional<Epilogue> epilogue_in(const std::string& text) {
  ir::Graph graph = ir::parse("// tutti ir 1\n" + text).functions.at(0);
  ir::run_passes(graph);
  const Plan plan = make_plan(graph, 0);
  EXPECT_EQ(plan.kernels.size(), 1U);
  for (const Step& step : plan.steps) {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    const LaunchPart& part = launch->parts.back();
    if (part.kernel < 0) continue;
    const Kernel& kernel = plan.kernels[0];
    // The matmul's result is the only local buffer.
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      const auto id = static_cast<std::size_t>(part.buffers[i]);
      if (plan.buffers[id].kind == PlanBuffer::Kind::local) {
        return cuda::recognise_epilogue(kernel, static_cast<int>(i), 8);
      }
    }
  }
  ADD_FAILURE() << print(plan);
  return std::nullopt;
}

// A layer of 4 rows, with what comes after the product in place of "..."; it ends in %9.
std::optional<Epilogue::Kind> kind_of(const std::string& dtype, const std::string& after) {
  const std::string result = dtype + "[4,8]";
  const auto found =
      epilogue_in("func @layer(%x: " + dtype + "[4,3], %w: " + dtype + "[3,8], %b: " + dtype +
                  "[8], %r: " + result + ") -> (" + result +
                  ") {\n  %0 = matmul(%x, %w) : " + result + "\n" + after + "  return %9\n}");
  if (!found) return std::nullopt;
  return found->kind;
}

std::string line(const std::string& name, const std::string& call, const std::string& dtype) {
  return "  " + name + " = " + call + " : " + dtype + "[4,8]\n";
}

TEST(RecogniseEpilogue, BiasReluAndGeluInEveryDType) {
  for (const std::string dtype : {"f32", "f16", "bf16"}) {
    const std::string sum = line("%1", "add(%b, %0)", dtype);
    EXPECT_EQ(kind_of(dtype, line("%9", "add(%0, %b)", dtype)), Epilogue::Kind::bias);
    EXPECT_EQ(kind_of(dtype, sum + line("%9", "relu(%1)", dtype)), Epilogue::Kind::bias_relu);
    EXPECT_EQ(kind_of(dtype, sum + line("%9", R"(gelu(%1) {approximate = "tanh"})", dtype)),
              Epilogue::Kind::bias_gelu_tanh);
  }
}

TEST(RecogniseEpilogue, NothingElse) {
  const std::string sum = line("%1", "add(%0, %b)", "f32");
  EXPECT_EQ(kind_of("f32", line("%9", "add(%0, %r)", "f32")), std::nullopt);  // a residual
  EXPECT_EQ(kind_of("f32", line("%9", "sub(%0, %b)", "f32")), std::nullopt);
  EXPECT_EQ(kind_of("f32", line("%9", "relu(%0)", "f32")), std::nullopt);
  EXPECT_EQ(kind_of("f32", sum + line("%9", R"(gelu(%1) {approximate = "none"})", "f32")),
            std::nullopt);
  EXPECT_EQ(kind_of("f32", sum + line("%9", "tanh(%1)", "f32")), std::nullopt);
  EXPECT_EQ(kind_of("f32", sum + line("%9", "add(%1, %r)", "f32")), std::nullopt);
  EXPECT_EQ(kind_of("f64", line("%9", "add(%0, %b)", "f64")), std::nullopt);
  // Roundings that the program asks for.
  for (const std::string narrow : {"bf16", "f16", "f8_e4m3fn"}) {
    const auto rounded = [&](const std::string& value, const std::string& name) {
      return "  %7 = cast(" + value + ") {dtype = " + narrow + "} : " + narrow + "[4,8]\n" +
             line(name, "cast(%7) {dtype = f32}", "f32");
    };
    EXPECT_EQ(kind_of("f32", sum + rounded("%1", "%9")), std::nullopt);
    EXPECT_EQ(kind_of("f32", rounded("%0", "%8") + line("%9", "add(%8, %b)", "f32")), std::nullopt);
  }
  // Nearly relu.
  const std::string least = "  %2 = constant() {value = f32[] 1e-8}\n";
  EXPECT_EQ(kind_of("f32", sum + least + line("%9", "maximum(%1, %2)", "f32")), std::nullopt);
}

TEST(RecogniseEpilogue, AKernelThatKeepsMoreThanItsResult) {
  EXPECT_EQ(epilogue_in(R"(
func @layer(%x: f32[4,3], %w: f32[3,8], %b: f32[8]) -> (f32[4,8], f32[4,8]) {
  %0 = matmul(%x, %w) : f32[4,8]
  %1 = add(%0, %b) : f32[4,8]
  %2 = relu(%1) : f32[4,8]
  return %1, %2
})"),
            std::nullopt);
}

TEST(RecogniseEpilogue, NamesTheBuffers) {
  const auto found = epilogue_in(R"(
func @layer(%x: f32[4,3], %w: f32[3,8], %b: f32[8]) -> (f32[4,8]) {
  %0 = matmul(%x, %w) : f32[4,8]
  %1 = add(%0, %b) : f32[4,8]
  return %1
})");
  EXPECT_EQ(found, (Epilogue{.kind = Epilogue::Kind::bias, .bias = 1, .result = 2}));
}

}  // namespace
}  // namespace tutti::codegen::cuda_matmul_test
