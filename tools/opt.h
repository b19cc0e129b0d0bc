#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>

#include "tools/pass_options.h"

namespace tutti::tools {

// The options of `tutti opt`.
struct OptOptions {
  std::filesystem::path file;
  std::string function;  // empty: all
  PassSelection passes;
  std::string stop_after;        // a pass; empty: none
  std::filesystem::path output;  // see write_output
  std::int64_t ranks = 0;  // that the program has to fit on after every pass; 0: not looked at
  bool verify_each = true;
  bool no_output = false;
  bool print_changed = false;    // what each pass changed
  bool print_after_all = false;  // the whole program after each pass that changed it
  bool time_passes = false;
  bool colours = false;  // in what print_changed shows
};

// Runs passes over the functions of a program, verifies it after each, and writes what comes of it
// as text. What else is asked for goes to `notes`. Throws InternalError, naming the pass, for what
// a pass does wrong.
void optimize(const OptOptions& options, std::ostream& out, std::ostream& notes);

// The passes and pipelines that there are, with a line for each.
void list_passes(std::ostream& out);

}  // namespace tutti::tools
