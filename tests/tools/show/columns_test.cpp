#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::columns_test {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& program, const std::vector<std::string>& arguments = {}) {
  const test::TemporaryFolder folder;
  const test::CommandResult result = test::show(folder, program, arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  return result.output;
}

TEST(ShowColumns, StandBesideTheCanonicalText) {
  EXPECT_EQ(text_of("func @f(%x: f32[1024], %y: f32[1024]) {\n"
                    "  %s = add(%x, %y)  // train.cpp:3\n"
                    "  %t = reshape(%s) {shape = [32, 32]}\n"
                    "  %u = mul(%t, %t)\n"
                    "  %v = mul(%t, %u)\n"
                    "  %unused = sum(%v) {axes = [1]}\n"
                    "  return %v\n"
                    "}\n"),
            R"(    bytes      live  uses  last use
                                     // tutti ir 1

                                     func @f(%x: f32[1024], %y: f32[1024]) -> (f32[32,32]) {
    4 KiB     4 KiB     1  %1          %0 = add(%x, %y) : f32[1024]                                          // train.cpp:3
    4 KiB     4 KiB     3  %3          %1 = reshape(%0) {shape = [32, 32]} : f32[32,32]
    4 KiB     8 KiB     1  %3          %2 = mul(%1, %1) : f32[32,32]
    4 KiB     4 KiB     2  return      %3 = mul(%1, %2) : f32[32,32]
    128 B     4 KiB     0  -           %4 = sum(%3) {axes = [1]} : f32[32]
                                       return %3
                                     }

5 nodes, 2 parameters of 8 KiB, at most 8 KiB live, after %2
)");
}

TEST(ShowColumns, OfAPlanSayWhatIsHeld) {
  const std::string text = text_of(test::kTrainingStep, {"--stage", "plan"});
  EXPECT_THAT(text, HasSubstr("    local      comm\n"));
  // The gradient is where the other rank reads it.
  EXPECT_THAT(
      text,
      HasSubstr("      0 B  30.6 KiB    4: start w0 = all_reduce \"all_reduce mean f32[784,10]"));
  EXPECT_THAT(text, HasSubstr(", 30.6 KiB for collectives, 30.6 KiB of results\n"));
}

TEST(ShowColumns, TakeStringsForNoComments) {
  const std::string text = text_of(
      "mesh (\"a } // : ) \\\" {\" = 2)\n"
      "func @f(%x: f32[4] rep(\"a } // : ) \\\" {\"), %y: f32[4]) {\n"
      "  %0 = vary(%x) {dimensions = \"a } // : ) \\\" {\"}  // train.cpp:3\n"
      "  %1 = add(%0, %y)\n"
      "  return %1\n"
      "}\n",
      {"--format", "dot"});
  EXPECT_THAT(text, HasSubstr("tooltip=\"%y: f32[4]\""));
  EXPECT_THAT(text,
              HasSubstr("{dimensions = \\\"a } // : ) \\\\\\\" {\\\"} : f32[4]  // train.cpp:3\""));
}

TEST(ShowColumns, OfSizesThatNoMemoryHolds) {
  const std::string text = text_of(
      "func @f(%x: f64[1073741824,536870912]) {\n"
      "  %0 = mul(%x, %x)\n  %1 = mul(%0, %x)\n  %2 = add(%0, %1)\n  return %2, %1, %0\n}\n");
  EXPECT_THAT(text, HasSubstr("    4 EiB"));
}

}  // namespace
}  // namespace tutti::columns_test
