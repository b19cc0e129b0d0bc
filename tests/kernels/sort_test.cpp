#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/sort.h>

#include <cmath>
#include <set>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::sort_test {
namespace {

using kernel_testing::Array;

// What the interpreter makes of the first `count` of a sort along axis 1: the indices' bytes, then
// the values'.
std::vector<std::byte> expected_of(const Array& x, bool descending, std::int64_t count) {
  ir::Graph graph;
  const ir::Value operand = graph.add_parameter("x", {.dtype = x.dtype(), .shape = x.shape()});
  ir::Builder builder(graph);
  const ir::NodeId node = builder.node(ir::Op::sort, {operand}, {std::int64_t{1}, descending});
  std::vector<ir::Value> first;
  for (const std::size_t result : {1U, 0U}) {
    const std::vector<std::int64_t> stop = {x.shape()[0], count, x.shape()[2]};
    first.push_back(
        builder.add(ir::Op::slice, {graph.result(node, result)},
                    {std::vector<std::int64_t>(3, 0), stop, std::vector<std::int64_t>(3, 1)}));
  }
  graph.set_results(first);
  const std::vector<Array> results = ir::interpret(graph, std::vector{x});
  std::vector<std::byte> out(results[0].bytes().begin(), results[0].bytes().end());
  out.insert(out.end(), results[1].bytes().begin(), results[1].bytes().end());
  return out;
}

// x has the shape [outer, size, inner].
void check(const Array& x, bool descending, std::int64_t count) {
  const Sort spec = {x.dtype(), descending, x.shape()[0], x.shape()[1], x.shape()[2], count};
  const std::vector<std::byte> expected = expected_of(x, descending, count);
  const auto index_bytes = x.shape()[0] * count * x.shape()[2] * 8;
  const std::vector<std::byte> sorted = kernel_testing::run_every_way(
      spec, std::ssize(expected), [&](void* result, std::int64_t begin, std::int64_t end) {
        run(spec, x.bytes().data(), static_cast<std::byte*>(result) + index_bytes,
            static_cast<std::int64_t*>(result), begin, end);
      });
  EXPECT_EQ(sorted, expected) << name_of(x.dtype()) << x.shape().text() << " " << count;
}

void check(const Array& x) {
  const std::int64_t size = x.shape()[1];
  for (const std::int64_t count : std::set<std::int64_t>{size, size / 2, size / 4, size / 100}) {
    for (const bool descending : {false, true}) check(x, descending, count);
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
  EXPECT_THROW(run(spec, nullptr, nullptr, nullptr, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::sort_test
