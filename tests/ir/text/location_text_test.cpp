#include <tutti/ir/text/location_text.h>

#include <gtest/gtest.h>

namespace tutti::ir::location_text_test {
namespace {

TEST(LocationText, OnlyALineOfAFileIsALocation) {
  EXPECT_EQ(location_from("train.cpp:41").line(), 41U);
  EXPECT_EQ(location_from("train.cpp:41").file(), "train.cpp");
  for (const char* const text : {"", "a comment", "train.cpp", "train.cpp:", ":41", "train.cpp:-1",
                                 "train.cpp:4x", "two words:41", "::41", ":a:41",
                                 "tra\x01in.cpp:41", "tra\x7Fin.cpp:41", "train.cpp:99999999999"}) {
    EXPECT_FALSE(location_from(text).known()) << text;
  }
}

}  // namespace
}  // namespace tutti::ir::location_text_test
