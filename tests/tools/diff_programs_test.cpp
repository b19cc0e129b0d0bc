#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::diff_programs_test {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;

class DiffPrograms : public testing::Test {
 protected:
  CommandResult diff(const std::string& a, const std::string& b,
                     const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/tutti", "diff",
                                        folder_.write("a.tutti", a), folder_.write("b.tutti", b)};
    command.insert(command.end(), more.begin(), more.end());
    return test::run_command(command);
  }
  void expect(const CommandResult& result, int status, const std::string& output) {
    EXPECT_EQ(result.output, output);
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.status, status);
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(result.output, "");
  }

  TemporaryFolder folder_;
};

std::string function(const std::string& name, const std::string& op) {
  return "func @" + name + "(%x: f32[4]) {\n%0 = " + op + "(%x)\n%1 = exp(%0)\nreturn %1 }\n";
}

TEST_F(DiffPrograms, SaysWhatIsEqual) {
  expect(diff(function("f", "neg"), function("f", "neg")), 0, "@f: equal\n");
  expect(diff(function("f", "neg"), function("g", "neg")), 0,
         "@f: equal but for names, lines and numbers of kernels: the function is @f in A and @g in "
         "B\n");
}

TEST_F(DiffPrograms, SaysWhatDiffersFirstAndWhatFollows) {
  expect(diff(function("f", "neg"), function("f", "abs")), 1,
         "@f: %0 = neg(%x) : f32[4] is abs(%x) in B\n"
         "  1 other node differs only because of this\n");
}

TEST_F(DiffPrograms, LooksIntoLoops) {
  const auto program = [](const std::string& op) {
    return "private func @cell(%h: f32[4]) {\n%0 = " + op +
           "(%h)\nreturn %0 }\nfunc @f(%h: f32[4]) {\n%0 = scan(%h) {body = @cell, carries = 1, "
           "sequences = 0, length = 3}\n%1 = exp(%0)\nreturn %1 }\n";
  };
  expect(diff(program("neg"), program("abs")), 1,
         "@f: in @cell, the body of %0 = scan(%h): %0 = neg(%h) : f32[4] is abs(%h) in B\n"
         "  1 other node differs only because of this\n");
}

TEST_F(DiffPrograms, FunctionsOfOneNameBelongTogether) {
  const std::string a = function("f", "neg") + function("g", "abs") + function("h", "abs");
  const std::string b = function("g", "abs") + function("f", "sin") + function("i", "abs");
  expect(diff(a, b), 1,
         "@f: %0 = neg(%x) : f32[4] is sin(%x) in B\n"
         "  1 other node differs only because of this\n"
         "@g: equal\n"
         "@h: B has no such function\n"
         "@i: A has no such function\n");
  expect(diff(a, b, {"--function", "g"}), 0, "@g: equal\n");
  expect_refused(diff(a, b, {"--function", "h"}), 2, "b.tutti has no function @h");
}

TEST_F(DiffPrograms, RefusesWhatItCannotCompare) {
  expect_refused(diff("func", "func"), 1, "a.tutti:1:5");
  expect_refused(diff(function("f", "neg"), function("f", "neg"), {"c.tutti"}), 2, "c.tutti");
  expect_refused(diff("", "", {"--ranks", "."}), 2, "--ranks");
  const std::string tutti = TUTTI_BINARY_DIR "/bin/tutti";
  expect_refused(test::run_command({tutti, "diff", "a.tutti"}), 2, "takes two programs");
  expect_refused(test::run_command({tutti, "diff", "-", "-"}), 2,
                 "only one program is standard input");
}

}  // namespace
}  // namespace tutti::diff_programs_test
