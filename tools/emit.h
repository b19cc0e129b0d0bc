#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace tutti::tools {

// The options of `tutti emit`.
struct EmitOptions {
  std::filesystem::path file;
  std::string function;  // empty: the only one
  std::string stage;     // one of emit_stages()
  std::string target = "sm_90";
  bool on_gpu = false;  // values of a program that names no devices lie on one
  std::int64_t rank = 0;
  std::filesystem::path output;  // see write_output
};

// passes, kernels, plan, llvm, asm, cuda, ptx, and the name of each pass.
std::vector<std::string> emit_stages();

// Writes what a stage of the compiler makes of a function for one rank. There is no data, and no
// GPU is needed. Throws UsageError for a rank that the program does not have, for a pass that
// TUTTI_DISABLE leaves out and for a stage of GPUs if it has nothing there; EnvironmentError where
// this build or machine lacks what the stage needs.
void emit(const EmitOptions& options, std::ostream& out);

}  // namespace tutti::tools
