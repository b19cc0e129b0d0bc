#include <tutti/runtime/cuda/comm_words.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

namespace tutti::runtime {

CommWords::CommWords(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  void* memory = nullptr;
  // All contexts reach it at the address that it has for the host.
  driver.check(driver.cuMemHostAlloc(&memory, sizeof(Words),
                                     CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
               "cuMemHostAlloc", "for collectives between GPUs");
  words_ = new (memory) Words{};
}

CommWords::~CommWords() {
  stream_->releases().release(
      [&driver = stream_->driver(), words = words_] { driver.cuMemFreeHost(words); });
}

void CommWords::stop() noexcept {
  std::atomic_ref(words_->stop).store(1, std::memory_order_release);
}

void CommWords::raise_patience(std::chrono::nanoseconds patience) {
  const std::atomic_ref word(words_->patience);
  word.store(
      std::max(word.load(std::memory_order_relaxed), static_cast<std::uint64_t>(patience.count())),
      std::memory_order_release);
}

int CommWords::missed() const {
  return static_cast<int>(std::atomic_ref(words_->gave_up).load(std::memory_order_acquire)) - 1;
}

}  // namespace tutti::runtime
