#include <tutti/ir/support/interned.h>
#include <tutti/ir/support/leaf_mutex.h>

#include <mutex>
#include <set>
#include <string>

namespace tutti {

const char* interned(std::string_view text) {
  // Never destroyed.
  static auto& mutex = *new LeafMutex;
  static auto& texts = *new std::set<std::string, std::less<>>();
  const std::scoped_lock lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

}  // namespace tutti
