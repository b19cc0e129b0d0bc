#include "tests/support/cuda/stacks.h"

#include <stdexcept>

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

namespace tutti::test::cuda {

Stacks::~Stacks() { release(); }

void Stacks::release() {
  if (memory_ == nullptr) return;
  forget();  // what the sanitizer knows of addresses outlives their mapping
  munmap(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = 0;
}

void Stacks::reserve(std::size_t count) {
  const std::size_t bytes = count * kBytes;
  if (bytes <= bytes_) return;
  release();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the stacks of a block");
  memory_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

void Stacks::forget() { ASAN_UNPOISON_MEMORY_REGION(memory_, bytes_); }

}  // namespace tutti::test::cuda
