#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

// The pages for users, README.md and docs/, as their tests read them.
namespace tutti::test {

// The top of the source tree.
const std::filesystem::path& source_folder();
// Empty, and a failure of the test, if the file can't be read.
std::string content_of_source(const std::filesystem::path& path);

// A block between fences. The first words behind the opening one say what it is.
struct CodeBlock {
  std::string language;
  std::string subject;    // the second word
  std::string condition;  // the third one
  std::string text;
  std::string page;  // from the top of the tree
  int line = 0;      // of the opening fence, from 1

  std::string where() const { return page + ":" + std::to_string(line); }
};

// From the top of the tree, in alphabetical order.
std::vector<std::string> all_pages();
std::vector<CodeBlock> all_blocks();

// A line of a block of `sh`.
struct PageCommand {
  std::string text;   // without a comment behind it, with this build's folder for build/release
  std::string where;  // "README.md:67"
};

// The commands of one page, in order: later ones may use what earlier ones made.
struct PageCommands {
  std::string name;  // "README"
  std::vector<PageCommand> commands;

  friend void PrintTo(const PageCommands& page, std::ostream* out) { *out << page.name; }
};

// Those that get packages, build or install (scripts/, cmake, ninja) or run a benchmark, which the
// default build leaves out; or all others. A page without any is left out.
std::vector<PageCommands> commands_of_pages(bool builds);

// The lines without blanks at both ends.
std::string trimmed(const std::string& line);
std::vector<std::string> trimmed_lines(const std::string& text);

}  // namespace tutti::test
