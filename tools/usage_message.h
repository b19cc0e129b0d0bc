#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// What is said to a command line that does not fit: what is wrong, the name that may have been
// meant, and which help explains it. For CLI::App::failure_message().
std::string usage_message(const CLI::App* app, const CLI::Error& error);

}  // namespace tutti::tools
