#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tutti::codegen::cuda {

// KernelCompiler's like for GPUs: turns texts into code and remembers it, so that equal kernels of
// different plans and of ranks that are threads of one process are compiled once and loaded once a
// stream. Thread-safe: of callers that want the same kernel at the same time one compiles it and
// the others wait for it.
class Compiler {
 public:
  static constexpr std::size_t kDefaultCapacity = 4096;

  // Keeps the code of the `capacity` kernels used last; code lives on while somebody holds it. Null
  // stands for the disk cache of the process.
  explicit Compiler(std::size_t capacity = kDefaultCapacity, runtime::DiskCache* cache = nullptr);
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  // The one that all ranks of this process share.
  static Compiler& shared();

  // The code of each kernel for a GPU ("sm_90"), in order. Throws what cuda::compile() throws.
  std::vector<std::shared_ptr<const runtime::DeviceCode>> compile(std::span<const Source> sources,
                                                                  std::string_view target);

  // How many kernels are remembered, and how many were compiled or found on disk since the start.
  std::size_t size() const;
  std::uint64_t compiled() const;

 private:
  using Code = std::shared_ptr<const runtime::DeviceCode>;
  struct Entry {
    std::shared_future<Code> code;
    std::list<Hash128>::iterator age;
  };

  // Code that is dropped waits for the GPU before it is unloaded: to be done without the lock.
  std::vector<Entry> forget_oldest();
  void forget(std::span<const Hash128> hashes);

  const std::size_t capacity_;
  runtime::DiskCache* const cache_;
  mutable std::mutex mutex_;
  std::unordered_map<Hash128, Entry, Hash128Hasher> entries_;
  std::list<Hash128> ages_;  // last used first
  std::uint64_t compiled_ = 0;
};

}  // namespace tutti::codegen::cuda
