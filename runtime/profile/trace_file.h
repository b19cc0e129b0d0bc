#pragma once

#include <tutti/runtime/profile/profile.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Traces as files: JSON in Chrome's trace event format, which ui.perfetto.dev opens. A process of
// the trace is a rank, its threads are the rank's own and the workers of its pool.
namespace tutti::runtime {

// The file that TUTTI_PROFILE asks for now; empty: nothing is to be recorded. Throws
// EnvironmentError if settings are malformed.
std::string profile_file();

// Of one rank of several, until the launcher merges them: FILE.rank3.
std::string part_of_trace(const std::string& file, std::int64_t rank);

// Throws EnvironmentError if the file could not be written in the end.
void check_trace_file(const std::string& file);

// The recorder of a rank, with the machine measured; null if `file` is empty. The trace goes to
// `file` when the profile is saved, unless `saved_by_itself` is false. Throws EnvironmentError like
// check_trace_file.
std::shared_ptr<Profile> make_profile(const std::string& file, std::int64_t rank, ThreadPool& pool,
                                      bool saved_by_itself = true);

// The first time that name, later FILE.2, FILE.3, ...: a process may have one World after another.
std::string claim_trace_file(const std::string& file);

// Writes the traces of ranks, which have to be still, into one file, by way of a temporary one, so
// that nobody finds half of it. Throws EnvironmentError.
void write_trace(const std::string& file, std::span<const Profile* const> ranks);

// Writes what the ranks of this process have recorded to one file; profiles may be null. Warns on
// stderr when that fails; does nothing if there is none.
void save_together(const std::string& file,
                   std::span<const std::shared_ptr<Profile>> ranks) noexcept;

struct MergedTrace {
  std::vector<std::int64_t> ranks;   // whose traces there were
  std::vector<std::string> unsound;  // parts that are no whole traces; they are left
};

// Puts the parts of ranks 0 to ranks - 1, those that there are, into one file and removes them.
// Does nothing if there is none. Throws EnvironmentError; the parts are still there then.
MergedTrace merge_traces(const std::string& file, std::int64_t ranks);

// Removes parts that an earlier job left.
void remove_parts_of_trace(const std::string& file, std::int64_t ranks);

}  // namespace tutti::runtime
