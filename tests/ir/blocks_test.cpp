#include <tutti/ir/blocks.h>
#include <tutti/ir/interpret/interpret.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::ir::blocks_test {
namespace {

TEST(Blocks, HaveTwoDimensionsWhereThereIsAStep) {
  EXPECT_EQ(Blocks::of(Shape{2, 7, 6}, {1, 3, 2})->blocked_shape(), (Shape{2, 3, 3, 3, 2}));
}

TEST(Blocks, AreNoneWithoutAStepOfLargerStepsOrTooManyDimensionsOrElements) {
  EXPECT_FALSE(Blocks::of(Shape{2, 7}, {1, 1}));
  EXPECT_FALSE(Blocks::of(Shape{0, 7}, {1, 2}));
  EXPECT_TRUE(Blocks::of(Shape{2, 2, 2, 2}, {2, 2, 2, 2}));
  EXPECT_FALSE(Blocks::of(Shape{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}));
  EXPECT_FALSE(Blocks::of(Shape{Shape::kMostElements}, {2}));
  EXPECT_FALSE(Blocks::of(Shape{3, 3}, {4, 2}));
}

TEST(Blocks, ShowWhatLiesAStepApart) {
  Graph graph;
  const Value x = graph.add_parameter("x", {.dtype = DType::f32, .shape = Shape{3}}, false, {});
  Builder builder(graph);
  const Term term(&builder, x);
  const auto blocks = Blocks::of(Shape{8}, {3});
  const Term spread = blocks->spread(term, term.constant(-1), {1});
  graph.set_results({spread.value(), blocks->joined(spread).value()});
  const std::vector<float> numbers = {4, 5, 6};
  const std::vector<Array> results =
      interpret(graph, {Array::from(std::span<const float>(numbers), Shape{3})});
  const auto elements = [](const Array& array) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < array.elements(); ++i) out.push_back(array.at(i));
    return out;
  };
  EXPECT_EQ(elements(results[0]), (std::vector<double>{-1, 4, -1, -1, 5, -1, -1, 6, -1}));
  EXPECT_EQ(elements(results[1]), (std::vector<double>{-1, 4, -1, -1, 5, -1, -1, 6}));
}

}  // namespace
}  // namespace tutti::ir::blocks_test
