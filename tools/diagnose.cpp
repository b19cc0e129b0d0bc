#include "tools/diagnose.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/comm/flight_record.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/segment.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fcntl.h>

namespace tutti::tools {

namespace {

using runtime::RecordedCollective;

// The segment that a process has mapped, found by the descriptor it keeps.
runtime::Segment segment_of(const std::string& process) {
  const std::filesystem::path folder = "/proc/" + process + "/fd";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (!target.starts_with("/memfd:tutti")) continue;
    // By now it may be something else: a pipe that nobody writes to.
    runtime::Descriptor descriptor(open(entry.path().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (descriptor.valid()) return runtime::Segment(std::move(descriptor));
  }
  throw EnvironmentError("process " + process +
                         " is no rank of a job (or not yours, or not there): it has no memory that "
                         "ranks share");
}

std::vector<RecordedCollective> read_process(const std::string& process) {
  const runtime::Segment segment = segment_of(process);
  const runtime::SegmentLayout layout(segment.data());
  if (!runtime::SegmentLayout::is_sound(segment.data(), segment.bytes())) {
    throw EnvironmentError("process " + process + " runs a different version of Tutti");
  }
  std::vector<RecordedCollective> out;
  for (std::int64_t rank = 0; rank < layout.header().ranks; ++rank) {
    const auto last = runtime::read_recorder(rank, layout.page(rank).recorder);
    out.insert(out.end(), last.begin(), last.end());
  }
  return out;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<RecordedCollective> read_source(const std::string& source) {
  if (is_number(source) && !std::filesystem::exists(source)) return read_process(source);
  if (!std::filesystem::is_regular_file(source)) {
    throw EnvironmentError(source + ": there is no such file");
  }
  std::ifstream file(source);
  if (!file) throw EnvironmentError(source + ": it can't be read");
  return runtime::read(file, source);
}

}  // namespace

void diagnose(const DiagnoseOptions& options) {
  std::int64_t now = 0;  // of processes that run
  std::vector<RecordedCollective> all;
  for (const std::string& source : options.sources) {
    const auto some = read_source(source);
    if (!std::filesystem::exists(source)) now = runtime::monotonic_now();
    all.insert(all.end(), some.begin(), some.end());
  }
  // Files of one rank each may come in any order.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.rank, a.number) < std::pair(b.rank, b.number);
  });
  std::cout << runtime::diagnose(all, options.most, now);
}

}  // namespace tutti::tools
