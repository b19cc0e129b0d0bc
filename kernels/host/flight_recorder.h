#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// What a rank did last: its collectives over all groups, in memory that its peers (and `tutti
// diagnose`) can read. Plain memory without pointers, as in collectives.h.
namespace tutti::kernels {

inline constexpr std::uint64_t kRecordedCollectives = 1024;

// One collective as its rank started it. Times are nanoseconds of the host's monotonic clock.
struct FlightEntry {
  enum State : std::uint32_t { kStarted, kCompleted, kFailed };
  static constexpr std::int64_t kAtOnce = -1;  // of `ended`: within microseconds of its start

  // This entry's number among all of the rank's, from 1; 0 while it is being written.
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::uint32_t> state{kStarted};
  std::uint64_t group_id = 0;     // a hash of its group's tag and members
  std::uint64_t sequence = 0;     // in its group
  std::uint64_t fingerprint = 0;  // what the members have to agree on
  std::int64_t started = 0;
  std::atomic<std::int64_t> ended{0};
  std::array<char, 56> group{};  // its tag
  // "all_reduce sum f32[4] (train.cpp:41)". Of a long one the end of the call is cut, not the line.
  std::array<char, 192> call{};
};

// Which collective of which group an entry speaks of.
struct FlightKey {
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint64_t fingerprint = 0;
};

// The last collectives of one rank, which alone writes. Entry n lies at n % kRecordedCollectives.
class FlightRecorder {
 public:
  // Notes a collective and returns its number. `file` may come with its folders, or be empty.
  std::uint64_t start(const FlightKey& key, std::string_view group, std::string_view call,
                      std::string_view file, std::uint32_t line, std::int64_t now);
  void end(std::uint64_t number, FlightEntry::State state, std::int64_t now);

  // How many were ever noted.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  // The entry with that number; null if a later one took its place, or it was never written.
  const FlightEntry* find(std::uint64_t number) const;

 private:
  std::atomic<std::uint64_t> count_{0};
  std::array<FlightEntry, kRecordedCollectives> entries_{};
};

// Copies as much of `text` as fits, and a final zero.
void write_text(std::span<char> to, std::string_view text);
// What write_text() wrote, or whatever a process that is none of ours did: up to the first zero or
// the end, printable() as lines.
std::string read_text(std::span<const char> from);
// The same on one line.
std::string read_line(std::span<const char> from);

// The text with bytes that a terminal would obey written as "\x1b"; the ends of lines stay if
// `lines`.
std::string printable(std::string_view text, bool lines);

}  // namespace tutti::kernels
