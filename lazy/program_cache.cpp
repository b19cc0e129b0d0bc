#include <tutti/lazy/program_cache.h>

#include <algorithm>

namespace tutti::detail {

ProgramCache::Program& ProgramCache::operator[](const Hash128& hash) {
  auto known = programs_.find(hash);
  if (known == programs_.end()) {
    if (programs_.size() >= capacity_) forget_oldest();
    known = programs_.try_emplace(hash).first;
  }
  known->second.used = ++calls_;
  return known->second.program;
}

void ProgramCache::forget_oldest() {
  std::vector<std::uint64_t> uses;
  uses.reserve(programs_.size());
  for (const auto& [hash, entry] : programs_) uses.push_back(entry.used);
  const auto last_to_go = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 4);
  std::ranges::nth_element(uses, last_to_go);
  std::erase_if(programs_, [&](const auto& known) { return known.second.used <= *last_to_go; });
}

}  // namespace tutti::detail
