#pragma once

// Ranks as processes of this host.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/shm/shm.h>
#include <tutti/runtime/descriptor.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::runtime {

// A name that no other job has.
inline std::string fresh_rendezvous() {
  static int count = 0;
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

// A process that was forked off; killed if it still runs when this goes.
class Child {
 public:
  // `body` returns what the parent gets to read. Failed expectations make it end with code 1.
  explicit Child(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    const pid_t parent = getpid();
    std::fflush(nullptr);  // or the child would write it too
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) std::_Exit(3);
      const std::string said = body();
      const bool written = write(ends[1], said.data(), said.size()) >= 0;
      std::fflush(nullptr);
      std::_Exit(written && !testing::Test::HasFailure() ? 0 : 1);
    }
    close(ends[1]);
    output_ = Descriptor(ends[0]);
  }
  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, -1)), output_(std::move(other.output_)) {}
  ~Child() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  pid_t process() const { return process_; }
  void signal(int number) const { kill(process_, number); }

  // Waits for its end and returns what it said, or "killed by signal 9", "exit code 1",
  // "does not end" (after a minute, and then it is killed).
  std::string end() {
    std::string said;
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      pollfd readable{.fd = output_.number(), .events = POLLIN, .revents = 0};
      if (std::chrono::steady_clock::now() - start > std::chrono::minutes(1)) {
        return "does not end";
      }
      if (poll(&readable, 1, 1000) <= 0) continue;
      std::array<char, 4096> bytes{};
      const ssize_t count = read(output_.number(), bytes.data(), bytes.size());
      if (count <= 0) break;
      said.append(bytes.data(), static_cast<std::size_t>(count));
    }
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status)) + said;
    return said;
  }

 private:
  pid_t process_ = -1;
  Descriptor output_;
};

// Of this process: as many as it has open, none of them between others, and so many more.
inline void allow_more_files(int more) {
  const Descriptor next(dup(STDERR_FILENO));
  const rlimit limit{.rlim_cur = static_cast<rlim_t>(next.number() + more),
                     .rlim_max = static_cast<rlim_t>(next.number() + more)};
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// One rank of a job as a process: runs `body` and leaves as a World does. Says what was thrown.
inline Child rank_process(const ShmOptions& options,
                          const std::function<void(HostBackend&)>& body) {
  return Child([&]() -> std::string {
    try {
      HostBackend backend(std::make_shared<ShmFabric>(options), options.rank);
      try {
        body(backend);
        backend.finish();
      } catch (const std::exception& error) {
        backend.leave(error.what());
        throw;
      }
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  });
}

inline std::vector<Child> start_ranks(std::int64_t ranks, ShmOptions options,
                                      const std::function<void(HostBackend&)>& body) {
  if (options.rendezvous.empty()) options.rendezvous = fresh_rendezvous();
  options.ranks = ranks;
  std::vector<Child> children;
  for (options.rank = 0; options.rank < ranks; ++options.rank) {
    children.push_back(rank_process(options, body));
  }
  return children;
}

inline std::vector<std::string> end_all(std::vector<Child>& children) {
  std::vector<std::string> said;
  for (Child& child : children) said.push_back(child.end());
  return said;
}

// Runs `body` as every rank and returns what each threw, "" for nothing.
inline std::vector<std::string> run_processes(std::int64_t ranks,
                                              const std::function<void(HostBackend&)>& body,
                                              const ShmOptions& options = {}) {
  std::vector<Child> children = start_ranks(ranks, options, body);
  return end_all(children);
}

// The same where no rank should throw.
inline void run_processes_well(std::int64_t ranks, const std::function<void(HostBackend&)>& body,
                               const ShmOptions& options = {}) {
  EXPECT_EQ(run_processes(ranks, body, options),
            std::vector<std::string>(static_cast<std::size_t>(ranks)));
}

}  // namespace tutti::runtime
