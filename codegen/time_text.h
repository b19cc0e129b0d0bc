#pragma once

#include <chrono>
#include <string>

namespace tutti::codegen {

// "1.25 ms", "340 us": three digits.
std::string text_of(std::chrono::nanoseconds time);

}  // namespace tutti::codegen
