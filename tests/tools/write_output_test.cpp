#include <filesystem>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::write_output_test {
namespace {

// Of every command that makes one text.
TEST(WriteOutput, PrintsWhereTheFileIsADash) {
  const test::TemporaryFolder folder;
  folder.write("p.tutti", "func @f(%x: f32[4]) {\n  %0 = exp(%x)\n  return %0\n}\n");
  folder.write("p.mlir",
               "module @m {\n  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
               "    return %arg0 : tensor<2xf32>\n  }\n}\n");
  for (const std::string command : {"emit p.tutti --stage plan", "opt p.tutti", "show p.tutti",
                                    "export p.tutti", "import p.mlir"}) {
    const auto run = [&](const std::string& more) {
      return test::run_command({"/bin/sh", "-c",
                                "cd '" + folder.path().string() +
                                    "' && exec " TUTTI_BINARY_DIR "/bin/tutti " + command + more});
    };
    const test::CommandResult printed = run("");
    EXPECT_EQ(printed.status, 0) << command << printed.errors;
    EXPECT_EQ(run(" -o -").output, printed.output) << command;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "-"));
}

}  // namespace
}  // namespace tutti::write_output_test
