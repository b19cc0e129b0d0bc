#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::read_text_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;

const std::string kProgram = "// tutti ir 1\n\nfunc @f(%x: f32[4]) -> (f32[4]) {\n  return %x\n}\n";

CommandResult opt(const std::string& path) {
  return test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "opt", path});
}

TEST(ReadText, PassesOverTheMarkOfUtf8AndLineEndsOfWindows) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(opt(folder.write("marked.tutti", "\xEF\xBB\xBF" + kProgram)).output, kProgram);
  std::string lines = kProgram;
  for (std::size_t at = 0; (at = lines.find('\n', at)) != lines.npos; at += 2) {
    lines.insert(at, "\r");
  }
  EXPECT_EQ(opt(folder.write("lines.tutti", lines)).output, kProgram);
}

TEST(ReadText, SaysWhyItCannotRead) {
  const test::TemporaryFolder folder;
  const CommandResult none = opt(folder.path() / "none");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.errors, HasSubstr("/none: cannot be read: No such file or directory\n"));
  const CommandResult not_a_file = opt(folder.path());
  EXPECT_EQ(not_a_file.status, 1);
  EXPECT_THAT(not_a_file.errors, HasSubstr(": cannot be read: Is a directory"));
}

}  // namespace
}  // namespace tutti::read_text_test
