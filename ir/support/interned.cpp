#include <tutti/ir/support/interned.h>

#include <mutex>
#include <set>
#include <string>

namespace tutti {

const char* interned(std::string_view text) {
  static std::mutex mutex;
  static auto& texts = *new std::set<std::string, std::less<>>();  // never destroyed
  const std::scoped_lock lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

}  // namespace tutti
