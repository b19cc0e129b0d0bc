#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/embedded.h>
#include <tutti/kernels/device/texts.h>

#include <array>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

namespace tutti::kernels::device_texts_test {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++times;
  return times;
}

TEST(DeviceTexts, ComeWithWhatTheyIncludeOnceAndInOrder) {
  const std::array<std::string_view, 3> names = {"narrow_floats", "packs", "types"};
  const std::string text = device_texts(names);
  EXPECT_EQ(count(text, "typedef float f32;"), 1U);
  EXPECT_EQ(count(text, "struct alignas"), 1U);
  EXPECT_LT(text.find("To bits_as(From"), text.find("f32 widen(bf16"));
}

// A compiler at run time reads no files.
TEST(DeviceTexts, HaveNoIncludesLeft) {
  for (const EmbeddedText& entry : embedded_texts()) {
    const std::string text = device_texts(std::array{entry.name});
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("#include"))) << entry.name;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("#pragma once"))) << entry.name;
  }
}

TEST(DeviceTexts, RefuseAnUnknownName) { EXPECT_THROW(device_text("nothing"), InternalError); }

}  // namespace
}  // namespace tutti::kernels::device_texts_test
