#pragma once

#include <filesystem>
#include <string>

namespace tutti::tools::show {

// What the programs of a run have of their groups' memory, as TUTTI_DUMP=plan wrote them into a
// folder: an SVG picture with a column of bytes for each group, all programs above each other in
// the order in which they were compiled, so that what lies at one place in several programs lies in
// one line. Throws UsageError for a folder without plans, and ParseError.
std::string places_picture(const std::filesystem::path& folder);

// The same as text: a line for each operand and result.
std::string places_text(const std::filesystem::path& folder);

}  // namespace tutti::tools::show
