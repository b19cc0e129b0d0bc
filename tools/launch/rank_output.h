#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "tools/launch/file_handle.h"
#include "tools/launch/line_splitter.h"
#include "tools/launch/output_queue.h"

namespace tutti::tools {

// The last lines that a rank printed, cut to a readable length.
class RecentLines {
 public:
  void add(std::string_view line);
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  std::deque<std::string> lines_;
};

// The reading end of a rank's stdout or stderr: its lines go to a queue, each behind a prefix.
class RankStream {
 public:
  // Keeps references to queue and lines. The pipe's reading end must not block.
  RankStream(FileHandle pipe, std::string prefix, OutputQueue& queue, RecentLines& recent)
      : pipe_(std::move(pipe)), prefix_(std::move(prefix)), queue_(queue), recent_(recent) {}

  int descriptor() const { return pipe_.get(); }
  // Whether there is more to come and room for it.
  bool wants_to_read() const { return pipe_.is_open() && !queue_.is_full(); }
  // Takes what is there, but not much at a time, so that ranks take turns.
  void read_some();
  // Takes what is there and closes the stream: processes that the rank left behind may keep its
  // other end open, and even go on printing.
  void finish();

 private:
  std::size_t read_once();  // gives how much it was; closes the pipe at its end
  void print(std::string_view line);

  FileHandle pipe_;
  std::string prefix_;
  OutputQueue& queue_;
  RecentLines& recent_;
  LineSplitter splitter_;
};

// "[3] ", in a colour of the rank's own for terminals.
std::string rank_prefix(std::size_t rank, bool coloured);

}  // namespace tutti::tools
