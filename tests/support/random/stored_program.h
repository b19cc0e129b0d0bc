#pragma once

#include <filesystem>
#include <string>

#include "tests/support/random/random_program.h"

namespace tutti::test {

// A program and what it is run with as one IR text: the function @program, and behind it for every
// rank a function @arguments_<rank> without parameters whose results are the arguments.
std::string text_of(const RandomProgram& program);
RandomProgram program_of(const std::string& text, const std::string& file_name);
RandomProgram read_program(const std::filesystem::path& file);

}  // namespace tutti::test
