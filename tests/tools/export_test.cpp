#include <filesystem>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::export_test {
namespace {

using test::CommandResult;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

class Export : public testing::Test {
 protected:
  CommandResult command(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {TUTTI_BINARY_DIR "/bin/tutti", name});
    return test::run_command(arguments);
  }
  CommandResult export_text(const std::string& program, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), folder_.write("p.tutti", program));
    return command("export", arguments);
  }

  TemporaryFolder folder_;
};

const std::string kAdd =
    "func @sum(%x: f32[2], %y: f32[2]) {\n  %0 = add(%x, %y)\n  return %0\n}\n";
const std::string kMul =
    "func @product(%x: f32[2], %y: f32[2]) {\n  %0 = mul(%x, %y)\n  return %0\n}\n";

TEST_F(Export, PrintsTheProgram) {
  const CommandResult result = export_text(kAdd);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("module @sum"));
  EXPECT_THAT(result.output, HasSubstr("func.func public @main(%x: tensor<2xf32>, "));
  EXPECT_THAT(result.output, HasSubstr("stablehlo.add %x, %y : tensor<2xf32>"));
}

TEST_F(Export, WritesAFileThatImportReads) {
  const std::string file = folder_.path() / "p.mlir";
  const CommandResult result = export_text(kAdd, {"-o", file});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  const CommandResult back = command("import", {file});
  EXPECT_EQ(back.status, 0) << back.errors;
  EXPECT_THAT(back.output, HasSubstr("add(%x, %y)"));
}

TEST_F(Export, KeepsTheNamesOfSeveralFunctions) {
  const CommandResult result = export_text(kAdd + kMul);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("func.func public @sum("));
  EXPECT_THAT(result.output, HasSubstr("func.func public @product("));
}

TEST_F(Export, TakesOneFunctionOfSeveral) {
  const CommandResult result = export_text(kAdd + kMul, {"--function", "product"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("stablehlo.multiply"));
  EXPECT_THAT(result.output, Not(HasSubstr("stablehlo.add")));
}

TEST_F(Export, CountsRanksThatOnlyALoopNames) {
  const CommandResult result = export_text(R"(
group @g = {ranks = [0, 1]}
private func @step(%h: f32[1]) {
  %0 = all_reduce(%h) {op = "sum", group = @g}
  %1 = wait(%0)
  return %1
}
func @f(%h: f32[1]) {
  %0 = scan(%h) {body = @step, carries = 1, sequences = 0, length = 2}
  return %0
})");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("mhlo.num_replicas = 2"));
  EXPECT_THAT(result.output, HasSubstr("replica_groups = dense<[[0, 1]]>"));
}

TEST_F(Export, RefusesAFunctionThatIsNotThere) {
  const CommandResult result = export_text(kAdd, {"--function", "product"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("has no function @product"));
}

TEST_F(Export, WritesNothingWhenAnOpHasNoEquivalent) {
  const std::string file = folder_.path() / "p.mlir";
  const CommandResult result = export_text(
      "func @f(%key: u64[]) {\n"
      "  %0 = normal(%key) {dtype = f32, shape = [3]}  // noise.cpp:12\n"
      "  return %0\n"
      "}\n",
      {"-o", file});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("noise.cpp:12: normal can't be exported"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Export, SaysWhereItCannotWrite) {
  const CommandResult result =
      export_text(kAdd, {"-o", (folder_.path() / "missing" / "p.mlir").string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace tutti::export_test
