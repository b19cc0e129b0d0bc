#include "tools/cache.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace tutti::tools {

namespace {

using runtime::DiskCache;

DiskCache& cache() {
  DiskCache& shared = DiskCache::shared();
  if (!shared.is_on()) throw EnvironmentError("there is no disk cache: " + shared.why_off());
  return shared;
}

// "2.1 KiB"
std::string size_text(std::int64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  std::ostringstream out;
  out << std::fixed << std::setprecision(size < 10 ? 1 : 0) << size << " " << kUnits[unit];
  return out.str();
}

// "3 hours"
std::string age_text(std::int64_t seconds) {
  const auto text = [](std::int64_t count, const char* unit) {
    return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
  };
  if (seconds < 60) return "now";
  if (seconds < 3600) return text(seconds / 60, "minute");
  if (seconds < 86400) return text(seconds / 3600, "hour");
  return text(seconds / 86400, "day");
}

std::int64_t total(const std::vector<DiskCache::File>& files) {
  std::int64_t bytes = 0;
  for (const auto& file : files) bytes += file.bytes;
  return bytes;
}

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

}  // namespace

void list_cache() {
  auto files = cache().files();
  std::erase_if(files, [](const auto& file) { return file.is_temporary; });
  std::size_t width = 4;
  for (const auto& file : files) width = std::max(width, file.name.size());
  const auto line = [&](const std::string& name, const std::string& size, const std::string& age,
                        const std::string& origin) {
    std::cout << std::left << std::setw(static_cast<int>(width)) << name << "  " << std::right
              << std::setw(8) << size << "  " << std::left << std::setw(10) << age << "  " << origin
              << "\n";
  };
  const std::int64_t now = std::time(nullptr);
  if (!files.empty()) line("name", "on disk", "last used", "made by");
  for (const auto& file : files) {
    line(file.damage.empty() ? file.name : "(damaged)", size_text(file.bytes),
         age_text(now - file.last_used), file.damage.empty() ? file.origin : file.path);
  }
  std::cout << count_text(files.size()) << ", " << size_text(total(files)) << " of at most "
            << size_text(cache().most_bytes()) << ", in " << cache().path() << "\n";
}

bool verify_cache(bool remove) {
  auto files = cache().files();
  std::erase_if(files, [](const auto& file) { return file.is_temporary; });
  const std::size_t count = files.size();
  std::erase_if(files, [](const auto& file) { return file.damage.empty(); });
  for (const auto& file : files) {
    std::cout << cache().path() << "/" << file.path << ": " << file.damage << "\n";
  }
  const bool removed = remove && cache().remove(files);
  std::cout << count_text(count) << ", " << files.size() << " damaged"
            << (removed && !files.empty() ? " and removed" : "") << "\n";
  if (remove && !removed) throw EnvironmentError("some of them can't be removed");
  return files.empty() || removed;
}

void clear_cache() {
  const auto files = cache().files();
  const bool removed = cache().remove(files);
  if (!removed) throw EnvironmentError("some of " + cache().path() + " can't be removed");
  std::cout << count_text(files.size()) << " removed, " << size_text(total(files)) << "\n";
}

}  // namespace tutti::tools
