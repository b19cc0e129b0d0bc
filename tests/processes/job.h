#pragma once

#include <tutti/runtime/comm/shm/rendezvous.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/complaints.h"
#include "tests/tools/launch_testing.h"
#include <gmock/gmock.h>

// What the tests of jobs share: `tutti launch` of processes_program, and a look at what is left.
namespace tutti::test {

inline std::string file_content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Where the doubles of NVIDIA's libraries are, with NCCL 2.32.3, or the `older` 2.27.7, which has
// no windows.
inline std::string folders_of_doubles(bool older) {
  const std::string usual = TUTTI_BINARY_DIR "/fake_cuda";
  return older ? TUTTI_BINARY_DIR "/fake_nccl_2.27.7:" + usual : usual;
}

class Job : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  static std::string tutti() { return built("tutti"); }

  void SetUp() override {
    setenv("TUTTI_TEST_FOLDER", folder_.path().c_str(), 1);
    std::filesystem::create_directory(temporary());
    setenv("TMPDIR", temporary().c_str(), 1);
    setenv("TUTTI_SET", "verify=on", 1);  // in the ranks: here the hook of the tests' main does it
  }

  // No process, no name in any file system, no socket and no file; after every job.
  void TearDown() override {
    unsetenv("TUTTI_SET");
    unsetenv("TMPDIR");
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("process.")) {
        EXPECT_TRUE(ends(std::stoi(file_content(entry.path())))) << name << " is left";
      }
    }
    EXPECT_TRUE(std::filesystem::is_empty(temporary()));
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      EXPECT_THAT(entry.path().filename(), testing::Not(testing::HasSubstr("tutti")));
    }
    // (Other jobs of this machine have names of their own.)
    const std::string job = folder_.read("job.0");
    if (!job.empty()) {
      const std::string name = runtime::socket_name(job.substr(0, job.size() - 1));
      EXPECT_THAT(file_content("/proc/net/unix"), testing::Not(testing::HasSubstr(name)));
    }
  }

  // The command that runs a scenario on so many ranks. `options`: of the launcher.
  static Words command(int ranks, const Words& scenario, const Words& options = {}) {
    Words out = {tutti(), "launch", "-n", std::to_string(ranks)};
    out.insert(out.end(), options.begin(), options.end());
    out.insert(out.end(), {"--", built("processes_program")});
    out.insert(out.end(), scenario.begin(), scenario.end());
    return out;
  }
  // The doubles that it uses complain of nothing.
  static CommandResult run(int ranks, const Words& scenario, const Words& options = {}) {
    CommandResult result = run_command(command(ranks, scenario, options));
    expect_no_complaints(result);
    return result;
  }

  std::filesystem::path temporary() const { return folder_.path() / "temporary"; }

  // A milestone that the ranks tell of, by rank.
  static std::string at(const std::string& milestone, int rank) {
    return milestone + "." + std::to_string(rank);
  }
  bool all_reach(const std::string& milestone, int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) {
      if (!comes_true([&] { return !folder_.read(at(milestone, rank)).empty(); })) return false;
    }
    return true;
  }
  // What rank 0 reaches as far as the others are concerned.
  void let_go() const { folder_.write("go.0", "go\n"); }
  pid_t process_of(int rank) const { return std::stoi(folder_.read(at("process", rank))); }
  std::string process_text(int rank) const {
    return "rank " + std::to_string(rank) + " (process " + std::to_string(process_of(rank));
  }

  TemporaryFolder folder_;
};

// The lines that one rank has printed, without its number.
inline std::string lines_of_rank(const CommandResult& result, int rank) {
  const std::string mark = "[" + std::to_string(rank) + "] ";
  std::string out;
  std::istringstream in(result.output);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(mark)) out += line.substr(mark.size()) + "\n";
  }
  return out;
}

}  // namespace tutti::test
