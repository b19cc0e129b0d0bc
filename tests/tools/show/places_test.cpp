#include <filesystem>
#include <string>

#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::show_places_test {
namespace {

using test::CommandResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A plan whose operand lies at `offset`.
std::string plan(const std::string& name, int offset) {
  return "// tutti plan 1\ngroup @dp = {ranks = [0, 1], stride = 2}\nplan @" + name +
         " rank 0 arena 0 bytes, 256 bytes in @dp, 64 bytes in @dp of member 1 {\n"
         "  b0 = input 0: f32[16], 64 bytes, until step 1\n"
         "  b1 = symmetric at " +
         std::to_string(offset) +
         " in @dp, 64 bytes, steps 1..3\n"
         "  b2 = symmetric at 0 in @dp of member 1, 64 bytes, steps 2..3\n"
         "  0: acquire b1\n  1: copy b0 -> b1\n"
         "  2: start w0 = all_reduce \"all_reduce <sum> f32[16]\" over @dp (b1) -> b2 {dtype = "
         "f32, parts = [16], algorithm = \"two-shot, always\"}  // train.cpp:7\n"
         "  3: wait w0\n  return\n}\n";
}

class ShowPlaces : public testing::Test {
 protected:
  void add(const std::string& program, const std::string& text) {
    std::filesystem::create_directories(folder_.path() / program);
    folder_.write(program + "/plan.txt", text);
  }
  CommandResult show(const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/tutti", "show", folder_.path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::run_command(command);
  }

  test::TemporaryFolder folder_;
};

TEST_F(ShowPlaces, OfAllProgramsInTheirOrder) {
  add("0002-second", plan("second", 128));
  add("0001-first", plan("first", 0));
  std::filesystem::create_directory(folder_.path() / "0003-without");
  const CommandResult text = show();
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_EQ(text.output,
            "group dp [0, 1], of each member: 256 B\n"
            "  0001-first: 256 B\n"
            "    steps 1..3  bytes 0..64  b1  operand of all_reduce <sum> f32[16]  // train.cpp:7\n"
            "  0002-second: 256 B\n"
            "    steps 1..3  bytes 128..192  b1  operand of all_reduce <sum> f32[16]  // "
            "train.cpp:7\n"
            "\n"
            "group dp [0, 1], results in common that member 1 has: 64 B\n"
            "  0001-first: 64 B\n"
            "    steps 2..3  bytes 0..64  b2  result of all_reduce <sum> f32[16]  // train.cpp:7\n"
            "  0002-second: 64 B\n"
            "    steps 2..3  bytes 0..64  b2  result of all_reduce <sum> f32[16]  // "
            "train.cpp:7\n");
  const CommandResult picture = show({"--format", "svg"});
  EXPECT_THAT(
      picture.output,
      AllOf(testing::StartsWith("<svg "), HasSubstr("0002-second: 256 B"),
            HasSubstr("b1  train.cpp:7  operand of all_reduce &lt;sum&gt; f32[16]; 64 B at 128,"
                      " steps 1..3"),
            HasSubstr("x=\"516.0\""), Not(HasSubstr("<sum>"))));
}

// As a dump writes them.
TEST_F(ShowPlaces, LargeConstantsLieBesideThePlans) {
  std::string text = plan("first", 0);
  const std::string at = "  0: acquire b1\n";
  text.insert(text.find(at), "  b3 = constant 0: f32[2] file(\"constants/c.bin\"), 8 bytes\n");
  std::filesystem::create_directories(folder_.path() / "0001-first/constants");
  folder_.write("0001-first/constants/c.bin", std::string(8, '\0'));
  add("0001-first", text);
  const CommandResult result = show();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("  0001-first: 256 B\n"));
}

TEST_F(ShowPlaces, ProgramsBeyondFourDigitsStandBehindTheOthers) {
  add("10000-second", plan("second", 128));
  add("1001-first", plan("first", 0));
  const std::string text = show().output;
  EXPECT_LT(text.find("1001-first"), text.find("10000-second")) << text;
}

TEST_F(ShowPlaces, AFolderWithoutThemIsAnError) {
  EXPECT_THAT(show().errors, HasSubstr("has no programs with plans; TUTTI_DUMP=plan writes them"));
  add("0001-alone", "// tutti plan 1\nplan @f rank 0 arena 0 bytes {\n  return\n}\n");
  EXPECT_THAT(show().errors, HasSubstr("has places in a group's memory"));
  add("0002-broken", "// tutti plan 1\nplan @f rank x");
  const CommandResult broken = show();
  EXPECT_NE(broken.status, 0);
  EXPECT_THAT(broken.errors, HasSubstr("0002-broken/plan.txt:2:"));
  EXPECT_THAT(show({"--format", "html"}).errors, HasSubstr("is a folder"));
  EXPECT_THAT(show({"--stage", "plan"}).errors, HasSubstr("is a folder"));
}

}  // namespace
}  // namespace tutti::show_places_test
