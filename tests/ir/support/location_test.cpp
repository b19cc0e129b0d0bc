#include <tutti/ir/support/error.h>
#include <tutti/ir/support/location.h>

#include <gtest/gtest.h>

namespace tutti::location_test {
namespace {

TEST(Location, TextIsFileWithoutFoldersAndLine) {
  EXPECT_EQ(Location("a/b/train.cpp", 41).text(), "train.cpp:41");
  EXPECT_EQ(Location().text(), "");
  EXPECT_FALSE(Location().known());
}

TEST(Location, IsWhereItWasMade) {
  const Location here = std::source_location::current();
  EXPECT_EQ(here.text(), "location_test.cpp:" + std::to_string(__LINE__ - 1));
}

TEST(Location, EqualByFileAndLine) {
  const std::string file = "x.cpp";
  EXPECT_EQ(Location(file, 1), Location("x.cpp", 1));
  EXPECT_FALSE(Location("x.cpp", 1) == Location("x.cpp", 2));
}

TEST(Error, StartsWithItsLine) {
  const TypeError error("wrong", Location("train.cpp", 3));
  EXPECT_STREQ(error.what(), "train.cpp:3: wrong");
  EXPECT_EQ(error.where().line(), 3U);
}

}  // namespace
}  // namespace tutti::location_test
