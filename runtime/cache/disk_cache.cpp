#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/disk_cache.h>
#include <tutti/runtime/new_file.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <functional>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

constexpr const char* kObjects = "objects-1";
constexpr std::int64_t kBlock = 4096;  // what a small file takes up on common file systems
constexpr std::int64_t kHour = 3600;

std::int64_t now() { return std::time(nullptr); }

std::int64_t on_disk(std::int64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

std::string shard_name(int shard) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {kDigits[shard / 16], kDigits[shard % 16]};
}
int shard_of(const Hash128& key) { return static_cast<int>(key.high >> 56) % DiskCache::kShards; }

struct Listed {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t last_used = 0;
  bool is_temporary() const { return name.starts_with(NewFile::kUnfinished); }
};

// What is in a shard.
std::vector<Listed> list(const Descriptor& shard) {
  std::vector<Listed> out;
  for (std::string& name : names_in(shard)) {
    struct stat status{};
    if (fstatat(shard.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    out.push_back({.name = std::move(name),
                   .bytes = on_disk(status.st_size),
                   .last_used = status.st_mtim.tv_sec});
  }
  return out;
}

}  // namespace

DiskCache::DiskCache(const CacheSettings& settings)
    : path_(settings.folder), why_off_(settings.why_off), most_bytes_(settings.most_bytes) {
  if (path_.empty()) return;
  try {
    const Descriptor root = open_private_folder(path_, settings.base);
    folder_ = open_private_folder(root, kObjects, true);
    // A cache that is there can be read even where nothing can be added.
    if (!folder_.valid()) {
      why_off_ = "the folder " + path_ + "/" + kObjects +
                 " can't be used: " + std::generic_category().message(errno);
    }
  } catch (const EnvironmentError& error) {
    why_off_ = error.what();
  }
}

// Never destroyed, like those who use it.
DiskCache& DiskCache::shared() {
  static auto* const cache = new DiskCache(
      read_cache_settings(Settings::process(), [](const char* name) { return std::getenv(name); }));
  return *cache;
}

std::optional<CacheEntry> DiskCache::get(const Hash128& key) {
  if (!is_on()) return {};
  const Descriptor shard = open_private_folder(folder_, shard_name(shard_of(key)).c_str(), false);
  const std::string name = key.text();
  if (shard.valid()) {
    auto file = read_private_file(shard, name.c_str(),
                                  static_cast<std::size_t>(std::min<std::int64_t>(
                                      most_bytes_, std::numeric_limits<std::ptrdiff_t>::max())));
    const bool is_there = file || errno != ENOENT;
    if (file) {
      try {
        CacheEntry entry = decode_entry(std::move(file->content));
        if (entry.key == key) {
          // Not at every use: this writes to the disk.
          if (now() - file->modified > kHour) {
            utimensat(shard.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
          }
          ++hits_;
          return entry;
        }
      } catch (const ParseError&) {
        // What is made instead replaces it.
      }
    }
    if (is_there) ++damaged_;
  }
  ++misses_;
  return {};
}

void DiskCache::put(const Hash128& key, std::string_view name, std::string_view origin,
                    std::span<const std::byte> data) {
  if (!is_on()) return;
  const std::vector<std::byte> content = encode_entry(key, name, origin, data);
  const Descriptor shard = open_private_folder(folder_, shard_name(shard_of(key)).c_str(), true);
  if (!shard.valid()) return fail(std::generic_category().message(errno));
  const std::int64_t bytes = on_disk(static_cast<std::int64_t>(content.size()));
  if (!make_room(shard, bytes)) {
    return fail(bytes > most_bytes_ / kShards
                    ? "an entry of " + std::to_string(content.size()) +
                          " bytes is more than its share of TUTTI_CACHE_SIZE"
                    : "what others are writing leaves no room for another entry now");
  }
  if (!write_private_file(shard, key.text().c_str(), content)) {
    return fail(failure_text(errno));
  }
  ++stores_;
}

bool DiskCache::make_room(const Descriptor& shard, std::int64_t bytes) const {
  const std::int64_t most = most_bytes_ / kShards;
  if (bytes > most) return false;
  std::vector<Listed> files = list(shard);
  std::int64_t used = bytes;
  for (const Listed& file : files) {
    // Its writer was killed.
    if (file.is_temporary() && now() - file.last_used > kHour) {
      remove_private_file(shard, file.name.c_str());
      continue;
    }
    used += file.bytes;
  }
  if (used <= most) return true;
  std::ranges::sort(files, {}, &Listed::last_used);
  // Some more than needed, so that not every store has to.
  const std::int64_t wanted = std::max(most - most / 8, bytes);
  for (const Listed& file : files) {
    if (used <= wanted) break;
    if (file.is_temporary()) continue;
    if (remove_private_file(shard, file.name.c_str())) used -= file.bytes;
  }
  return used <= most;
}

void DiskCache::fail(const std::string& what) {
  ++failures_;
  std::lock_guard lock(mutex_);
  last_failure_ = what;
}

std::string DiskCache::last_failure() const {
  std::lock_guard lock(mutex_);
  return last_failure_;
}

DiskCache::Counts DiskCache::counts() const {
  return {.hits = hits_,
          .misses = misses_,
          .damaged = damaged_,
          .stores = stores_,
          .failures = failures_};
}

std::vector<DiskCache::File> DiskCache::files() const {
  std::vector<File> out;
  for (int number = 0; is_on() && number < kShards; ++number) {
    const std::string name = shard_name(number);
    const Descriptor shard = open_private_folder(folder_, name.c_str(), false);
    if (!shard.valid()) {
      if (errno == ENOENT) continue;
      const std::string damage = "it can't be used: " + std::generic_category().message(errno);
      File& file = out.emplace_back();
      file.path = std::string(kObjects) + "/" + name;
      file.damage = damage;
      continue;
    }
    for (const Listed& listed : list(shard)) {
      File file;
      file.path = std::string(kObjects) + "/" + name + "/" + listed.name;
      file.is_temporary = listed.is_temporary();
      file.bytes = listed.bytes;
      file.last_used = listed.last_used;
      const auto read =
          read_private_file(shard, listed.name.c_str(), std::numeric_limits<std::ptrdiff_t>::max());
      if (!read && errno == ENOENT) continue;  // gone meanwhile
      try {
        if (!read) throw ParseError("it is no file that only this user can write");
        if (!file.is_temporary) {
          CacheEntry entry = decode_entry(read->content);
          if (entry.key.text() != listed.name || shard_of(entry.key) != number) {
            throw ParseError("it is the entry of another key");
          }
          file.name = std::move(entry.name);
          file.origin = std::move(entry.origin);
        }
      } catch (const ParseError& error) {
        file.damage = error.what();
      }
      out.push_back(std::move(file));
    }
  }
  std::ranges::stable_sort(out, std::greater(), &File::last_used);
  return out;
}

bool DiskCache::remove(std::span<const File> files) {
  bool done = true;
  for (const File& file : files) {
    const std::string inside = file.path.substr(std::string_view(kObjects).size() + 1);
    const std::size_t slash = inside.find('/');
    if (slash == std::string::npos) {
      done = false;
      continue;
    }
    const Descriptor shard = open_private_folder(folder_, inside.substr(0, slash).c_str(), false);
    const bool gone = shard.valid() && remove_private_file(shard, inside.c_str() + slash + 1);
    done = done && gone;
  }
  return done;
}

}  // namespace tutti::runtime
