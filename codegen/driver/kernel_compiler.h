#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::codegen {

// What runs kernels: machine code made by LLVM, or the reference evaluator.
enum class KernelMode : std::uint8_t { llvm, evaluate };

inline constexpr KernelMode kDefaultKernelMode =
    TUTTI_HAS_LLVM != 0 ? KernelMode::llvm : KernelMode::evaluate;

// Turns kernels into code, or finds what LLVM made of them before in the disk cache, and remembers
// it by kernel_hash, so that equal kernels of different plans
// and of ranks that are threads of one process are compiled once. Thread-safe: of callers that want
// the same kernel at the same time one compiles it and the others wait for it.
class KernelCompiler {
 public:
  static constexpr std::size_t kDefaultCapacity = 4096;

  // Keeps the code of the `capacity` kernels used last; code lives on while somebody holds it. Null
  // stands for the disk cache of the process. Throws EnvironmentError when this build has no such
  // mode.
  explicit KernelCompiler(KernelMode mode = kDefaultKernelMode,
                          std::size_t capacity = kDefaultCapacity,
                          runtime::DiskCache* cache = nullptr);
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;

  // The one that all ranks of this process share, for a mode.
  static KernelCompiler& shared(KernelMode mode = kDefaultKernelMode);

  KernelMode mode() const { return mode_; }

  // The code of each kernel, in order. Those not known yet are compiled in parallel. Throws
  // InternalError when a kernel breaks a rule of kernel.h.
  std::vector<std::shared_ptr<const KernelCode>> compile(std::span<const Kernel* const> kernels);
  std::vector<std::shared_ptr<const KernelCode>> compile(std::span<const Kernel> kernels);

  // How many kernels are remembered, and how many were compiled or found on disk since the start.
  std::size_t size() const;
  std::uint64_t compiled() const;

 private:
  using Code = std::shared_ptr<const KernelCode>;
  struct Entry {
    std::shared_future<Code> code;
    std::list<Hash128>::iterator age;
    std::string text;  // of the kernel; debug builds compare it on a hit
  };

  std::vector<Code> generate(std::span<const Kernel* const> kernels) const;
  void forget_oldest();

  const KernelMode mode_;
  const std::size_t capacity_;
  [[maybe_unused]] runtime::DiskCache* const cache_;
  mutable std::mutex mutex_;
  std::unordered_map<Hash128, Entry, Hash128Hasher> entries_;
  std::list<Hash128> ages_;  // last used first
  std::uint64_t compiled_ = 0;
};

}  // namespace tutti::codegen
