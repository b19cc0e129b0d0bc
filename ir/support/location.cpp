#include <tutti/ir/support/location.h>

#include <mutex>
#include <set>

namespace tutti {

std::string Location::text() const {
  if (!known()) return "";
  std::string_view name = file();
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  return std::string(name) + ":" + std::to_string(line_);
}

const char* Location::intern(std::string_view file) {
  static std::mutex mutex;
  static auto& files = *new std::set<std::string, std::less<>>();  // never destroyed, nor are lines
  const std::scoped_lock lock(mutex);
  auto found = files.find(file);
  if (found == files.end()) found = files.emplace(file).first;
  return found->c_str();
}

}  // namespace tutti
