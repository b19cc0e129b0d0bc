#pragma once

#include <string>
#include <string_view>

// Words in the text of kernels and plans.
namespace tutti::codegen {

// A word as messages show it, shortened.
std::string shown(std::string_view word);

// The number in a name like b12, whose letter is given; -1 for any other word.
int number_in_name(std::string_view word, char letter);

}  // namespace tutti::codegen
