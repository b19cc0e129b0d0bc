#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

// Starting programs and keeping their files apart.
namespace tutti::test {

struct CommandResult {
  int status = -1;  // the exit code; 128 and the signal's number if one ended it
  std::string output;
  std::string errors;
};

// What takes longer hangs: it is killed, so that the test fails that started it, with its name.
inline constexpr std::chrono::minutes kLongestCommand{8};

// Runs a program with arguments, without a shell, and waits for its end.
CommandResult run_command(const std::vector<std::string>& arguments,
                          std::chrono::seconds longest = kLongestCommand);

// A program or library that was built beside this program, wherever they were brought since.
std::string built(const std::string& name);

// A file of the sources, by its path there; TUTTI_TEST_SOURCES says where they were brought.
std::string source(const std::string& path);

// Waits for something that has to happen sooner or later; false if it has not within a minute.
bool comes_true(const std::function<bool()>& condition);

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

// A program that runs at the same time as the test; killed if it still runs at the end.
class RunningCommand {
 public:
  // Its stdin is empty. `output` is where it prints: a descriptor, or -1 for a file that wait()
  // reads.
  explicit RunningCommand(const std::vector<std::string>& arguments, int output = -1);
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;
  ~RunningCommand();

  pid_t id() const { return id_; }
  void send(int signal) const;
  // Until its end.
  CommandResult wait(std::chrono::seconds longest = kLongestCommand);

 private:
  TemporaryFolder folder_;
  pid_t id_ = 0;  // 0 when it has ended
};

}  // namespace tutti::test
