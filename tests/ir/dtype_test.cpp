#include <tutti/ir/dtype.h>

#include <gtest/gtest.h>

namespace tutti::dtype_test {
namespace {

TEST(DType, NamesGoBothWays) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("float"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DType, EachIsOfOneKind) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ((dtype == DType::boolean) + is_integer(dtype) + is_floating(dtype), 1);
    EXPECT_EQ(is_integer(dtype), is_unsigned(dtype) != is_signed_integer(dtype));
    EXPECT_TRUE(visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      return dtype_of<T> == dtype && size_of(dtype) == sizeof(T) &&
             is_floating(dtype) == !std::is_integral_v<T>;
    }));
  }
}

}  // namespace
}  // namespace tutti::dtype_test
