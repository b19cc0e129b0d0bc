#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The pages of a dump as HTML: each complete in itself, without anything from elsewhere, and made
// of pieces so that it is a whole page after every piece (end tags of body and html are optional).
namespace tutti::codegen::page {

// Text with what HTML would take for markup escaped.
std::string escaped(std::string_view text);

// The page of all executables: its beginning, and a row that links to one.
std::string index_begin();
struct IndexRow {
  std::string link;  // the folder, relative to the page
  std::string name;
  std::string line;  // of the user's program; may be empty
  std::int64_t rank = 0;
  std::size_t nodes = 0;
  std::vector<std::string> stages;  // that its page will have
};
std::string index_row(const IndexRow& row);
// Added later: fills the row in.
std::string index_result(const std::string& link, const std::string& result);
std::string index_failure(const std::string& link, const std::string& what);

// The page of one executable: its beginning, with links to the stages to come.
struct Heading {
  std::string title;
  std::string line;
  std::int64_t rank = 0;
  std::vector<std::string> stages;
};
std::string begin(const Heading& heading);
// A stage as text. Lines that end with a line of the user's program, "// train.cpp:41", are marked
// so that a click shows all that came of it. `file` may be empty.
std::string stage(const std::string& name, const std::string& note, const std::string& file,
                  std::string_view text);
// A kernel: texts side by side, each with a name and a file.
struct KernelText {
  std::string name;
  std::string file;
  std::string text;
};
std::string kernels_begin(std::size_t distinct, std::size_t all);
std::string kernel(const std::string& title, const std::vector<std::string>& lines,
                   const std::vector<KernelText>& texts);
std::string kernels_end();
// A table of how long each part took.
std::string times(const std::vector<std::pair<std::string, std::string>>& rows);
std::string failure(std::string_view what);

}  // namespace tutti::codegen::page
