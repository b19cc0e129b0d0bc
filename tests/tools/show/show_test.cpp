#include <cstdlib>
#include <filesystem>

#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::show_test {
namespace {

using test::CommandResult;
using test::kStrangeNames;
using test::kTrainingStep;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Show : public testing::Test {
 protected:
  CommandResult show(const std::string& program, const std::vector<std::string>& arguments = {}) {
    return test::show(folder_, program, arguments);
  }
  void expect_refused(const CommandResult& result, int status, const std::string& message) {
    EXPECT_EQ(result.status, status) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_THAT(result.output, IsEmpty());
  }

  test::TemporaryFolder folder_;
};

TEST_F(Show, WritesToAFile) {
  const std::string path = folder_.path() / "out.txt";
  const CommandResult printed = show(kTrainingStep);
  const CommandResult written = show(kTrainingStep, {"-o", path});
  EXPECT_EQ(written.status, 0) << written.errors;
  EXPECT_EQ(written.output, "");
  EXPECT_EQ(folder_.read("out.txt"), printed.output);
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_F(Show, PutsNoFileInThePlaceOfALink) {
  const std::string file = folder_.write("file.txt", "old");
  const std::string link = folder_.path() / "link.txt";
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(show(kTrainingStep, {"-o", link}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(folder_.read("file.txt"), show(kTrainingStep).output);
  expect_refused(show(kTrainingStep, {"-o", folder_.path()}), 1, "cannot be written");
}

TEST_F(Show, ReadsStandardInput) {
  const std::string file = folder_.write("q.tutti", kTrainingStep);
  const CommandResult result =
      test::run_command({"/bin/sh", "-c", TUTTI_BINARY_DIR "/bin/tutti show - < '" + file + "'"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, show(kTrainingStep).output);
}

TEST_F(Show, ShowsEveryStage) {
  const auto stage = [&](const std::string& name) {
    const CommandResult result = show(kTrainingStep, {"--stage", name});
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  };
  EXPECT_THAT(stage("trace"), HasSubstr("softmax("));
  EXPECT_THAT(stage("decompose"), Not(HasSubstr("softmax(")));
  EXPECT_THAT(stage("decompose"), Not(HasSubstr("fusion = ")));
  EXPECT_THAT(stage("fuse"), HasSubstr("fusion = "));
  EXPECT_THAT(stage("kernels"), HasSubstr("kernel "));
  EXPECT_THAT(stage("plan"), HasSubstr("plan @step rank 0"));
}

TEST_F(Show, MakesThePlanOfARank) {
  const CommandResult result = show(kTrainingStep, {"--stage", "plan", "--rank", "1"});
  EXPECT_THAT(result.output, HasSubstr("plan @step rank 1"));
  expect_refused(show(kTrainingStep, {"--rank", "2"}), 2,
                 "--rank 2: the mesh of @step has 2 ranks, from 0 on");
  expect_refused(show(kTrainingStep, {"--rank", "-1"}), 2, "--rank");
}

TEST_F(Show, ShowsAllFunctionsUnlessOneIsNamed) {
  EXPECT_THAT(show(kStrangeNames).output, HasSubstr("func @empty("));
  EXPECT_THAT(show(kStrangeNames, {"--function", "empty"}).output, Not(HasSubstr("all_reduce")));
  expect_refused(show(kStrangeNames, {"--format", "svg"}), 2, "choose one with --function");
  expect_refused(show(kStrangeNames, {"--function", "emty"}), 2, "did you mean 'empty'?");
}

TEST_F(Show, ShowsWhatTheCompilerCannotTake) {
  // This rank is in no group, which shows when its plan is made.
  const std::string program =
      "group @g = {ranks = [4, 5]}\n"
      "func @f(%x: f32[4]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @g}  // train.cpp:7\n"
      "  %1 = wait(%0)\n"
      "  return %1\n"
      "}\n";
  EXPECT_EQ(show(program).status, 0);
  EXPECT_EQ(show(program, {"--stage", "fuse"}).status, 0);
  EXPECT_EQ(show(program, {"--format", "html"}).status, 0);
  expect_refused(show(program, {"--stage", "plan"}), 1, "train.cpp:7: ");
}

TEST_F(Show, LeavesOutDisabledPasses) {
  ::setenv("TUTTI_DISABLE", "fuse", 1);
  const CommandResult result = show(kTrainingStep, {"--stage", "fuse"});
  const CommandResult plan = show(kTrainingStep, {"--stage", "plan"});
  ::unsetenv("TUTTI_DISABLE");
  EXPECT_THAT(plan.output, HasSubstr("plan @step rank 0"));
  expect_refused(result, 2, "the stage 'fuse' is left out");
}

TEST_F(Show, RefusesWhatThereIsNot) {
  expect_refused(show(kTrainingStep, {"--stage", "fus"}), 2,
                 "there is no stage 'fus'; did you mean 'fuse'?; there are trace, bound_sizes, ");
  expect_refused(show(kTrainingStep, {"--format", "png"}), 2, "--format");
  expect_refused(show(kTrainingStep, {"--format", "dot", "--stage", "plan"}), 2,
                 "the stage 'plan' is no graph to draw");
  expect_refused(show("func @f(%x: f32[4]) {\n  return %y\n}\n"), 1, "p.tutti:2:");
  expect_refused(show("", {"--format", "html"}), 1, "p.tutti: has no function");
  expect_refused(test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "show", "/no/such/file"}), 1,
                 "/no/such/file: cannot be read");
}

TEST_F(Show, TakesTheFormatFromTheEndingOfTheFile) {
  const std::string path = folder_.path() / "step.svg";
  EXPECT_EQ(show(kTrainingStep, {"-o", path}).status, 0);
  EXPECT_EQ(folder_.read("step.svg"), show(kTrainingStep, {"--format", "svg"}).output);
  EXPECT_EQ(show(kTrainingStep, {"-o", path, "--format", "text"}).status, 0);
  EXPECT_EQ(folder_.read("step.svg"), show(kTrainingStep).output);
}

TEST_F(Show, LeavesNothingHalfWritten) {
  const std::string place = folder_.path() / "no" / "such" / "folder.html";
  expect_refused(show(kTrainingStep, {"--format", "html", "-o", place}), 1,
                 "folder.html: cannot be written");
  const std::string old = folder_.write("old.txt", "old");
  EXPECT_EQ(show("func @f( {", {"-o", old}).status, 1);
  EXPECT_EQ(folder_.read("old.txt"), "old");
}

}  // namespace
}  // namespace tutti::show_test
