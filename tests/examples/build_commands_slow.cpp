// Runs the commands of the pages that get packages, build, install or measure, and builds README's
// application against what they installed. One test, since two builds can't share a folder.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/command.h"
#include "tests/support/pages.h"
#include <gmock/gmock.h>

namespace tutti::test {

namespace {

// From the top of the tree, with that home folder.
CommandResult run_at_home(const std::filesystem::path& home, const std::string& command) {
  constexpr std::chrono::minutes kLongestBuild{60};
  return run_command({"/bin/sh", "-c",
                      "cd '" + source_folder().string() + "' && export HOME='" + home.string() +
                          "' && " + command},
                     kLongestBuild);
}

std::string text_of(const std::string& page, const std::string& language,
                    const std::string& subject) {
  for (const CodeBlock& block : all_blocks()) {
    if (block.page == page && block.language == language && block.subject == subject) {
      return block.text;
    }
  }
  ADD_FAILURE() << page << " has no block '" << language << " " << subject << "'";
  return "";
}

TEST(BuildCommands, BuildAndInstallWhatAnApplicationNeeds) {
  const TemporaryFolder home;
  for (const PageCommands& page : commands_of_pages(true)) {
    for (const PageCommand& command : page.commands) {
      std::string text = command.text;
      if (text == "./scripts/test") text = "bash -n scripts/test";  // it may be what runs this
      if (text.starts_with("./scripts/gpu-test")) text = "bash -n scripts/gpu-test";
      if (text == "./scripts/demo") text += " --steps 2 --sample 0";
      // Only what names it gets the home folder: builds keep the user's ccache.
      const bool names_home = text.find("$HOME") != std::string::npos;
      const char* const own = std::getenv("HOME");
      const CommandResult result =
          run_at_home(names_home || own == nullptr ? home.path() : own, text);
      EXPECT_EQ(result.status, 0) << command.where << ": " << text << "\n"
                                  << result.output << result.errors;
    }
  }

  home.write("app/CMakeLists.txt", text_of("README.md", "cmake", ""));
  home.write("app/app.cpp", text_of("README.md", "cpp", "07_program.cpp"));
  const CommandResult app = run_at_home(home.path(),
                                        "cd \"$HOME/app\" && cmake -B build -G Ninja -D "
                                        "CMAKE_PREFIX_PATH=\"$HOME/tutti-install\" >log && "
                                        "cmake --build build >>log && build/app");
  EXPECT_EQ(app.status, 0) << home.read("app/log") << app.errors;
  EXPECT_THAT(app.output, testing::EndsWith("f32[3] [5, 16, 33]\n"));
}

}  // namespace

}  // namespace tutti::test
