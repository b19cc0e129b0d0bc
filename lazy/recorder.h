#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tutti::detail {

// Which thread records for a rank. It alone touches the rank's trace, and another one takes over
// only while it is outside of all operations: whoever does something wrong gets a UsageError, and
// nothing is torn.
class Recorder {
  struct Thread {
    std::atomic<std::uint32_t> depth = 0;  // of its claims; it alone writes it
    std::atomic<bool> replaced = false;
  };
  struct Kept;

 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Makes the calling thread the one. Throws UsageError while the one so far is in the middle of an
  // operation (of this rank or another one).
  void take();

  // Whether it is the calling thread; waits while another one tries to take over.
  bool is_mine() const noexcept {
    const std::uintptr_t owner = owner_.load(std::memory_order_relaxed);
    return owner == own_number() || ((owner & kTaking) != 0 && is_mine_after_all());
  }

  // Another thread has taken over from the calling one, ever.
  static bool was_replaced() noexcept {
    return own_ == nullptr || own_->replaced.load(std::memory_order_relaxed);
  }

  // Throws the UsageError that a thread gets that does not record.
  [[noreturn]] static void fail_not_mine();

  // The calling thread is in the middle of an operation while it lives. They may be nested. Throws
  // UsageError if another thread records.
  class Claim {
   public:
    explicit Claim(Recorder& recorder) : thread_(own()) {
      const std::uint32_t depth = thread_.depth.load(std::memory_order_relaxed);
      thread_.depth.store(depth + 1, std::memory_order_relaxed);
      // take() makes all threads order the two (membarrier), so that this one need not.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (depth == 0 && recorder.owner_.load(std::memory_order_relaxed) != own_number())
          [[unlikely]] {
        recorder.claim_slowly(thread_);
      }
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      thread_.depth.store(thread_.depth.load(std::memory_order_relaxed) - 1,
                          std::memory_order_release);
    }

   private:
    Thread& thread_;
  };

 private:
  static constexpr std::uintptr_t kTaking = 1;  // in `owner_`: somebody tries to take over

  static Thread& own() { return own_ != nullptr ? *own_ : make_own(); }
  static Thread& make_own();
  static std::uintptr_t own_number() noexcept { return reinterpret_cast<std::uintptr_t>(own_); }
  bool is_mine_after_all() const noexcept;
  void claim_slowly(Thread& thread);

  static constinit thread_local Thread* own_;  // null until it is needed

  std::atomic<std::uintptr_t> owner_ = 0;  // the address of its Thread, or 0; with kTaking
  std::mutex taking_;                      // one at a time, and of `thread_`
  std::shared_ptr<Thread> thread_;         // keeps it when the thread has ended
};

}  // namespace tutti::detail
