#pragma once

#include <tutti/ir/support/leaf_mutex.h>
#include <tutti/runtime/cache/entry.h>
#include <tutti/runtime/cache/private_file.h>
#include <tutti/runtime/cache/settings.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// Keeps bytes under keys in a folder that outlives the process: one file an entry, each with a
// checksum. Many threads and processes may use one folder at a time. It never fails: what can't be
// kept is not, and what is damaged is not there. It runs nothing, but what it gives will be run: so
// the folder and all in it have to belong to this user, and nobody else may write to them.
//
//   FOLDER/objects-1/2b/2b9f...   an entry, by its key
//
// Entries are spread over kShards folders by their keys. Each may hold its share of the whole;
// who adds one makes room there first, by the entries that were not used for the longest time. So
// no count has to be kept, and only a small part of the cache is looked at.
class DiskCache {
 public:
  static constexpr int kShards = 64;

  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;  // damaged ones included
    std::uint64_t damaged = 0;
    std::uint64_t stores = 0;
    std::uint64_t failures = 0;  // what was to be stored and could not be
  };

  // A place that can't be used makes a cache that is off.
  explicit DiskCache(const CacheSettings& settings);
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  // The one of this process, as the environment has it when it is first used. Throws
  // EnvironmentError when a variable has a value that it can't have.
  static DiskCache& shared();

  bool is_on() const { return folder_.valid(); }
  const std::string& why_off() const { return why_off_; }  // empty if it is on
  const std::string& path() const { return path_; }
  std::int64_t most_bytes() const { return most_bytes_; }

  // The entry of a key, intact; nothing if there is none.
  std::optional<CacheEntry> get(const Hash128& key);
  // Keeps data under a key, replacing what is there. `name` and `origin` are for people.
  void put(const Hash128& key, std::string_view name, std::string_view origin,
           std::span<const std::byte> data);

  Counts counts() const;
  // Why the last store failed, of this process; empty if none did.
  std::string last_failure() const;

  // What a file in the cache is.
  struct File {
    std::string path;  // in the cache's folder
    std::string name;  // of an intact entry
    std::string origin;
    std::string damage;          // what is wrong with it; empty for an intact entry
    bool is_temporary = false;   // of an entry that is being written, or never will be finished
    std::int64_t bytes = 0;      // on disk
    std::int64_t last_used = 0;  // seconds since 1970, to the hour
  };
  // All files, read and checked; last used first.
  std::vector<File> files() const;
  // Removes files; those of other processes that come meanwhile stay. Returns whether all are gone.
  bool remove(std::span<const File> files);

 private:
  void fail(const std::string& what);
  bool make_room(const Descriptor& shard, std::int64_t bytes) const;

  std::string path_;
  std::string why_off_;
  std::int64_t most_bytes_ = 0;
  Descriptor folder_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<std::uint64_t> damaged_{0};
  std::atomic<std::uint64_t> stores_{0};
  std::atomic<std::uint64_t> failures_{0};
  mutable LeafMutex mutex_;
  std::string last_failure_;
};

}  // namespace tutti::runtime
