#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tutti::runtime {

class CudaStream;

// What gives memory or code of a GPU back to the driver, which waits for all that runs on the GPU
// before it frees it. While work is there that waits for other ranks, of any rank of this process
// (they have one context), it is put off until none is: a rank may die, and nobody could end the
// wait. So it is while the stream records, for which a wait is a mistake. What one rank's work put
// off for another one, that one releases with what it releases next, or whoever finds no room. Of a
// CudaStream, which calls what is left when it goes. Thread-safe.
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

   private:
    const std::shared_ptr<CudaStream> stream_;
  };
  // Of this rank's, and of all that have the GPU.
  bool waits_for_peers() const { return own_work_ > 0; }
  bool is_put_off() const { return gpu_.peers_work > 0; }
  // How the thread that puts it there waits for its end, and looks after the ranks meanwhile; null:
  // it can't any more.
  void set_peers_wait(std::function<void()> wait);
  // Waits until nothing is put off, and throws what `wait` does; false where nothing was, or this
  // is another thread than the rank's, or work is left: of other ranks after a while, which may
  // wait for this one.
  bool wait_for_peers_work();

 private:
  // What the ranks of this process have in common that use one GPU.
  struct Gpu {
    // Held by who releases, behind CudaStream::recording(); peers' work does not begin meanwhile.
    std::mutex mutex;
    std::atomic<int> peers_work{0};
    std::atomic<bool> was_put_off{false};     // and nobody has looked since who found no room
    std::vector<std::function<void()>> left;  // of streams that are gone
  };
  static Gpu& gpu_of(int index);
  void call_all(std::vector<std::function<void()>>& queue) const noexcept;
  std::vector<std::function<void()>> take_queue() noexcept;

  CudaStream& stream_;
  Gpu& gpu_;
  std::atomic<int> own_work_{0};
  std::thread::id peers_thread_;  // that put it there last; with gpu_.mutex, as the next
  std::function<void()> peers_wait_;
  std::mutex mutex_;  // of the queue; behind the others
  std::vector<std::function<void()>> queue_;
};

}  // namespace tutti::runtime
