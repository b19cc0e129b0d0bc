#include "tools/check_command.h"

#include <tutti/codegen/driver/reproduce.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "tools/launch/child_process.h"
#include "tools/launch/environment.h"
#include "tools/launch/file_handle.h"
#include "tools/launch/guard.h"
#include "tools/launch/program.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tutti::tools {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kShell = "/bin/sh";

std::string with_file(const std::string& command, const std::string& file) {
  constexpr std::string_view kPlace = "{}";
  const std::string name = codegen::shell_quoted(file);
  std::string out = command;
  std::size_t at = out.find(kPlace);
  if (at == out.npos) return out + " " + name;
  for (; at != out.npos; at = out.find(kPlace, at + name.size())) {
    out.replace(at, kPlace.size(), name);
  }
  return out;
}

FileLimit own_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {.soft = limit.rlim_cur, .hard = limit.rlim_max};
}

bool ends(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

}  // namespace

CheckCommand::CheckCommand(std::string command, milliseconds most_time)
    : command_(std::move(command)), most_time_(most_time) {}

CheckCommand::Answer CheckCommand::run(const std::filesystem::path& file, bool is_heard) {
  const std::string shell = kShell;
  const StringPointers arguments({shell, "-c", with_file(command_, file.string())});
  std::vector<std::string> lines;
  for (const auto& [name, value] : own_environment()) lines.push_back(name + "=" + value);
  const StringPointers environment(std::move(lines));
  const FileHandle nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing.is_open()) throw EnvironmentError(system_failure("cannot open /dev/null"));
  const int output = is_heard ? STDERR_FILENO : nothing.get();
  std::optional<Guard> guard(std::in_place);
  const ChildProcess child(ChildSetup{.file = shell,
                                      .arguments = arguments,
                                      .shell_arguments = arguments,
                                      .environment = environment,
                                      .input = nothing.get(),
                                      .output = output,
                                      .errors = output,
                                      .guard = guard->descriptor(),
                                      .cores = nullptr,
                                      .signals = signals_.before(),
                                      .files = own_limit()});
  const Answer answer = wait_for(child);
  guard.reset();  // while the number that it knows is still the child's
  return answer;
}

CheckCommand::Answer CheckCommand::wait_for(const ChildProcess& child) {
  auto deadline = Clock::now() + most_time_;
  while (true) {
    while (const std::optional<int> signal = signals_.next()) {
      if (ends(*signal)) return {Outcome::interrupted, "was interrupted"};
      if (*signal == SIGTSTP) {
        child.send(SIGSTOP);
        deadline += stop_until_continued();
        child.send(SIGCONT);
      }
    }
    if (const std::optional<ChildEnd> end = child.end()) {
      return {end->failed() ? Outcome::other : Outcome::zero, end->text()};
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) return {Outcome::timed_out, "took too long"};
    pollfd polled{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0};
    // Far deadlines in pieces: poll counts in int.
    const auto wait = static_cast<int>(std::min(left, milliseconds(60'000)).count());
    if (poll(&polled, 1, wait) < 0 && errno != EINTR) {
      throw EnvironmentError(system_failure("cannot wait for the check"));
    }
  }
}

}  // namespace tutti::tools
