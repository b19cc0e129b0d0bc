#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/convolution.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <string>
#include <vector>

#include "tests/kernels/kernel_testing.h"
#include <gmock/gmock.h>

namespace tutti::kernels::convolution_test {

namespace {

using kernel_testing::Array;
using Sizes = std::vector<std::int64_t>;

struct Case {
  Sizes x, weight, stride, low, high, dilation;
  std::int64_t groups = 1;
};

std::vector<Case> cases() {
  return {
      {{2, 3, 9}, {4, 3, 3}, {1}, {0}, {0}, {1}},
      {{1, 1, 1}, {1, 1, 1}, {1}, {2}, {3}, {1}},
      {{2, 3, 9, 11}, {5, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 3, 9, 11}, {5, 3, 3, 2}, {2, 3}, {0, 2}, {1, 4}, {1, 2}},
      {{3, 4, 8, 8}, {6, 2, 3, 3}, {1, 2}, {1, 0}, {1, 1}, {2, 1}, 2},
      {{2, 6, 7, 7}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 6},  // depthwise
      {{2, 6, 7, 7}, {12, 1, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 6},
      {{2, 3, 5, 6, 7}, {4, 3, 2, 3, 3}, {1, 2, 1}, {0, 1, 1}, {1, 0, 1}, {2, 1, 1}},
      // More places than results, as in a weight's gradient.
      {{3, 2, 9, 9}, {4, 2, 7, 7}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{5, 4, 12}, {6, 2, 9}, {1}, {2}, {1}, {1}, 2},
      {{3, 2, 9, 9}, {4, 2, 4, 4}, {1, 1}, {1, 1}, {0, 0}, {2, 2}},
      {{70, 2, 30, 30}, {3, 2, 28, 28}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},  // several blocks
      {{2, 8, 40, 90}, {16, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 1, 4}, {1, 1, 2}, {1}, {9}, {9}, {1}},  // mostly zeros around it
      // Small images side by side.
      {{16, 3, 4, 4}, {9, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{35, 4, 5, 4}, {10, 2, 3, 2}, {2, 1}, {1, 0}, {1, 1}, {1, 1}, 2},
      // So many places that they are multiplied in pieces.
      {{1, 1, 26, 26, 26}, {2, 1, 17, 17, 17}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0}, {1, 1, 1}},
      {{1, 2, 5300}, {2, 2, 4300}, {1}, {0}, {0}, {1}},
      {{1, 2, 4496}, {2, 2, 3000}, {1}, {1}, {2}, {1}},
      // Several pieces of a window, in lines and of one.
      {{3, 2, 70, 70}, {4, 2, 66, 64}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{2, 1, 5000}, {11, 1, 4996}, {1}, {0}, {2}, {1}},
      {{9, 3, 20, 20}, {13, 3, 16, 16}, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{3, 4, 40, 40}, {6, 2, 16, 16}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, 2},
      // In parts.
      {{9, 25, 20, 20}, {10, 25, 18, 18}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{5, 12, 24, 24}, {6, 6, 22, 22}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 2},
      // Outputs side by side: in parts, with some to spare, in pieces of lines and of one, with
      // distances, in several blocks of images and outputs, and with large steps.
      {{9, 9, 20, 20}, {16, 9, 18, 18}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{8, 5, 11, 11}, {45, 5, 9, 9}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{6, 2, 68, 66}, {16, 2, 66, 64}, {1, 1}, {1, 0}, {0, 1}, {1, 1}},
      {{12, 1, 3000}, {16, 1, 2996}, {1}, {0}, {2}, {1}},
      {{4, 6, 40, 40}, {28, 3, 16, 16}, {2, 1}, {1, 2}, {0, 1}, {2, 2}, 2},
      {{130, 1, 8, 8}, {136, 1, 7, 6}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
      {{11, 1, 15, 60}, {120, 1, 3, 28}, {3, 1}, {1, 0}, {1, 1}, {4, 2}},
      // Several tiles of lines, of a line, and of outputs.
      {{1, 3, 40, 33}, {13, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 4, 37, 41}, {9, 4, 5, 3}, {2, 2}, {2, 1}, {1, 2}, {1, 1}},
      {{2, 4, 38, 45}, {8, 2, 5, 7}, {2, 3}, {2, 1}, {5, 2}, {3, 2}, 2},
      {{1, 5, 700}, {7, 5, 3}, {1}, {4}, {4}, {4}},
      {{1, 2, 9, 90}, {70, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      // Outputs that fill vectors, and some more: with strides, of small images, in tiles of a
      // line, in several pieces of inputs, and with a window that is a piece.
      {{2, 4, 38, 45}, {76, 2, 5, 4}, {2, 3}, {2, 1}, {5, 2}, {1, 2}, 2},
      {{35, 4, 5, 5}, {44, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2},
      {{1, 5, 700}, {40, 5, 3}, {1}, {4}, {4}, {4}},
      {{2, 40, 12, 13}, {40, 40, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 2, 36, 40}, {20, 2, 16, 18}, {1, 1}, {3, 2}, {0, 1}, {1, 1}},
  };
}

// Views of larger tensors, reversed and with other orders of dimensions.
StridedView turned(const Shape& shape) {
  StridedView view = dense_view(shape);
  std::int64_t stride = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    view.strides[at] = -stride;
    view.offset += stride * (shape[d] - 1);
    stride *= shape[d];
  }
  return view;
}

// With these dimensions first in memory, and then the others.
StridedView with_first(const Shape& shape, const std::vector<int>& first) {
  std::vector<int> order = first;
  for (int d = 0; d < shape.rank(); ++d) {
    if (std::ranges::find(order, d) == order.end()) order.push_back(d);
  }
  StridedView view = dense_view(shape);
  std::int64_t stride = 1;
  for (const int d : order | std::views::reverse) {
    view.strides[static_cast<std::size_t>(d)] = stride;
    stride *= shape[d];
  }
  return view;
}

// Images before or behind, the spatial dimensions, and outputs last.
StridedView outputs_last(const Shape& shape, bool images_first) {
  std::vector<int> order = {0};
  for (int d = 2; d < shape.rank(); ++d) order.push_back(d);
  if (!images_first) std::ranges::rotate(order, order.begin() + 1);
  return with_first(shape, order);
}

// [spatial..., inputs, outputs]
StridedView outputs_innermost(const Shape& shape) {
  std::vector<int> order;
  for (int d = 2; d < shape.rank(); ++d) order.push_back(d);
  order.push_back(1);
  return with_first(shape, order);
}

// Its elements, row-major.
Array shown(const Array& from, const StridedView& view) {
  Array out(from.dtype(), view.shape);
  const auto strides = view.shape.strides();
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    std::int64_t place = view.offset;
    for (int d = 0; d < view.shape.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      place += i / strides[at] % view.shape[d] * view.strides[at];
    }
    const std::int64_t size = size_of(from.dtype());
    std::memcpy(out.bytes().data() + i * size, from.bytes().data() + place * size,
                static_cast<std::size_t>(size));
  }
  return out;
}

// What has to be there before: each tile is run by itself, the last one first.
std::vector<std::byte> parts_of(const PreparedConvolution& convolution, const Array& x,
                                const Array& weight) {
  std::vector<std::byte> out(static_cast<std::size_t>(parts_bytes(convolution)));
  if (out.empty()) return out;
  const ConvolutionParts parts{convolution};
  for (std::int64_t tile = tiles(parts); tile-- > 0;) {
    run(parts, x.bytes().data(), weight.bytes().data(), out.data(), tile, tile + 1);
  }
  return out;
}

// What a convolution says that it has computed, copied when it says so. Each tile is run by itself,
// the last one first.
Array told_by(const PreparedConvolution& convolution, const Array& x, const Array& weight,
              const Shape& shape) {
  Array result(x.dtype(), shape);
  Array told(x.dtype(), shape);
  const auto parts = parts_of(convolution, x, weight);
  const ResultDivision all = division(convolution);
  EXPECT_EQ(all.rows * all.columns, shape.elements());
  const std::int64_t size = size_of(x.dtype());
  const auto copy = [&](const ResultTile& tile) {
    EXPECT_EQ(tile.column_begin % all.tile_columns, 0);
    EXPECT_EQ(tile.column_end, std::min(tile.column_begin + all.tile_columns, all.columns));
    for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
      const std::int64_t at = (row * all.columns + tile.column_begin) * size;
      std::memcpy(told.bytes().data() + at, result.bytes().data() + at,
                  static_cast<std::size_t>((tile.column_end - tile.column_begin) * size));
    }
  };
  for (std::int64_t tile = tiles(convolution); tile-- > 0;) {
    run(convolution, x.bytes().data(), weight.bytes().data(), parts.data(), result.bytes().data(),
        tile, tile + 1, copy);
  }
  return told;
}

// As the weight of the gradient of x: its spatial dimensions reversed.
StridedView mirrored(const Shape& shape) {
  StridedView view = dense_view(shape);
  for (int d = 2; d < shape.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    view.offset += view.strides[at] * (shape[d] - 1);
    view.strides[at] = -view.strides[at];
  }
  return view;
}

class ConvolutionOf : public testing::TestWithParam<DType> {};

// The first elements of lines that are longer than that.
StridedView with_gaps(const Shape& shape) {
  StridedView view = dense_view(shape);
  std::int64_t stride = 1;
  for (int d = shape.rank(); d-- > 0;) {
    view.strides[static_cast<std::size_t>(d)] = stride;
    stride *= shape[d] + (d + 1 == shape.rank() ? 3 : 0);
  }
  return view;
}

TEST_P(ConvolutionOf, IsWhatTheOpMeans) {
  for (const Case& each : cases()) {
    const auto with_more = [](Sizes sizes) {
      sizes.back() += 3;
      return Shape(sizes);
    };
    const Array x = kernel_testing::random_array(GetParam(), with_more(each.x), 1);
    const Array weight = kernel_testing::random_array(GetParam(), with_more(each.weight), 2);
    const Shape x_shape(each.x);
    const Shape weight_shape(each.weight);
    const StridedView x_views[] = {dense_view(x_shape), turned(x_shape), with_gaps(x_shape),
                                   outputs_last(x_shape, true), dense_view(x_shape)};
    const StridedView weight_views[] = {dense_view(weight_shape), turned(weight_shape),
                                        with_gaps(weight_shape), outputs_innermost(weight_shape),
                                        mirrored(weight_shape)};
    // The interpreter takes its time.
    const bool large = x.elements() * weight.elements() > 20'000'000;
    for (std::size_t way = 0; way < (large ? 2 : std::size(x_views)); ++way) {
      const StridedView& x_view = x_views[way];
      const StridedView& weight_view = weight_views[way];
      const Array expected =
          kernel_testing::meaning(ir::Op::conv, {shown(x, x_view), shown(weight, weight_view)},
                                  {each.stride, each.low, each.high, each.dilation, each.groups});
      const Shape& shape = expected.shape();
      const PreparedConvolution convolution(Convolution{.dtype = GetParam(),
                                                        .x = x_view,
                                                        .weight = weight_view,
                                                        .stride = each.stride,
                                                        .low = each.low,
                                                        .dilation = each.dilation,
                                                        .out = {shape.begin() + 2, shape.end()},
                                                        .groups = each.groups});
      SCOPED_TRACE(shape.text());
      Array result(GetParam(), shape);
      run(convolution, x.bytes().data(), weight.bytes().data(),
          parts_of(convolution, x, weight).data(), result.bytes().data(), 0, tiles(convolution));
      EXPECT_EQ(result, told_by(convolution, x, weight, shape));
      const double most = GetParam() == DType::f32 ? 2e-3 : 1e-11;
      for (std::int64_t i = 0; i < result.elements(); ++i) {
        ASSERT_NEAR(result.at(i), expected.at(i), most) << i << " of way " << way;
      }
    }
  }
}

// Where steps between results or places are long, what they see is not copied with all that lies
// between.
TEST(Convolution, NeedsLittleMemoryForLongSteps) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{64, 1, 100}, 1);
  const Array weight = kernel_testing::random_array(DType::f32, Shape{16, 1, 64}, 2);
  const PreparedConvolution convolution(Convolution{.dtype = DType::f32,
                                                    .x = dense_view(x.shape()),
                                                    .weight = dense_view(weight.shape()),
                                                    .stride = {1},
                                                    .low = {0},
                                                    .dilation = {1'000'000'000'000},
                                                    .out = {2}});
  Array result(DType::f32, Shape{64, 16, 2});
  run(convolution, x.bytes().data(), weight.bytes().data(), nullptr, result.bytes().data(), 0,
      tiles(convolution));
  EXPECT_FLOAT_EQ(static_cast<float>(result.at(0)), static_cast<float>(x.at(0) * weight.at(0)));
  EXPECT_FLOAT_EQ(static_cast<float>(result.at(1)), static_cast<float>(x.at(1) * weight.at(0)));
}

// As many as there are good tiles, of inputs that do not divide evenly; none where results are
// many, or tiles.
TEST(Convolution, HasPartsWhereFewResultsAddMuchUp) {
  const auto bytes = [](const Shape& x, const Shape& weight, std::int64_t out) {
    return parts_bytes(Convolution{.dtype = DType::f32,
                                   .x = dense_view(x),
                                   .weight = dense_view(weight),
                                   .stride = {1, 1},
                                   .low = {0, 0},
                                   .dilation = {1, 1},
                                   .out = {out, out}});
  };
  EXPECT_EQ(bytes({9, 24, 20, 20}, {10, 24, 18, 18}, 3), 8 * 9 * 10 * 9 * 4);
  EXPECT_EQ(bytes({9, 25, 20, 20}, {10, 25, 18, 18}, 3), 7 * 9 * 10 * 9 * 4);
  EXPECT_EQ(bytes({9, 24, 20, 20}, {16, 24, 18, 18}, 3), 8 * 9 * 16 * 9 * 4);
  EXPECT_EQ(bytes({64, 16, 10, 10}, {64, 16, 8, 8}, 3), 0);
  EXPECT_EQ(bytes({600, 32, 20, 20}, {600, 32, 18, 18}, 3), 0);
}

// A weight of one output may have any distance from the one that is not there.
TEST(Convolution, AddsAllInputsWhateverTheStrideOfOneOutput) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{1, 2, 899}, 1);
  const Array weight = kernel_testing::random_array(DType::f32, Shape{1, 2, 600}, 2);
  const std::vector<std::int64_t> zero = {0};
  const std::vector<std::int64_t> one = {1};
  const Array expected =
      kernel_testing::meaning(ir::Op::conv, {x, weight}, {one, zero, zero, one, std::int64_t{1}});
  StridedView view = dense_view(weight.shape());
  view.strides[0] = 0;
  const PreparedConvolution convolution(Convolution{.dtype = DType::f32,
                                                    .x = dense_view(x.shape()),
                                                    .weight = view,
                                                    .stride = one,
                                                    .low = zero,
                                                    .dilation = one,
                                                    .out = {300}});
  Array result(DType::f32, expected.shape());
  run(convolution, x.bytes().data(), weight.bytes().data(), nullptr, result.bytes().data(), 0,
      tiles(convolution));
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    ASSERT_NEAR(result.at(i), expected.at(i), 2e-3) << i;
  }
}

// Whatever lies where, results are the same, and so are those of a tile alone, which are there when
// it says so.
// Which way vectors go depends on how many outputs there are, bits do not.
TEST(Convolution, OutputsHaveTheSameBitsHoweverManyThereAre) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{2, 40, 12, 13}, 1);
  const Array weight = kernel_testing::random_array(DType::f32, Shape{40, 40, 3, 3}, 2);
  const auto of_first = [&](std::int64_t outputs) {
    const PreparedConvolution convolution(Convolution{.x = dense_view(x.shape()),
                                                      .weight = dense_view({outputs, 40, 3, 3}),
                                                      .stride = {1, 1},
                                                      .low = {1, 1},
                                                      .dilation = {1, 1},
                                                      .out = {12, 13}});
    Array result(DType::f32, Shape{2, outputs, 12, 13});
    run(convolution, x.bytes().data(), weight.bytes().data(), nullptr, result.bytes().data(), 0,
        tiles(convolution));
    return result;
  };
  const Array all = of_first(40);
  const Array some = of_first(7);
  constexpr std::int64_t kSome = 7LL * 12 * 13;
  for (std::int64_t image = 0; image < 2; ++image) {
    for (std::int64_t i = 0; i < kSome; ++i) {
      ASSERT_EQ(all.at(image * 40 * 12 * 13 + i), some.at(image * kSome + i)) << i;
    }
  }
}

TEST_P(ConvolutionOf, HasItsOutputsLast) {
  std::vector<Case> all = cases();
  all.push_back({{3, 40, 6, 7}, {70, 40, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  all.push_back({{2, 300, 5, 5}, {64, 300, 5, 5}, {2, 1}, {2, 2}, {2, 2}, {1, 1}});  // in parts
  all.push_back({{48, 5, 18, 18}, {32, 5, 16, 16}, {1, 1}, {0, 0}, {0, 0}, {1, 1}});
  all.push_back({{40, 3, 17, 15}, {20, 3, 8, 8}, {1, 1}, {0, 0}, {1, 1}, {2, 2}});
  // Of several groups: whole vectors, parts of one, and outputs that tiles share.
  all.push_back({{3, 12, 9, 7}, {32, 6, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2});
  all.push_back({{2, 12, 6, 7}, {30, 4, 3, 2}, {2, 1}, {1, 0}, {1, 1}, {1, 2}, 3});
  all.push_back({{1, 36, 5, 4}, {140, 18, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2});
  all.push_back({{2, 300, 5, 5}, {64, 150, 5, 5}, {2, 1}, {2, 2}, {2, 2}, {1, 1}, 2});
  for (const Case& each : all) {
    const Array x = kernel_testing::random_array(GetParam(), Shape(each.x), 1);
    const Array weight = kernel_testing::random_array(GetParam(), Shape(each.weight), 2);
    const StridedView x_views[] = {dense_view(x.shape()), turned(x.shape()),
                                   outputs_last(x.shape(), true), outputs_last(x.shape(), false)};
    const StridedView weight_views[] = {dense_view(weight.shape()), turned(weight.shape()),
                                        outputs_last(weight.shape(), true),
                                        outputs_innermost(weight.shape())};
    // The interpreter takes its time.
    const bool large = x.elements() * weight.elements() > 20'000'000;
    for (std::size_t way = large ? 2 : 0; way < (large ? 3 : std::size(x_views)); ++way) {
      const StridedView& weight_view = weight_views[way];
      const Array expected = kernel_testing::meaning(
          ir::Op::conv, {shown(x, x_views[way]), shown(weight, weight_view)},
          {each.stride, each.low, each.high, each.dilation, each.groups});
      const Shape& shape = expected.shape();
      const StridedView result_view = outputs_last(shape, way % 2 == 0);
      const PreparedConvolution convolution(
          Convolution{.dtype = GetParam(),
                      .x = x_views[way],
                      .weight = weight_view,
                      .stride = each.stride,
                      .low = each.low,
                      .dilation = each.dilation,
                      .out = {shape.begin() + 2, shape.end()},
                      .groups = each.groups,
                      .result_strides = {result_view.strides.begin(),
                                         result_view.strides.begin() + shape.rank()}});
      SCOPED_TRACE(Shape(each.x).text() + Shape(each.weight).text());
      Array result(GetParam(), shape);
      const std::int64_t count = tiles(convolution);
      run(convolution, x.bytes().data(), weight.bytes().data(), nullptr, result.bytes().data(), 0,
          count);
      if (division(convolution).columns > 0) {
        EXPECT_EQ(result, told_by(convolution, x, weight, shape));
      } else {
        Array in_pieces(GetParam(), shape);
        for (std::int64_t tile = count; tile-- > 0;) {
          run(convolution, x.bytes().data(), weight.bytes().data(), nullptr,
              in_pieces.bytes().data(), tile, tile + 1);
        }
        EXPECT_EQ(result, in_pieces);
      }
      const Array got = shown(result, result_view);
      const double most = GetParam() == DType::f32 ? 2e-3 : 1e-11;
      for (std::int64_t i = 0; i < got.elements(); ++i) {
        ASSERT_NEAR(got.at(i), expected.at(i), most) << i << " of way " << way;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, ConvolutionOf, testing::Values(DType::f32, DType::f64),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Convolution, RefusesWhatDoesNotFit) {
  const Convolution good{.x = dense_view({1, 2, 5}),
                         .weight = dense_view({3, 2, 2}),
                         .stride = {1},
                         .low = {0},
                         .dilation = {1},
                         .out = {4}};
  EXPECT_GE(tiles(good), 1);
  Convolution bad = good;
  bad.dtype = DType::i32;
  EXPECT_THROW(tiles(bad), InternalError);
  bad = good;
  bad.groups = 2;
  EXPECT_THROW(tiles(bad), InternalError);
  bad = good;
  bad.stride = {0};
  EXPECT_THROW(tiles(bad), InternalError);
  bad = good;
  bad.result_strides = {12, 4, 1};
  EXPECT_THROW(tiles(bad), InternalError);
  bad = good;
  bad.x = dense_view({0, 2, 5});
  EXPECT_THROW(tiles(bad), InternalError);
}

}  // namespace

}  // namespace tutti::kernels::convolution_test
