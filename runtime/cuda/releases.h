#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tutti::runtime {

class CudaEvent;
class CudaStream;

// What gives memory or code of a GPU back to the driver, which waits for all that runs on the GPU
// before it frees it. While work is there that waits for other ranks, of any rank of this process
// (they have one context), it is put off until none is: a rank may die, and nobody could end the
// wait. So it is while the GPU's own stream records (CudaAccelerator), for which a wait is a
// mistake; not while others do, which nobody waits for. What one rank's work put off for another
// one, that one releases with what it releases next, or whoever finds no room. Of a CudaStream,
// which calls what is left when it goes. In a process that was forked off nothing is called, waited
// for or locked: other threads may have been here. Thread-safe.
class CudaReleases {
 public:
  explicit CudaReleases(CudaStream& stream);
  CudaReleases(const CudaReleases&) = delete;
  CudaReleases& operator=(const CudaReleases&) = delete;
  ~CudaReleases() = default;

  // Calls it within the context, when all work on the stream is done.
  void release(std::function<void()> give_back) noexcept;
  // The same with the next flush(), for which the stream is waited for once, whatever it calls.
  void release_later(std::function<void()> give_back) noexcept;
  void flush() noexcept;
  // The stream goes, and all work on it is done: what can't be called now, another rank's does.
  // Whoever calls this has entered.
  void end() noexcept;

  // While one lives, work of the stream's rank may be on the GPU that waits for other ranks
  // (CudaLane).
  class PeersWork {
   public:
    explicit PeersWork(std::shared_ptr<CudaStream> stream);
    PeersWork(const PeersWork&) = delete;
    PeersWork& operator=(const PeersWork&) = delete;
    ~PeersWork();

    // The work is over when all of these have come, whether or not its thread has looked; none:
    // when this goes.
    void ends_with(std::vector<std::shared_ptr<CudaEvent>> last);

   private:
    friend class CudaReleases;
    // With Gpu::work_mutex held, by who has entered.
    bool is_over() const noexcept;

    const std::shared_ptr<CudaStream> stream_;
    std::vector<std::shared_ptr<CudaEvent>> last_;
  };
  // Whether work is there that is not over: of this rank's, and of all that have the GPU.
  bool waits_for_peers() const noexcept { return is_there(this); }
  bool is_put_off() const noexcept { return is_there(nullptr); }
  // How the thread that puts it there waits for its end, and looks after the ranks meanwhile; null:
  // it can't any more.
  void set_peers_wait(std::function<void()> wait);
  // Waits until nothing is put off, and throws what `wait` does. False where nothing was, or work
  // is left: of this rank's where another thread calls this, which does not wait for it, or of
  // other ranks after a while, which may wait for this one.
  bool wait_for_peers_work();

 private:
  // What the ranks of this process have in common that use one GPU.
  struct Gpu {
    // Held by who releases, behind CudaStream::recording(); peers' work does not begin meanwhile.
    std::mutex mutex;
    std::atomic<bool> was_put_off{false};     // and nobody has looked since who found no room
    std::vector<std::function<void()>> left;  // of streams that are gone
    std::atomic<bool> has_left{false};        // whether there may be such
    std::mutex work_mutex;  // of what follows, and of PeersWork; behind all others
    std::vector<const PeersWork*> work;
  };
  static Gpu& gpu_of(int index);
  void call_all(std::vector<std::function<void()>>& queue) const noexcept;
  std::vector<std::function<void()>> take_queue() noexcept;
  bool is_copy() const noexcept;                         // of another process's
  bool is_empty() noexcept;                              // there is nothing to call
  bool is_there(const CudaReleases* of) const noexcept;  // null: of all

  CudaStream& stream_;
  Gpu& gpu_;
  std::atomic<int> own_work_{0};  // that there is, over or not
  std::thread::id peers_thread_;  // that put it there last; with gpu_.mutex, as the next
  std::function<void()> peers_wait_;
  std::mutex mutex_;  // of the queue; behind the others
  std::vector<std::function<void()>> queue_;
};

}  // namespace tutti::runtime
