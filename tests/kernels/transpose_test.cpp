#include <tutti/kernels/host/transpose.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::kernels::transpose_test {
namespace {

template <class Element>
class Transpose : public testing::Test {};
using Elements =
    testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Transpose, Elements);

// Whole squares of vectors and what is left over; rows and columns of which the next one lies
// farther away than they are long, or before.
TYPED_TEST(Transpose, PutsColumnsIntoRows) {
  for (const std::int64_t rows : {1, 2, 7, 16, 70}) {
    for (const std::int64_t columns : {1, 2, 5, 16, 67}) {
      for (const std::int64_t apart : {0, 3}) {
        for (const bool backwards : {false, true}) {
          const std::int64_t source_stride = (rows + apart) * (backwards ? -1 : 1);
          const std::int64_t result_stride = columns + apart;
          std::vector<TypeParam> source(static_cast<std::size_t>((rows + apart) * columns));
          std::iota(source.begin(), source.end(), TypeParam{1});
          const TypeParam* const first =
              source.data() + (backwards ? (rows + apart) * (columns - 1) : 0);
          std::vector<TypeParam> result(static_cast<std::size_t>(result_stride * rows));
          std::vector<TypeParam> expected(result.size());
          for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
              expected[static_cast<std::size_t>(row * result_stride + column)] =
                  first[column * source_stride + row];
            }
          }
          transpose(first, source_stride, result.data(), result_stride, rows, columns);
          ASSERT_EQ(result, expected) << rows << " x " << columns << ", " << apart << " apart";
        }
      }
    }
  }
}

}  // namespace
}  // namespace tutti::kernels::transpose_test
