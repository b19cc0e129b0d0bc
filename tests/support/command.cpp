#include "tests/support/command.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

namespace {

constexpr const char* kOutput = "output";
constexpr const char* kErrors = "errors";

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, std::chrono::seconds longest) {
  return RunningCommand(arguments).wait(longest);
}

std::string built(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::string source(const std::string& path) {
  const char* const folder = std::getenv("TUTTI_TEST_SOURCES");
  return std::filesystem::path(folder != nullptr ? folder : TUTTI_SOURCE_DIR) / path;
}

bool comes_true(const std::function<bool()>& condition) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tutti_test_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << content;
  return path_ / name;
}

std::string TemporaryFolder::read(const std::string& name) const {
  return content_of(path_ / name);
}

// Files, not pipes: nobody has to read while the program writes.
RunningCommand::RunningCommand(const std::vector<std::string>& arguments, int output) {
  const std::string output_file = folder_.path() / kOutput;
  const std::string errors_file = folder_.path() / kErrors;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (output < 0) {
    posix_spawn_file_actions_addopen(&files, 1, output_file.c_str(), O_WRONLY | O_CREAT, 0600);
  } else {
    posix_spawn_file_actions_adddup2(&files, output, 1);
  }
  posix_spawn_file_actions_addopen(&files, 2, errors_file.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // Shells start background jobs with interrupts ignored, and nohup what it runs with hang-ups; the
  // command is to get them all the same.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGQUIT);
  sigaddset(&interrupts, SIGHUP);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawn(&id_, words[0], &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
}

RunningCommand::~RunningCommand() {
  if (id_ == 0) return;
  send(SIGKILL);
  waitpid(id_, nullptr, 0);
}

void RunningCommand::send(int signal) const { kill(id_, signal); }

CommandResult RunningCommand::wait(std::chrono::seconds longest) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
  pollfd end{.fd = process, .events = POLLIN, .revents = 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(longest).count();
  if (process >= 0 && poll(&end, 1, static_cast<int>(limit)) == 0) {
    ADD_FAILURE() << "killed, since it did not end within " << longest.count() << " seconds";
    send(SIGKILL);
  }
  if (process >= 0) close(process);
  int status = 0;
  waitpid(std::exchange(id_, 0), &status, 0);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = folder_.read(kOutput),
          .errors = folder_.read(kErrors)};
}

}  // namespace tutti::test
