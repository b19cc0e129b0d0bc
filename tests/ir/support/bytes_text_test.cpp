#include <tutti/ir/support/bytes_text.h>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace tutti::bytes_text_test {
namespace {

TEST(BytesText, HasThreeDigitsAtMost) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(2560), "2.5 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{93} << 20), "93 MiB");
  EXPECT_EQ(bytes_text((std::int64_t{12} << 30) + (std::int64_t{345} << 20)), "12.3 GiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::int64_t>::max()), "8 EiB");
}

}  // namespace
}  // namespace tutti::bytes_text_test
