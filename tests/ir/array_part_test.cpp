#include <tutti/ir/array_part.h>

#include <vector>

#include <gmock/gmock.h>

namespace tutti::ir::array_part_test {
namespace {

Array numbers(const Shape& shape) {
  Array out(DType::i32, shape);
  for (std::int32_t i = 0; i < shape.elements(); ++i) {
    out.data<std::int32_t>()[static_cast<std::size_t>(i)] = i;
  }
  return out;
}

std::vector<std::int32_t> values(const Array& array) {
  const auto data = array.data<std::int32_t>();
  return {data.begin(), data.end()};
}

TEST(ArrayPart, LiesAtTheFrontOfALargerArray) {
  const Array fill = Array::scalar(std::int32_t{9});
  EXPECT_THAT(values(enlarged(numbers({2, 2}), {3, 3}, fill)),
              testing::ElementsAre(0, 1, 9, 2, 3, 9, 9, 9, 9));
  EXPECT_THAT(values(enlarged(numbers({1, 2}), {2, 2}, fill)), testing::ElementsAre(0, 1, 9, 9));
  EXPECT_THAT(values(enlarged(numbers({0, 2}), {1, 2}, fill)), testing::ElementsAre(9, 9));
  EXPECT_THAT(values(enlarged(numbers({}), {}, fill)), testing::ElementsAre(0));
}

TEST(ArrayPart, IsTakenFromTheFront) {
  EXPECT_THAT(values(front(numbers({3, 3}), {2, 2})), testing::ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(values(front(numbers({2, 3, 2}), {1, 2, 2})), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(front(numbers({4}), {0})), testing::IsEmpty());
}

}  // namespace
}  // namespace tutti::ir::array_part_test
