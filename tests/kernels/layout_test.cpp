#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/layout.h>

#include <numeric>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::layout_test {
namespace {

using kernel_testing::Array;
using Sizes = std::vector<std::int64_t>;

constexpr DType kWidths[] = {DType::u8, DType::u16, DType::u32, DType::u64};

StridedView view_of(const Shape& shape, const Sizes& strides, std::int64_t offset = 0) {
  StridedView view = {shape, {}, offset};
  std::copy(strides.begin(), strides.end(), view.strides.begin());
  return view;
}

// The elements that a view shows.
Array shown(const Array& source, const StridedView& view) {
  Array out(source.dtype(), view.shape);
  const auto size = static_cast<std::size_t>(size_of(source.dtype()));
  std::byte* to = out.bytes().data();
  for_each_index(view.shape, [&](std::span<const std::int64_t> index) {
    std::int64_t from = view.offset;
    for (std::size_t d = 0; d < index.size(); ++d) from += index[d] * view.strides[d];
    std::memcpy(to, source.bytes().data() + from * static_cast<std::int64_t>(size), size);
    to += size;
  });
  return out;
}

void check_copy(const Array& source, const StridedView& view) {
  const StridedCopy spec = {size_of(source.dtype()), view};
  kernel_testing::expect_result(
      spec, shown(source, view),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        const void* const place = source.bytes().data();
        run(spec, &place, result, begin, end);
      },
      "copy of " + view.shape.text());
}

TEST(StridedCopy, EveryPermutation) {
  for (const DType dtype : kWidths) {
    const Array x = kernel_testing::random_array(dtype, Shape{3, 5, 18, 33});
    const auto strides = x.shape().strides();
    std::array<int, 4> order = {0, 1, 2, 3};
    do {
      StridedView view;
      Sizes sizes;
      for (std::size_t d = 0; d < order.size(); ++d) {
        sizes.push_back(x.shape()[order[d]]);
        view.strides[d] = strides[static_cast<std::size_t>(order[d])];
      }
      view.shape = Shape(sizes);
      check_copy(x, view);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(StridedCopy, AsInterpreted) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{4, 6, 5});
  const void* const place = x.bytes().data();
  const StridedCopy transpose = {4, view_of(Shape{5, 4, 6}, {1, 30, 5})};
  kernel_testing::expect_result(
      transpose, kernel_testing::meaning(ir::Op::transpose, {x}, {Sizes{2, 0, 1}}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(transpose, &place, result, begin, end);
      },
      "transpose");
  const StridedCopy reverse = {4, view_of(Shape{4, 6, 5}, {30, -5, 1}, 25)};
  kernel_testing::expect_result(
      reverse, kernel_testing::meaning(ir::Op::reverse, {x}, {Sizes{1}}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(reverse, &place, result, begin, end);
      },
      "reverse");
}

TEST(StridedCopy, SlicesStepsBroadcastsAndReversals) {
  for (const DType dtype : kWidths) {
    const Array x = kernel_testing::random_array(dtype, Shape{20'000});
    check_copy(x, view_of(Shape{}, {}, 17));
    check_copy(x, view_of(Shape{1, 1}, {3, 5}, 17));
    check_copy(x, view_of(Shape{19'999}, {-1}, 19'998));
    check_copy(x, view_of(Shape{6'000}, {3}, 2));
    check_copy(x, view_of(Shape{5'000}, {0}, 2));
    check_copy(x, view_of(Shape{100, 50}, {200, 2}, 1));
    check_copy(x, view_of(Shape{30, 50}, {0, 1}, 5));
    check_copy(x, view_of(Shape{30, 50}, {1, 0}, 5));
    check_copy(x, view_of(Shape{10, 30, 50}, {50, 0, 1}));
    check_copy(x, view_of(Shape{7, 70, 50}, {71, -1, 390}, 69));
    check_copy(x, view_of(Shape{40, 30}, {1, 1}));  // overlapping windows
    check_copy(x, view_of(Shape{2, 1, 2, 1, 2, 2, 3, 2}, {1, 9, 64, 9, 128, 2, 256, 4}));
  }
}

TEST(StridedCopy, Transposes) {
  for (const DType dtype : kWidths) {
    for (const std::int64_t rows : {1, 2, 15, 16, 17, 64, 300}) {
      for (const std::int64_t columns : {2, 15, 16, 33, 700}) {
        const Array x = kernel_testing::random_array(dtype, Shape{columns, rows});
        check_copy(x, view_of(Shape{rows, columns}, {1, rows}));
      }
    }
    const Array batch = kernel_testing::random_array(dtype, Shape{500, 6, 7});
    check_copy(batch, view_of(Shape{500, 7, 6}, {42, 1, 7}));
    check_copy(batch, view_of(Shape{7, 500, 6}, {1, 42, 7}));
  }
}

TEST(StridedCopy, ShortRows) {
  for (const DType dtype : kWidths) {
    for (const std::int64_t count : {1, 2, 3, 4, 5, 6, 8, 12, 16, 31, 32, 64, 65}) {
      const Array x = kernel_testing::random_array(dtype, Shape{60, 5, 30, count});
      const Sizes strides = {count, 30 * count, 150 * count, 1};
      check_copy(x, view_of(Shape{30, 5, 60, count}, strides));
      check_copy(x, view_of(Shape{29, 4, 59, count}, strides, 31 * count));
    }
  }
}

TEST(StridedCopy, PairsThatAreTakenApartAndPutTogether) {
  for (const DType dtype : kWidths) {
    for (const std::int64_t columns : {1, 3, 4, 16, 37, 300}) {
      const Array x = kernel_testing::random_array(dtype, Shape{9, 2, columns, 2});
      check_copy(x, view_of(Shape{9, 2, 2, columns}, {4 * columns, 2 * columns, 1, 2}));
      check_copy(x, view_of(Shape{9, 2, columns, 2}, {4 * columns, 1, 2, 2 * columns}));
      check_copy(x, view_of(Shape{9, columns, 2, 2}, {4 * columns, 1, columns, 2 * columns}));
    }
  }
}

TEST(StridedCopy, Nothing) {
  EXPECT_EQ(tiles(StridedCopy{4, dense_view(Shape{3, 0, 2})}), 0);
  EXPECT_EQ(tiles(StridedCopy{4, dense_view(Shape{0})}), 0);
  check_copy(Array(DType::f32, Shape{0}), view_of(Shape{0, 5, 6}, {1, 0, 2}));
}

TEST(StridedCopy, HasTilesOfTheShapeAlone) {
  EXPECT_EQ(tiles(StridedCopy{4, dense_view(Shape{10})}), 1);
  EXPECT_GE(tiles(StridedCopy{4, dense_view(Shape{1000, 1000})}), 16);
  EXPECT_GE(tiles(StridedCopy{4, view_of(Shape{1000, 1000}, {1, 1000})}), 16);
  EXPECT_THROW(tiles(StridedCopy{3, dense_view(Shape{10})}), InternalError);
}

void check_pad(const Array& source, const StridedView& view, const Sizes& low, const Sizes& high,
               const Sizes& interior) {
  const Array fill = kernel_testing::random_array(source.dtype(), Shape{}, 9);
  const Array zero(source.dtype(), Shape{});
  const Pad spec = {size_of(source.dtype()), view, low, high, interior};
  for (const Array& value : {fill, zero}) {
    kernel_testing::expect_result(
        spec,
        kernel_testing::meaning(ir::Op::pad, {shown(source, view), value}, {low, high, interior}),
        [&](void* result, std::int64_t begin, std::int64_t end) {
          run(spec, source.bytes().data(), value.bytes().data(), result, begin, end);
        },
        "pad of " + view.shape.text());
  }
}

TEST(Pad, EveryDirectionAndStride) {
  for (const DType dtype : kWidths) {
    const Array x = kernel_testing::random_array(dtype, Shape{4, 5, 6});
    for (const StridedView& view :
         {dense_view(x.shape()), view_of(Shape{6, 5, 4}, {1, 6, 30}),
          view_of(Shape{4, 5, 3}, {30, 6, 2}), view_of(Shape{4, 5, 6}, {-30, 0, -1}, 95),
          view_of(Shape{1, 5, 6}, {0, 6, 1}), view_of(Shape{4, 1, 6}, {30, 0, 1})}) {
      check_pad(x, view, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
      check_pad(x, view, {1, 0, 0}, {2, 0, 0}, {0, 0, 0});
      check_pad(x, view, {0, 1, 0}, {0, 3, 0}, {0, 0, 0});
      check_pad(x, view, {0, 0, 2}, {0, 0, 1}, {0, 0, 0});
      check_pad(x, view, {1, 2, 3}, {3, 0, 2}, {0, 0, 0});
      check_pad(x, view, {1, 2, 3}, {3, 0, 2}, {2, 1, 3});
      check_pad(x, view, {0, 0, 0}, {0, 0, 0}, {3, 0, 0});
      check_pad(x, view, {0, 0, 0}, {0, 0, 0}, {0, 2, 1});
    }
  }
}

TEST(Pad, ScalarsAndNothing) {
  check_pad(kernel_testing::random_array(DType::f32, Shape{}), dense_view(Shape{}), {}, {}, {});
  check_pad(Array(DType::f32, Shape{0}), dense_view(Shape{0}), {2}, {3}, {4});
  check_pad(Array(DType::f32, Shape{0}), dense_view(Shape{2, 0}), {1, 0}, {1, 0}, {0, 0});
  check_pad(Array(DType::f32, Shape{0}), dense_view(Shape{2, 0, 3}), {1, 1, 0}, {1, 1, 0},
            {1, 5, 0});
}

TEST(Pad, ManyTiles) {
  const Array x = kernel_testing::random_array(DType::u64, Shape{50'000});
  check_pad(x, dense_view(Shape{50'000}), {30'000}, {20'000}, {0});
  check_pad(x, dense_view(Shape{50'000}), {30'000}, {20'001}, {2});
  check_pad(x, dense_view(Shape{500, 100}), {2, 3}, {1, 4}, {1, 0});
  EXPECT_THROW(tiles(Pad{4, dense_view(Shape{3}), {1, 1}, {1}, {0}}), InternalError);
}

void check_concat(DType dtype, const std::vector<Shape>& shapes, int axis) {
  Concat spec = {size_of(dtype), axis, {}};
  std::vector<Array> operands;
  std::vector<Array> dense;
  for (const Shape& shape : shapes) {
    // Every second operand is shown with its dimensions stored in the opposite order.
    StridedView view = dense_view(shape);
    if (operands.size() % 2 == 1) {
      std::int64_t stride = 1;
      for (int d = 0; d < shape.rank(); ++d) {
        view.strides[static_cast<std::size_t>(d)] = stride;
        stride *= std::max<std::int64_t>(shape[d], 1);
      }
    }
    view.offset = 3;
    operands.push_back(kernel_testing::random_array(dtype, Shape{shape.elements() + 3},
                                                    static_cast<unsigned>(operands.size())));
    dense.push_back(shown(operands.back(), view));
    spec.sources.push_back(view);
  }
  std::vector<const void*> pointers;
  for (const Array& operand : operands) pointers.push_back(operand.bytes().data());
  kernel_testing::expect_result(
      spec, kernel_testing::meaning(ir::Op::concat, dense, {std::int64_t{axis}}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(spec, pointers.data(), result, begin, end);
      },
      "concat along " + std::to_string(axis));
}

TEST(Concat, EveryAxis) {
  for (const DType dtype : kWidths) {
    check_concat(dtype, {Shape{3, 5, 7}}, 1);
    check_concat(dtype, {Shape{3, 5, 7}, Shape{2, 5, 7}, Shape{1, 5, 7}, Shape{0, 5, 7}}, 0);
    check_concat(dtype, {Shape{3, 5, 7}, Shape{3, 1, 7}, Shape{3, 0, 7}, Shape{3, 4, 7}}, 1);
    check_concat(dtype, {Shape{3, 5, 7}, Shape{3, 5, 1}, Shape{3, 5, 1}, Shape{3, 5, 20}}, 2);
    check_concat(dtype, {Shape{0}, Shape{4}, Shape{1}}, 0);
  }
}

TEST(Concat, ManyTiles) {
  check_concat(DType::f64, {Shape{70, 300}, Shape{70, 400}, Shape{70, 1}}, 1);
  check_concat(DType::u8, {Shape{200, 1000}, Shape{100, 1000}}, 0);
}

TEST(Concat, RefusesOperandsThatDoNotFit) {
  EXPECT_THROW(tiles(Concat{4, 0, {}}), InternalError);
  EXPECT_THROW(tiles(Concat{4, 2, {dense_view(Shape{2, 2})}}), InternalError);
  EXPECT_THROW(tiles(Concat{4, 0, {dense_view(Shape{2, 2}), dense_view(Shape{2, 3})}}),
               InternalError);
  EXPECT_THROW(tiles(Concat{4, 0, {dense_view(Shape{2, 2}), dense_view(Shape{2})}}), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::layout_test
