#include <tutti/ir/support/interned.h>
#include <tutti/ir/support/leaf_mutex.h>

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace tutti {

namespace {

struct InternedTexts {
  LeafMutex mutex;
  std::set<std::string, std::less<>> texts;
};

InternedTexts& interned_texts() noexcept {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): nothing starts without it
  static auto& texts = *new InternedTexts;  // never destroyed
  return texts;
}

// Made before there are threads: a process that is forked off while one of them makes it would wait
// for that for ever.
[[maybe_unused]] const InternedTexts& interned_texts_at_start = interned_texts();

}  // namespace

const char* interned(std::string_view text) {
  auto& [mutex, texts] = interned_texts();
  const std::scoped_lock lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

}  // namespace tutti
