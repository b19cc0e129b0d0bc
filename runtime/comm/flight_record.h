#pragma once

#include <tutti/kernels/host/flight_recorder.h>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

// What the flight recorders of a job's ranks hold, taken out of the memory they share: kept in a
// file, printed and explained.
namespace tutti::runtime {

struct RecordedCollective {
  std::int64_t rank = 0;
  std::uint64_t number = 0;    // among the rank's
  std::uint64_t sequence = 0;  // in its group
  std::uint64_t group_id = 0;  // of the group's tag and members
  std::uint64_t fingerprint = 0;
  std::string group;  // its tag
  std::string call;   // "all_reduce sum f32[4] (train.cpp:41)"
  kernels::FlightEntry::State state = kernels::FlightEntry::kStarted;
  std::int64_t started = 0;  // nanoseconds of the host's monotonic clock
  std::int64_t ended = 0;    // 0: it has not; kAtOnce

  friend bool operator==(const RecordedCollective&, const RecordedCollective&) = default;
};

// The last collectives of a rank, oldest first. The rank may go on recording meanwhile.
std::vector<RecordedCollective> read_recorder(std::int64_t rank,
                                              const kernels::FlightRecorder& recorder);

// A header line, then a line for each, its fields separated by tabs.
void write(std::ostream& out, std::span<const RecordedCollective> collectives);
// Reads what write() wrote; `name` is the file's, for messages. Throws ParseError with the line.
std::vector<RecordedCollective> read(std::istream& in, const std::string& name);
// Writes a file by way of a temporary one, so that nobody finds half of it. Throws
// EnvironmentError.
void write_file(const std::string& file, std::span<const RecordedCollective> collectives);

// In words: where ranks called different collectives, who waits for whom, and the last `most`
// collectives of each rank. `now`, on the clock of the records, is when to count to for those that
// have not ended; 0: the last time recorded. Ends with a newline.
std::string diagnose(std::span<const RecordedCollective> collectives, std::size_t most,
                     std::int64_t now = 0);

}  // namespace tutti::runtime
