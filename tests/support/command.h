#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Starting programs and keeping their files apart.
namespace tutti::test {

struct CommandResult {
  int status = -1;  // the exit code; 128 and the signal's number if one ended it
  std::string output;
  std::string errors;
};

// Runs a program with arguments, without a shell, and waits for its end.
CommandResult run_command(const std::vector<std::string>& arguments);

// An empty folder of its own, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file in it and gives its path.
  std::string write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tutti::test
