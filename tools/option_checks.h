#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// A number that is not below 0.
CLI::Validator at_least_zero();
// A seed of random numbers.
CLI::Validator seed();

}  // namespace tutti::tools
