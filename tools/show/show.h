#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tutti::tools {

enum class ShowFormat : std::uint8_t { text, dot, svg, html };

// The options of `tutti show`.
struct ShowOptions {
  // "-": standard input; a folder of TUTTI_DUMP: where all programs of a rank have what their
  // collectives use
  std::filesystem::path file;
  ShowFormat format = ShowFormat::text;
  std::filesystem::path output;  // see write_output
  std::string function;          // empty: all in text and html, else the only one
  std::string stage = "trace";
  std::int64_t rank = 0;  // whose plan
  bool fold = false;      // kernels as one box in drawings
};

// Writes a program, or what a stage of the compiler makes of it, for people to read. Nothing is
// compiled or run. Passes that TUTTI_DISABLE names are left out. Throws UsageError for a stage,
// function or rank that there is not, and EnvironmentError if the output can't be written: there is
// a whole file then, the old one, or none.
void show_program(const ShowOptions& options);

}  // namespace tutti::tools
