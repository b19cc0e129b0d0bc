#include "tools/launch/program.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace tutti::tools {

namespace {

// 0 if it looks as if it could be run, else a value of errno.
int why_not(const std::string& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

std::string explain(const std::string& program, int reason) {
  const std::string start = "cannot start '" + program + "': ";
  if (reason == ENOENT && program.find('/') == std::string::npos) {
    return start + "it is not on PATH; for a file in this folder write ./" + program;
  }
  if (reason == EISDIR) return start + "it is a folder; give a program";
  const std::string text = start + std::generic_category().message(reason);
  if (reason == ENOENT && why_not(program) == 0) {
    return text + "; what is to run it, as its first line says, is not there";
  }
  return reason == EACCES ? text + "; a program must be executable (chmod +x)" : text;
}

}  // namespace

ProgramError::ProgramError(const std::string& program, int reason)
    : EnvironmentError(explain(program, reason)),
      exit_code_(reason == ENOENT || reason == ENOTDIR ? 127 : 126) {}

std::string find_program(const std::string& name) {
  if (name.empty()) throw ProgramError(name, ENOENT);
  if (name.find('/') != std::string::npos) {
    if (const int reason = why_not(name); reason != 0) throw ProgramError(name, reason);
    return name;
  }
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  int reason = ENOENT;
  while (true) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    const int failed = why_not(file);
    if (failed == 0) return file;
    if (failed == EACCES) reason = EACCES;  // of all, this one says most
    if (folder.size() == rest.size()) throw ProgramError(name, reason);
    rest.remove_prefix(folder.size() + 1);
  }
}

StringPointers::StringPointers(std::vector<std::string> strings) : strings_(std::move(strings)) {
  for (std::string& string : strings_) pointers_.push_back(string.data());
  pointers_.push_back(nullptr);
}

}  // namespace tutti::tools
