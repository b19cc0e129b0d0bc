#pragma once

#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>

namespace tutti::tools {

// The options of `tutti reduce`.
struct ReduceOptions {
  std::filesystem::path file;    // empty: `ranks` is reduced
  std::filesystem::path ranks;   // a folder with the programs of all ranks
  std::string check;             // for the shell; 0 means that a program is interesting
  std::filesystem::path output;  // empty: beside the program, with `.reduced` in its name
  std::chrono::milliseconds most_time = std::chrono::minutes(1);  // of one check
};

// Writes the smallest program for which a command still exits with 0, as ir::reduce finds it, and
// tells of the way there. What is written is always whole, and the best so far when the process is
// interrupted. Gives whether it was not. Throws UsageError if the program itself is not
// interesting.
bool reduce(const ReduceOptions& options, std::ostream& out);

}  // namespace tutti::tools
