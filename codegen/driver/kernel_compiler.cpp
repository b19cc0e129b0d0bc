#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/disk_cache.h>
#include <tutti/runtime/log.h>

#include <exception>
#include <utility>

#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_kernels.h>
#endif

namespace tutti::codegen {

namespace {

// Two kernels are the same if their texts are, but for the name.
std::string text_for_comparison([[maybe_unused]] const Kernel& kernel) {
#ifdef NDEBUG
  return {};
#else
  Kernel nameless = kernel;
  nameless.name.clear();
  return print(nameless);
#endif
}

std::string describe_disk_cache() {
  const runtime::DiskCache& cache = runtime::DiskCache::shared();
  if (!cache.is_on()) return "nothing is kept on disk: " + cache.why_off();
  const runtime::DiskCache::Counts counts = cache.counts();
  std::string out = "so far " + std::to_string(counts.hits) + " found in " + cache.path() + ", " +
                    std::to_string(counts.misses) + " not (" + std::to_string(counts.damaged) +
                    " of them damaged), " + std::to_string(counts.stores) + " stored";
  if (counts.failures > 0) out += "; the last failure: " + cache.last_failure();
  return out;
}

}  // namespace

KernelCompiler::KernelCompiler(KernelMode mode, std::size_t capacity, runtime::DiskCache* cache)
    : mode_(mode), capacity_(capacity), cache_(cache) {
  if (mode == KernelMode::llvm && TUTTI_HAS_LLVM == 0) {
    throw EnvironmentError("this build of Tutti has no LLVM; set kernels=evaluate");
  }
}

// Never destroyed: a World that is a static object compiles to its end.
KernelCompiler& KernelCompiler::shared(KernelMode mode) {
  if (mode == KernelMode::evaluate) {
    static auto* const evaluating = new KernelCompiler(KernelMode::evaluate);
    return *evaluating;
  }
  static auto* const compiling = new KernelCompiler(KernelMode::llvm);
  return *compiling;
}

std::vector<std::shared_ptr<const KernelCode>> KernelCompiler::compile(
    std::span<const Kernel* const> kernels) {
  std::vector<std::shared_future<Code>> codes;
  std::vector<const Kernel*> missing;
  std::vector<Hash128> hashes;
  std::vector<std::promise<Code>> promises;
  try {
    {
      std::lock_guard lock(mutex_);
      for (const Kernel* const kernel : kernels) {
        const Hash128 hash = kernel_hash(*kernel);
        std::string text = text_for_comparison(*kernel);
        const auto known = entries_.find(hash);
        if (known != entries_.end()) {
          if (known->second.text != text) {
            throw InternalError("kernels of equal hash differ:\n" + known->second.text + text);
          }
          ages_.splice(ages_.begin(), ages_, known->second.age);
          codes.push_back(known->second.code);
          continue;
        }
        missing.push_back(kernel);
        hashes.push_back(hash);
        codes.push_back(promises.emplace_back().get_future().share());
        std::list<Hash128> age = {hash};
        entries_.emplace(hash,
                         Entry{.code = codes.back(), .age = age.begin(), .text = std::move(text)});
        ages_.splice(ages_.begin(), age);
      }
      compiled_ += missing.size();
      forget_oldest();
    }
    if (!missing.empty()) {
      std::vector<Code> made = generate(missing);
      for (std::size_t i = 0; i < made.size(); ++i) promises[i].set_value(std::move(made[i]));
    }
  } catch (...) {
    // Who waits gets the error too; who comes later tries again.
    for (auto& promise : promises) promise.set_exception(std::current_exception());
    std::lock_guard lock(mutex_);
    for (const Hash128& hash : hashes) {
      const auto entry = entries_.find(hash);
      if (entry == entries_.end()) continue;
      ages_.erase(entry->second.age);
      entries_.erase(entry);
    }
    throw;
  }
  if (const runtime::Log& log = runtime::Log::process(); log.takes(runtime::LogTopic::cache)) {
    log.write(runtime::LogTopic::cache, -1,
              std::to_string(kernels.size() - missing.size()) + " of " +
                  std::to_string(kernels.size()) + " kernels were known in this process; " +
                  describe_disk_cache());
  }
  std::vector<Code> out;
  for (const auto& code : codes) out.push_back(code.get());
  return out;
}

std::vector<std::shared_ptr<const KernelCode>> KernelCompiler::compile(
    std::span<const Kernel> kernels) {
  std::vector<const Kernel*> pointers;
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  return compile(pointers);
}

std::size_t KernelCompiler::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

std::uint64_t KernelCompiler::compiled() const {
  std::lock_guard lock(mutex_);
  return compiled_;
}

std::vector<std::shared_ptr<const KernelCode>> KernelCompiler::generate(
    std::span<const Kernel* const> kernels) const {
#if TUTTI_HAS_LLVM
  if (mode_ == KernelMode::llvm) {
    return native::compile(kernels, {}, cache_ != nullptr ? *cache_ : runtime::DiskCache::shared());
  }
#endif
  std::vector<Code> out;
  for (const Kernel* kernel : kernels) out.push_back(make_evaluator(*kernel));
  return out;
}

void KernelCompiler::forget_oldest() {
  while (entries_.size() > capacity_) {
    entries_.erase(ages_.back());
    ages_.pop_back();
  }
}

}  // namespace tutti::codegen
