#include "tools/launch/rank_output.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

namespace tutti::tools {

namespace {

constexpr std::size_t kRecentLines = 20;
constexpr std::size_t kRecentLength = 1000;
constexpr std::size_t kPiece = 1 << 16;  // the size of a pipe

}  // namespace

void RecentLines::add(std::string_view line) {
  if (lines_.size() == kRecentLines) lines_.pop_front();
  std::string& copy = lines_.emplace_back(line.substr(0, kRecentLength));
  if (line.size() > kRecentLength) copy += "...";
}

void RankStream::read_some() { read_once(); }

void RankStream::finish() {
  const int capacity = pipe_.is_open() ? fcntl(pipe_.get(), F_GETPIPE_SZ) : 0;
  std::size_t left = capacity > 0 ? static_cast<std::size_t>(capacity) : 0;
  while (pipe_.is_open() && left > 0) {
    const std::size_t taken = read_once();
    if (taken == 0) break;
    left -= std::min(left, taken);
  }
  pipe_.close();
  splitter_.finish([this](std::string_view line) { print(line); });
}

std::size_t RankStream::read_once() {
  std::array<char, kPiece> bytes;
  const ssize_t taken = read(pipe_.get(), bytes.data(), bytes.size());
  if (taken > 0) {
    const std::size_t size = static_cast<std::size_t>(taken);
    splitter_.add({bytes.data(), size}, [this](std::string_view line) { print(line); });
    return size;
  }
  if (taken == 0 || (errno != EAGAIN && errno != EINTR)) {
    pipe_.close();
    splitter_.finish([this](std::string_view line) { print(line); });
  }
  return 0;
}

void RankStream::print(std::string_view line) {
  queue_.add(prefix_);
  queue_.add(line);
  queue_.add("\n");
  recent_.add(line);
}

std::string rank_prefix(std::size_t rank, bool coloured) {
  const std::string text = "[" + std::to_string(rank) + "]";
  if (!coloured) return text + " ";
  // The foreground colours but black and white.
  return "\033[" + std::to_string(31 + rank % 6) + "m" + text + "\033[0m ";
}

}  // namespace tutti::tools
