#pragma once

#include <tutti/runtime/cuda/stream.h>

#include <chrono>
#include <cstdint>
#include <memory>

namespace tutti::runtime {

// What the host says to kernels that wait for those of other GPUs, and is told by them (HostWords
// of kernels/device/meeting.cuh): memory of the host that the GPU reaches. Of the rank's thread,
// but for stop(); no kernel that has the words runs any more when they go, but others may.
class CommWords {
 public:
  explicit CommWords(std::shared_ptr<CudaStream> stream);
  CommWords(const CommWords&) = delete;
  CommWords& operator=(const CommWords&) = delete;
  ~CommWords();

  // Whoever waits gives up soon, now and from now on. From any thread.
  void stop() noexcept;
  // How long a kernel waits for a peer at most, if that is more than before.
  void raise_patience(std::chrono::nanoseconds patience);
  // The member that a kernel waited for in vain; -1: none did.
  int missed() const;
  // Where a kernel finds them.
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(words_); }

 private:
  struct Words {
    std::uint32_t stop;
    std::uint32_t gave_up;
    std::uint64_t patience;
  };

  const std::shared_ptr<CudaStream> stream_;
  Words* words_ = nullptr;
};

}  // namespace tutti::runtime
