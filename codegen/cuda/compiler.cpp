#include <tutti/codegen/cuda/compile.h>
#include <tutti/codegen/cuda/compiler.h>

#include <exception>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

// Of all that the code is made of, with the shape of its launch.
Hash128 hash_of(const Source& source, std::string_view target) {
  Hasher hasher;
  hasher.add(target).add(source.name).add(source.text);
  for (const auto& shape : {source.grid, source.block}) {
    for (const std::uint32_t extent : shape) hasher.add(std::uint64_t{extent});
  }
  return hasher.add(static_cast<std::uint64_t>(source.workspace_bytes)).finish();
}

}  // namespace

Compiler::Compiler(std::size_t capacity, runtime::DiskCache* cache)
    : capacity_(capacity), cache_(cache) {}

// Never destroyed: a World that is a static object compiles to its end.
Compiler& Compiler::shared() {
  static auto* const compiler = new Compiler();
  return *compiler;
}

std::vector<Compiler::Code> Compiler::compile(std::span<const Source> sources,
                                              std::string_view target) {
  std::vector<std::shared_future<Code>> codes;
  std::vector<const Source*> missing;
  std::vector<Hash128> hashes;
  std::vector<Entry> forgotten;
  std::vector<std::promise<Code>> promises;
  {
    const std::scoped_lock lock(mutex_);
    for (const Source& source : sources) {
      const Hash128 hash = hash_of(source, target);
      const auto known = entries_.find(hash);
      if (known != entries_.end()) {
        ages_.splice(ages_.begin(), ages_, known->second.age);
        codes.push_back(known->second.code);
        continue;
      }
      missing.push_back(&source);
      hashes.push_back(hash);
      codes.push_back(promises.emplace_back().get_future().share());
      ages_.push_front(hash);
      entries_[hash] = {.code = codes.back(), .age = ages_.begin()};
    }
    compiled_ += missing.size();
    forgotten = forget_oldest();
  }
  if (!missing.empty()) {
    try {
      std::vector<Code> made = cuda::compile(missing, target, cache_);
      for (std::size_t i = 0; i < made.size(); ++i) promises[i].set_value(std::move(made[i]));
    } catch (...) {
      // Who waits gets the error too; who comes later tries again.
      for (auto& promise : promises) promise.set_exception(std::current_exception());
      forget(hashes);
    }
  }
  std::vector<Code> out;
  out.reserve(codes.size());
  for (const auto& code : codes) out.push_back(code.get());
  return out;
}

std::size_t Compiler::size() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

std::uint64_t Compiler::compiled() const {
  const std::scoped_lock lock(mutex_);
  return compiled_;
}

void Compiler::forget(std::span<const Hash128> hashes) {
  const std::scoped_lock lock(mutex_);
  for (const Hash128& hash : hashes) {
    const auto entry = entries_.find(hash);
    if (entry == entries_.end()) continue;
    ages_.erase(entry->second.age);
    entries_.erase(entry);
  }
}

std::vector<Compiler::Entry> Compiler::forget_oldest() {
  std::vector<Entry> out;
  while (entries_.size() > capacity_) {
    const auto oldest = entries_.find(ages_.back());
    out.push_back(std::move(oldest->second));
    entries_.erase(oldest);
    ages_.pop_back();
  }
  return out;
}

}  // namespace tutti::codegen::cuda
