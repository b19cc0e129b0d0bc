#pragma once

#include <tutti/ir/support/error.h>

#include <string>
#include <vector>

namespace tutti::tools {

// A program could not be started. The exit code is that of a shell: 127 if it was not found, 126 if
// it cannot be run.
class ProgramError : public EnvironmentError {
 public:
  // `reason` is a value of errno.
  ProgramError(const std::string& program, int reason);
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// The file of a program: itself if it has a '/', else the first on PATH that can be run. Throws
// ProgramError.
std::string find_program(const std::string& name);

// Strings as exec takes them: pointers, with a null pointer at the end.
class StringPointers {
 public:
  explicit StringPointers(std::vector<std::string> strings);
  StringPointers(const StringPointers&) = delete;
  StringPointers& operator=(const StringPointers&) = delete;
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

}  // namespace tutti::tools
