#include "tools/launch/line_splitter.h"

namespace tutti::tools {

namespace {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr std::size_t kKeptCapacity = 1 << 14;

}  // namespace

void LineSplitter::add(std::string_view bytes, Take take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
    if (start_.empty() && end != bytes.npos) {
      take(part);
      continue;
    }
    start_ += part;
    if (end == bytes.npos && start_.size() < kLongestLine) continue;
    take(start_);
    start_.clear();
    if (start_.capacity() > kKeptCapacity) start_.shrink_to_fit();
  }
}

void LineSplitter::finish(Take take) {
  if (!start_.empty()) take(start_);
  start_.clear();
}

}  // namespace tutti::tools
