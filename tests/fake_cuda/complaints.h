#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tutti::fake_cuda {

// What one of the doubles saw done that must not be done, a line each: for a test that takes it,
// and on stderr for everybody else.
class Complaints {
 public:
  // `library` is what the lines on stderr begin with.
  explicit Complaints(std::string library) : library_(std::move(library)) {}

  // `waits`: the line goes to stderr only where nobody has taken it up to the end of the process.
  void add(const std::string& line, bool waits) {
    all_ += line + "\n";
    if (waits && !at_end_) {
      untold_.push_back(line);
    } else {
      tell(line);
    }
  }
  std::string take() {
    untold_.clear();
    return std::exchange(all_, {});
  }
  // When the process ends. What comes then is told at once.
  void tell_the_rest() {
    at_end_ = true;
    for (const std::string& line : std::exchange(untold_, {})) tell(line);
  }

 private:
  void tell(const std::string& line) const {
    std::fprintf(stderr, "%s: %s\n", library_.c_str(), line.c_str());
  }

  const std::string library_;
  std::string all_;
  std::vector<std::string> untold_;
  bool at_end_ = false;
};

}  // namespace tutti::fake_cuda
