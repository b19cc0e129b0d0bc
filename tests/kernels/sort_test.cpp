#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/sort.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::sort_test {
namespace {

using kernel_testing::Array;

// What the interpreter makes of a sort along axis 1.
std::vector<Array> sorted_by_interpreter(const Array& x, bool descending) {
  ir::Graph graph;
  const ir::Value operand = graph.add_parameter("x", {.dtype = x.dtype(), .shape = x.shape()});
  ir::Builder builder(graph);
  const ir::NodeId node = builder.node(ir::Op::sort, {operand}, {std::int64_t{1}, descending});
  graph.set_results({graph.result(node, 0), graph.result(node, 1)});
  return ir::interpret(graph, std::vector{x});
}

// The bytes of the first `count` along axis 1.
void append_first(const Array& x, std::int64_t count, std::vector<std::byte>& out) {
  const std::int64_t each = x.shape()[2] * size_of(x.dtype());
  for (std::int64_t row = 0; row < x.shape()[0]; ++row) {
    const auto begin = x.bytes().begin() + row * x.shape()[1] * each;
    out.insert(out.end(), begin, begin + count * each);
  }
}

Sort sort_of(const Array& x, bool descending, std::int64_t count) {
  return {x.dtype(), descending, x.shape()[0], x.shape()[1], x.shape()[2], count};
}

// What its parts leave to a sort.
std::vector<std::byte> parts_of(const Sort& spec, const Array& x) {
  const SortParts parts = {spec};
  return kernel_testing::run_every_way(parts, sort_parts_bytes(spec),
                                       [&](void* to, std::int64_t begin, std::int64_t end) {
                                         run(parts, x.bytes().data(), to, begin, end);
                                       });
}

// x has the shape [outer, size, inner]; `sorted` is what the interpreter makes of it.
void check(const Array& x, bool descending, std::int64_t count, const std::vector<Array>& sorted) {
  const Sort spec = sort_of(x, descending, count);
  std::vector<std::byte> expected;
  append_first(sorted[1], count, expected);
  const std::ptrdiff_t index_bytes = std::ssize(expected);
  append_first(sorted[0], count, expected);
  const std::vector<std::byte> parts = parts_of(spec, x);
  const std::vector<std::byte> result = kernel_testing::run_every_way(
      spec, std::ssize(expected), [&](void* to, std::int64_t begin, std::int64_t end) {
        run(spec, x.bytes().data(), parts.data(), static_cast<std::byte*>(to) + index_bytes,
            static_cast<std::int64_t*>(to), begin, end);
      });
  // Long ones are not printed.
  EXPECT_TRUE(result == expected) << name_of(x.dtype()) << x.shape().text() << " " << count;
}

void check(const Array& x, bool descending, std::int64_t count) {
  check(x, descending, count, sorted_by_interpreter(x, descending));
}

void check(const Array& x) {
  const std::int64_t size = x.shape()[1];
  for (const bool descending : {false, true}) {
    const std::vector<Array> sorted = sorted_by_interpreter(x, descending);
    for (const std::int64_t count : std::set<std::int64_t>{size, size / 2, size / 4, size / 100}) {
      check(x, descending, count, sorted);
    }
  }
}

const std::vector<Shape> kShapes = {
    Shape{1, 1, 1},     Shape{7, 3, 1},    Shape{2, 255, 1}, Shape{2, 256, 1}, Shape{3, 5, 9},
    Shape{1, 700, 3},   Shape{40, 300, 2}, Shape{0, 4, 3},   Shape{3, 4, 0},   Shape{3, 0, 2},
    Shape{1, 20000, 1}, Shape{2, 300, 37}, Shape{1, 20, 300}};

class SortOf : public testing::TestWithParam<DType> {};

TEST_P(SortOf, AnyShape) {
  for (const Shape& shape : kShapes) check(kernel_testing::random_array(GetParam(), shape));
}

// Divided between threads, with a shorter last part.
TEST_P(SortOf, FewLongRows) {
  for (const Shape& shape : {Shape{1, 70001, 1}, Shape{2, 33000, 1}, Shape{1, 33000, 3}}) {
    const Array x = kernel_testing::random_array(GetParam(), shape);
    const bool descending = shape[0] == 2;
    const std::vector<Array> sorted = sorted_by_interpreter(x, descending);
    ASSERT_GT(sort_parts_bytes(sort_of(x, descending, shape[1])), 0);
    for (const std::int64_t count : {shape[1], shape[1] / 4}) {
      check(x, descending, count, sorted);
    }
  }
}

TEST_P(SortOf, EqualElementsStayInOrder) {
  for (const Shape& shape : kShapes) {
    Array x(GetParam(), shape);
    check(x);  // all equal
    const Array few = kernel_testing::random_integers(DType::u8, shape, 0, 2);
    visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)));
      }
    });
    check(x);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, SortOf, testing::ValuesIn(kernel_testing::number_dtypes()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// Two columns a tile, which is more than their elements ask for.
TEST(Sort, LongColumns) {
  check(kernel_testing::random_array(DType::f32, Shape{2, 9000, 65}), true, 4);
}

// Of few values, so that most splitters and most of what is found are equal to others.
TEST(Sort, EqualElementsOfLongRowsStayInOrder) {
  for (const DType dtype : {DType::u8, DType::f32, DType::i64}) {
    const Shape shape = {1, 70001, 1};
    const Array few = kernel_testing::random_integers(DType::u8, shape, 0, 2);
    Array x(dtype, shape);
    check(x, false, 70001);  // all equal
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)));
      }
    });
    check(x, false, 70001);
    check(x, true, 70001 / 4);
  }
}

TEST(Sort, NaNsInfinitiesAndZerosOfLongRows) {
  const float values[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1.0F, -1.0F};
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const Shape shape = {1, 70001, 1};
    const Array choice = kernel_testing::random_integers(DType::u8, shape, 0, 7);
    Array x(dtype, shape);
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.data<T>()[static_cast<std::size_t>(i)] =
            T(values[static_cast<std::size_t>(choice.at(i))]);
      }
    });
    check(x, false, 70001);
  }
}

// Of a row that threads search together, with a shorter last part.
void find_few(DType dtype, std::int64_t size, std::int64_t expected_tiles) {
  const Shape shape = {1, size, 1};
  const float values[] = {NAN, -INFINITY, 0.0F, -0.0F, 1.0F, INFINITY};
  const Array choice = kernel_testing::random_integers(DType::u8, shape, 0, 5);
  Array few(dtype, shape);
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i < few.elements(); ++i) {
      const std::int64_t chosen = static_cast<std::int64_t>(choice.at(i));
      const float value = is_floating(dtype) ? values[chosen] : static_cast<float>(chosen);
      few.data<T>()[static_cast<std::size_t>(i)] = T(value);
    }
  });
  for (const Array& x : {kernel_testing::random_array(dtype, shape), few}) {
    for (const bool descending : {false, true}) {
      const std::vector<Array> sorted = sorted_by_interpreter(x, descending);
      for (const std::int64_t count : {1, 50, 2048}) {
        ASSERT_EQ(tiles(SortParts{sort_of(x, descending, count)}), expected_tiles);
        check(x, descending, count, sorted);
      }
    }
  }
}

TEST(Sort, FewOfALongRowAreFound) {
  for (const DType dtype : {DType::u8, DType::i64, DType::f32, DType::bf16}) {
    find_few(dtype, (1 << 19) + 1, 2);
  }
  for (const DType dtype : {DType::f32, DType::u64}) find_few(dtype, (1 << 20) + 1, 4);
}

// How a row is divided is a function of its shape, and of its dtype.
TEST(Sort, FewLongRowsAreDivided) {
  const auto bytes = [](DType dtype, std::int64_t outer, std::int64_t size, std::int64_t inner,
                        std::int64_t count) {
    return sort_parts_bytes({dtype, false, outer, size, inner, count});
  };
  const auto all = [&](DType dtype, std::int64_t outer, std::int64_t size) {
    return bytes(dtype, outer, size, 1, size);
  };
  EXPECT_EQ(all(DType::f32, 1, 32767), 0);
  // An entry for each element, and where two parts' buckets begin and end.
  EXPECT_EQ(all(DType::f32, 1, 32768), 32768 * 8 + 2 * 3 * 8);
  EXPECT_EQ(all(DType::i8, 1, 32768), 32768 * 8 + 2 * 3 * 8);
  EXPECT_EQ(all(DType::f64, 1, 32768), 32768 * 16 + 2 * 3 * 8);
  EXPECT_GT(all(DType::f32, 16, 32768), 0);
  EXPECT_EQ(all(DType::f32, 17, 1 << 20), 0) << "threads have rows enough";
  EXPECT_EQ(bytes(DType::f32, 1, 32768, 17, 32768), 0);
  // Of few, those that two parts found, or four.
  EXPECT_EQ(bytes(DType::f32, 1, (1 << 19) - 1, 1, 50), 0) << "one thread is as fast";
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 19, 1, 50), 2 * 50 * 8);
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 20, 1, 50), 4 * 50 * 8);
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 24, 1, 50), 4 * 50 * 8);
  EXPECT_EQ(bytes(DType::f32, 2, 1 << 24, 1, 50), 0) << "rows are searched whole";
  // Of many they are fewer, until buckets are sorted.
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 20, 1, 1 << 12), 2 * (1 << 12) * 8);
  EXPECT_EQ(bytes(DType::f32, 1, 65536, 1, 1024), 0);
  EXPECT_EQ(bytes(DType::f32, 1, 65536, 1, 1025), 65536 * 8 + 4 * 5 * 8);
  EXPECT_EQ(bytes(DType::f32, 2, 65536, 1, 4096), 0);
  EXPECT_EQ(bytes(DType::f32, 2, 65536, 1, 4097), 2 * (65536 * 8 + 4 * 5 * 8));
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 20, 1, 1 << 15), (1 << 20) * 8 + 32 * 33 * 8);
  EXPECT_EQ(bytes(DType::f32, 1, 1 << 20, 1, 0), 0);
  EXPECT_EQ(bytes(DType::f32, 0, 1 << 20, 1, 5), 0);
}

// However its elements lie, threads share a long row: no tile has most of it.
TEST(Sort, TilesOfALongRowAreAboutEqual) {
  const Shape shape = {1, 1 << 17, 1};
  std::vector<Array> rows = {Array(DType::f32, shape),
                             kernel_testing::random_array(DType::f32, shape),
                             Array(DType::f32, shape), Array(DType::f32, shape)};
  for (std::int64_t i = 0; i < shape[1]; ++i) {
    rows[2].data<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
    rows[3].data<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i % 1024);
  }
  for (const Array& x : rows) {
    const Sort spec = sort_of(x, false, shape[1]);
    const std::vector<std::byte> parts = parts_of(spec, x);
    ASSERT_EQ(tiles(spec), 8);
    for (std::int64_t tile = 0; tile < 8; ++tile) {
      std::vector<float> values(static_cast<std::size_t>(shape[1]));
      std::vector<std::int64_t> indices(static_cast<std::size_t>(shape[1]), -1);
      run(spec, x.bytes().data(), parts.data(), values.data(), indices.data(), tile, tile + 1);
      const auto written = std::ssize(indices) - std::ranges::count(indices, -1);
      EXPECT_GT(written, shape[1] / 8 / 8) << tile;
      EXPECT_LT(written, shape[1] / 2) << tile;
    }
  }
}

TEST(Sort, NaNsInfinitiesAndZeros) {
  const float values[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1.0F, -1.0F};
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    for (const Shape& shape : kShapes) {
      const Array choice = kernel_testing::random_integers(DType::u8, shape, 0, 7);
      Array x(dtype, shape);
      visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          x.data<T>()[static_cast<std::size_t>(i)] =
              T(values[static_cast<std::size_t>(choice.at(i))]);
        }
      });
      check(x);
    }
  }
}

TEST(Sort, OfBoolIsRefused) {
  const Sort spec = {.dtype = DType::boolean, .size = 2};
  EXPECT_THROW(run(spec, nullptr, nullptr, nullptr, nullptr, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::sort_test
