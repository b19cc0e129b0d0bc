#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include <gmock/gmock.h>

// What the tests of `tutti launch` share: shell scripts as ranks, and a look at their processes.
namespace tutti::test {

class Launch : public testing::Test {
 protected:
  // The command line of `tutti launch`, with its options, for a shell script that finds the test's
  // folder in $F.
  std::vector<std::string> command(std::vector<std::string> options, const std::string& script) {
    std::vector<std::string> out = {TUTTI_BINARY_DIR "/bin/tutti", "launch"};
    out.insert(out.end(), options.begin(), options.end());
    const std::string folder = "F='" + folder_.path().string() + "'\n";
    out.insert(out.end(), {"--", "/bin/sh", "-c", folder + script});
    return out;
  }
  CommandResult launch(const std::vector<std::string>& options, const std::string& script) {
    return run_command(command(options, script));
  }

  // Whether a line of text is in a file of the folder: ranks write such files to say how far they
  // are.
  bool said(const std::string& file) const { return folder_.read(file).ends_with('\n'); }
  bool comes_to_say(const std::string& file) const {
    return comes_true([&] { return said(file); });
  }
  pid_t number_in(const std::string& file) const { return std::stoi(folder_.read(file)); }

  TemporaryFolder folder_;
};

// The state of a process: 'R', 'S', 'T', ...; 'Z' too when it is gone.
inline char state_of(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.size() < name_end + 3 ? 'Z' : text[name_end + 2];
}

inline bool ends(pid_t process) {
  return comes_true([&] { return state_of(process) == 'Z' || state_of(process) == 'X'; });
}

inline std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  std::ranges::sort(out);
  return out;
}

}  // namespace tutti::test
