#include <filesystem>

#include "tests/support/command.h"
#include "tests/tools/npy_file.h"
#include <gmock/gmock.h>

namespace tutti::import_test {
namespace {

using test::CommandResult;
using test::npy_array;
using testing::HasSubstr;

const std::string kTutti = TUTTI_BINARY_DIR "/bin/tutti";

const std::string kDouble = R"(module @m {
  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)";

// Doubles the rows on the two ranks that have them; the second result is whole.
const std::string kSharded = R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<1x2xf32>) {
      %2 = stablehlo.add %arg1, %arg1 : tensor<1x2xf32>
      sdy.return %2 : tensor<1x2xf32>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  }
}
)";

class Import : public testing::Test {
 protected:
  CommandResult import(const std::string& program, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {kTutti, "import", folder_.write("p.mlir", program)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run_command(arguments);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Import, PrintsTheProgram) {
  const CommandResult result = import(kDouble);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output,
            "// tutti ir 1\n\nfunc @main(%arg0: f32[2]) -> (f32[2]) {\n"
            "  %0 = add(%arg0, %arg0) : f32[2]                                       // p.mlir:3\n"
            "  return %0\n}\n");
}

TEST_F(Import, WritesAProgramThatRuns) {
  const std::string file = folder_.path() / "p.tutti";
  const CommandResult imported = import(kDouble, {"-o", file});
  EXPECT_EQ(imported.status, 0) << imported.errors;
  EXPECT_EQ(imported.output, "");
  const std::string x = folder_.write("x.npy", npy_array<float>("<f4", "(2,)", {1, 2}));
  const CommandResult run = test::run_command({kTutti, "run", file, "--input", "arg0=" + x});
  EXPECT_EQ(run.output, "f32[2] [2, 4]\n") << run.errors;
}

TEST_F(Import, OfSeveralRanksTakesAndGivesWholeArrays) {
  const std::string file = folder_.path() / "p.tutti";
  EXPECT_EQ(import(kSharded, {"-o", file}).status, 0);
  const std::string x = folder_.write("x.npy", npy_array<float>("<f4", "(2, 2)", {1, 2, 3, 4}));
  for (const std::string engine : {"--interpret", "--set=kernels=evaluate"}) {
    const CommandResult run =
        test::run_command({kTutti, "run", file, "--ranks", "2", "--input", "arg0=" + x, engine});
    EXPECT_EQ(run.output, "f32[2,2] [[2, 4], [6, 8]]\nf32[2,2] [[2, 6], [4, 8]]\n") << run.errors;
  }
  const std::string out = folder_.path() / "out";
  test::run_command({kTutti, "run", file, "--input", "arg0=" + x, "--output", out});
  EXPECT_EQ(folder_.read("out/0.npy"), npy_array<float>("<f4", "(2, 2)", {2, 4, 6, 8}));
  EXPECT_FALSE(std::filesystem::exists(out + "/rank0"));
}

TEST_F(Import, SaysWhatToDoWithBytecode) {
  const CommandResult result = import(
      "ML\xEFR\x06"
      "StableHLO");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("p.mlir: this is MLIR bytecode"));
  EXPECT_EQ(result.output, "");
}

TEST_F(Import, RefusesWithThePlaceAndWritesNothing) {
  std::string wrong = kDouble;
  wrong.replace(wrong.find("stablehlo.add"), 13, "stablehlo.fft");
  const CommandResult result = import(wrong, {"-o", folder_.path() / "p.tutti"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("p.mlir:3:10: stablehlo.fft is not supported"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "p.tutti"));
  EXPECT_EQ(import(kDouble, {"-o", folder_.path() / "no/where.tutti"}).status, 1);
  const CommandResult missing = test::run_command({kTutti, "import", "nowhere.mlir"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.errors, HasSubstr("nowhere.mlir: cannot be read"));
  EXPECT_EQ(test::run_command({kTutti, "import"}).status, 2);
}

}  // namespace
}  // namespace tutti::import_test
