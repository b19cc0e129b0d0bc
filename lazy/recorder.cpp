#include <tutti/ir/support/error.h>
#include <tutti/lazy/recorder.h>

#include <chrono>
#include <thread>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::detail {

namespace {

// Every thread of the process has done, before it goes on, what it was told to do before, and sees
// what this one did.
void fence_on_all_threads() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto membarrier = [](int command) { return syscall(SYS_membarrier, command, 0, 0); };
  if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
      membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) {
    return;
  }
  // A kernel that does not have it, or forbids it: what a core has stored is seen long before.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

void Recorder::fail_not_mine() {
  throw UsageError(
      "another thread records for this rank now; one thread traces for a rank at a time: call "
      "world.attach() on this thread first");
}

constinit thread_local Recorder::Thread* Recorder::own_ = nullptr;

// Keeps the calling thread's own for as long as it, or a rank that it records for, may ask for it.
struct Recorder::Kept {
  std::shared_ptr<Thread> thread = std::make_shared<Thread>();

  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    ended = true;
    if (getpid() != gettid()) {
      own_ = nullptr;
    } else {
      // The main thread's variables go before static ones, of which one may be a World.
      // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
      static auto* const to_the_end = new std::shared_ptr<Thread>;
      *to_the_end = std::move(thread);
    }
  }

  static Kept& mine() {
    thread_local Kept kept;
    return kept;
  }
  static constinit thread_local bool ended;
};
constinit thread_local bool Recorder::Kept::ended = false;

Recorder::Thread& Recorder::make_own() {
  if (Kept::ended) {
    // A tensor of a thread's that goes after all else of it. Nobody takes over from here.
    static auto* const late = new Thread;
    return *late;
  }
  own_ = Kept::mine().thread.get();
  return *own_;
}

void Recorder::take() {
  own();
  const std::scoped_lock lock(taking_);
  const std::uintptr_t former = owner_.load(std::memory_order_relaxed);
  if (former == own_number() || Kept::ended) return;
  if (former != 0) {
    // From here on the former one waits before it begins anything.
    owner_.store(former | kTaking, std::memory_order_relaxed);
    fence_on_all_threads();
    if (thread_->depth.load(std::memory_order_acquire) != 0) {
      owner_.store(former, std::memory_order_relaxed);
      throw UsageError(
          "attach: the thread that records for this rank is in the middle of an operation; one "
          "thread traces for a rank at a time: let it finish first");
    }
    thread_->replaced.store(true, std::memory_order_relaxed);
  }
  thread_ = Kept::mine().thread;
  owner_.store(own_number(), std::memory_order_release);
}

bool Recorder::is_mine_after_all() const noexcept {
  std::uintptr_t owner = owner_.load(std::memory_order_acquire);
  while ((owner & kTaking) != 0) {
    std::this_thread::yield();
    owner = owner_.load(std::memory_order_acquire);
  }
  return owner == own_number();
}

// The claim is made, and given up while another thread tries to take over.
void Recorder::claim_slowly(Thread& thread) {
  for (;;) {
    thread.depth.store(0, std::memory_order_release);
    if (!is_mine_after_all()) fail_not_mine();
    thread.depth.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) == own_number()) return;
  }
}

}  // namespace tutti::detail
