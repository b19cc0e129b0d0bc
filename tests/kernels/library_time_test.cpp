#include <tutti/kernels/host/library_time.h>
#include <tutti/kernels/host/matmul_product.h>

#include <gtest/gtest.h>

namespace tutti::kernels::library_time_test {
namespace {

TEST(LibraryTime, IsMeasuredOnceForAProductAndThreads) {
  if (!library_multiplies(DType::f32)) GTEST_SKIP() << "a build without the library";
  const Matmul product = dense_matmul(DType::f32, 64, 48, 80);
  const double seconds = library_seconds(product, 1);
  EXPECT_GT(seconds, 0);
  EXPECT_EQ(library_seconds(product, 1), seconds);
  EXPECT_GT(library_seconds(product, 2), 0);
}

TEST(LibraryTime, TakesBatchesSharedAndTransposedOperands) {
  if (!library_multiplies(DType::f32)) GTEST_SKIP() << "a build without the library";
  Matmul product = dense_matmul(DType::f32, 16, 24, 32);
  product.batch = {3, 5};
  product.a_batch_strides = {5 * 16 * 32, 16 * 32};
  product.b_batch_strides = {0, 32 * 24};
  product.b_row_stride = 1;
  product.b_column_stride = 32;
  EXPECT_GT(library_seconds(product, 1), 0);
}

// Of which only a part is multiplied: the whole would need a terabyte.
TEST(LibraryTime, OfWhatIsVeryLargeIsReckonedFromAPart) {
  if (!library_multiplies(DType::f32)) GTEST_SKIP() << "a build without the library";
  Matmul product = dense_matmul(DType::f32, std::int64_t{1} << 24, 64, 64);
  product.batch = {std::int64_t{1} << 8};
  product.a_batch_strides = {std::int64_t{1} << 30};
  product.b_batch_strides = {0};
  EXPECT_GT(library_seconds(product, 1), 1);
}

// One row by a matrix of a terabyte, which is little work for what it has to be held in.
TEST(LibraryTime, OfARowByALargeMatrixIsReckonedFromAPart) {
  if (!library_multiplies(DType::f32)) GTEST_SKIP() << "a build without the library";
  constexpr std::int64_t kSide = std::int64_t{1} << 19;
  EXPECT_GT(library_seconds(dense_matmul(DType::f32, 1, kSide, kSide), 1), 0.1);
}

TEST(LibraryTime, IsNoneOfWhatTheLibraryDoesNotMultiply) {
  EXPECT_EQ(library_seconds(dense_matmul(DType::f64, 64, 64, 64), 1), 0);
  EXPECT_EQ(library_seconds(dense_matmul(DType::i32, 64, 64, 64), 1), 0);
  EXPECT_EQ(library_seconds(dense_matmul(DType::f32, 64, 64, 0), 1), 0);
  Matmul narrow = dense_matmul(DType::f32, 64, 64, 64);
  narrow.b_narrow = DType::i8;
  EXPECT_EQ(library_seconds(narrow, 1), 0);
  Matmul deep = dense_matmul(DType::f32, 2, 2, 2);  // more dimensions than it has
  deep.batch.assign(14, 1);
  deep.a_batch_strides = deep.b_batch_strides = std::vector<std::int64_t>(14, 4);
  EXPECT_EQ(library_seconds(deep, 1), 0);
}

}  // namespace
}  // namespace tutti::kernels::library_time_test
