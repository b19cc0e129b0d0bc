#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

// `tutti run` for programs whose sizes vary.
namespace tutti::run_sizes_test {
namespace {

using test::CommandResult;
using test::npy_array;
using testing::HasSubstr;

const std::string kMean = R"(
func @f(%x: f32[2<=n<=8], %y: f32[n,2]) {
  %0 = mean(%x) {axes = [0]}
  %1 = reshape(%y) {shape = [2*n]}
  return %0, %1
})";

class RunSizes : public testing::Test {
 protected:
  CommandResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {TUTTI_BINARY_DIR "/bin/tutti", "run", folder_.write("p.tutti", kMean)});
    return test::run_command(arguments);
  }
  std::string array(const std::string& name, const std::string& shape,
                    const std::vector<float>& values) {
    return folder_.write(name, npy_array<float>("<f4", shape, values));
  }

  test::TemporaryFolder folder_;
};

TEST_F(RunSizes, FollowFromTheArguments) {
  const std::vector<std::string> inputs = {"--input", "x=" + array("x.npy", "(3,)", {1, 2, 6}),
                                           "--input",
                                           "y=" + array("y.npy", "(3,2)", {1, 2, 3, 4, 5, 6})};
  for (const std::string mode : {"--interpret", "--processes", "--set=verify=on"}) {
    std::vector<std::string> arguments = inputs;
    arguments.push_back(mode);
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.output, "f32[] 3\nf32[6] [1, 2, 3, 4, 5, 6]\n") << mode << result.errors;
  }
}

TEST_F(RunSizes, ThatDoNotFitAreErrors) {
  const CommandResult different = run({"--input", "x=" + array("x.npy", "(3,)", {1, 2, 6}),
                                       "--input", "y=" + array("y.npy", "(2,2)", {1, 2, 3, 4})});
  EXPECT_EQ(different.status, 1);
  EXPECT_THAT(different.errors, HasSubstr("dimension 0 of argument %y has size 2, but n is 3"));
  const CommandResult small = run({"--input", "x=" + array("x.npy", "(1,)", {1}), "--input",
                                   "y=" + array("y.npy", "(1,2)", {1, 2})});
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.errors, HasSubstr("the program takes 2 <= n <= 8"));
  const CommandResult rank = run({"--input", "x=" + array("x.npy", "(1,1)", {1})});
  EXPECT_EQ(rank.status, 1);
  EXPECT_THAT(rank.errors, HasSubstr("%x of @f is f32[n], but the file holds f32[1,1]"));
}

TEST_F(RunSizes, OfRandomArgumentsAreGiven) {
  const std::string out = folder_.path() / "out";
  EXPECT_EQ(run({"--random", "1", "--size", "n=5", "-o", out, "--interpret"}).status, 0);
  const CommandResult same = run({"--random", "1", "--size", "n=5", "--expect", out});
  EXPECT_EQ(same.status, 0) << same.output << same.errors;
  EXPECT_THAT(same.output, HasSubstr("f32[10] is as expected"));
  EXPECT_EQ(run({"--random", "1", "--processes", "--size", "n=5", "--expect", out}).status, 0);
  EXPECT_EQ(run({"--random", "1", "--expect", out}).status, 1) << "the largest size is another";
}

TEST_F(RunSizes, ThatAreNoneAreWrongUsage) {
  const auto refused = [&](const std::string& size, const std::string& message) {
    const CommandResult result = run({"--random", "1", "--size", size});
    EXPECT_EQ(result.status, 2) << size;
    EXPECT_THAT(result.errors, HasSubstr(message));
  };
  refused("m=3", "@f has no size m that varies; did you mean 'n'?");
  refused("n=9", "n is a number from 2 to 8");
  refused("n=1", "n is a number from 2 to 8");
  refused("n", "n is a number from 2 to 8");
  refused("n=3x", "n is a number from 2 to 8");
  EXPECT_EQ(run({"--size", "n=3"}).status, 2) << "without --random";
}

TEST_F(RunSizes, OfWhatRanksExchangeAreTheSameOrAnError) {
  const std::string program = folder_.write("sum.tutti", R"(
mesh (world = 2)
group @world = {ranks = [0, 1], stride = 2}

func @f(%x: f32[n<=8]) {
  %0 = all_reduce(%x) {op = "sum", group = @world}
  %1 = wait(%0)
  return %1
})");
  array("0.npy", "(2,)", {1, 2});
  array("1.npy", "(3,)", {1, 2, 3});
  const std::vector<std::string> command = {TUTTI_BINARY_DIR "/bin/tutti", "run", program};
  for (const std::string mode : {"--on=host", "--processes", "--on=interpreter"}) {
    std::vector<std::string> same = command;
    same.insert(same.end(), {"--input", "x=" + (folder_.path() / "0.npy").string(), mode});
    EXPECT_THAT(test::run_command(same).output, HasSubstr("f32[2] [2, 4]")) << mode;
    std::vector<std::string> other = command;
    other.insert(other.end(), {"--input", "x=" + (folder_.path() / "{rank}.npy").string(), mode});
    const CommandResult result = test::run_command(other);
    EXPECT_EQ(result.status, 1) << mode << result.output;
    EXPECT_THAT(result.errors, HasSubstr("all_reduce")) << mode;
  }
}

}  // namespace
}  // namespace tutti::run_sizes_test
