// tests/nccl_abi compares our declarations of NCCL with real ones.

#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/dylib/nccl.h>

#include <optional>

#include <gmock/gmock.h>

namespace tutti::runtime::nccl_abi_test {
namespace {

TEST(NcclAbi, NumbersAreThoseOfOurHeader) {
  const auto same_number = [](auto of, auto number) {
    return nccl_number(of) == static_cast<int>(number);
  };
  EXPECT_TRUE(same_number(DType::i8, nccl::DataType::i8));
  EXPECT_TRUE(same_number(DType::u8, nccl::DataType::u8));
  EXPECT_TRUE(same_number(DType::i32, nccl::DataType::i32));
  EXPECT_TRUE(same_number(DType::u32, nccl::DataType::u32));
  EXPECT_TRUE(same_number(DType::i64, nccl::DataType::i64));
  EXPECT_TRUE(same_number(DType::u64, nccl::DataType::u64));
  EXPECT_TRUE(same_number(DType::f16, nccl::DataType::f16));
  EXPECT_TRUE(same_number(DType::f32, nccl::DataType::f32));
  EXPECT_TRUE(same_number(DType::f64, nccl::DataType::f64));
  EXPECT_TRUE(same_number(DType::bf16, nccl::DataType::bf16));
  EXPECT_TRUE(same_number(Reduction::sum, nccl::Operation::sum));
  EXPECT_TRUE(same_number(Reduction::product, nccl::Operation::product));
  EXPECT_TRUE(same_number(Reduction::max, nccl::Operation::max));
  EXPECT_TRUE(same_number(Reduction::min, nccl::Operation::min));
  for (const DType none : {DType::boolean, DType::i16, DType::u16, DType::f8_e5m2}) {
    EXPECT_EQ(nccl_number(none), std::nullopt);
  }
  EXPECT_EQ(nccl_number(Reduction::mean), std::nullopt);
}

TEST(NcclAbi, VersionsReadAsPeopleWriteThem) {
  EXPECT_EQ(Nccl::version_text(22809), "2.28.9");
  EXPECT_EQ(Nccl::version_text(23207), "2.32.7");
}

}  // namespace
}  // namespace tutti::runtime::nccl_abi_test
