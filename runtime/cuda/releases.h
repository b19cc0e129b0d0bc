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
// before it frees it. While work is there that waits for other ranks it is put off until the end of
// that: a rank may die, and nobody could end the wait. Of a CudaStream, which calls what is left
// when it goes. Thread-safe.
class CudaReleases {
 public:
  explicit CudaReleases(CudaStream& stream) : stream_(stream) {}
  CudaReleases(const CudaReleases&) = delete;
  CudaReleases& operator=(const CudaReleases&) = delete;
  ~CudaReleases() = default;

  // Calls it within the context, when all work on the stream is done.
  void release(std::function<void()> give_back) noexcept;
  // The same with the next flush(), for which the stream is waited for once, whatever it calls.
  void release_later(std::function<void()> give_back) noexcept;
  void flush() noexcept;

  // While one lives, work may be on the GPU that waits for other ranks (CudaLane).
  class PeersWork {
   public:
    explicit PeersWork(std::shared_ptr<CudaStream> stream);
    PeersWork(const PeersWork&) = delete;
    PeersWork& operator=(const PeersWork&) = delete;
    ~PeersWork();

   private:
    const std::shared_ptr<CudaStream> stream_;
  };
  bool waits_for_peers() const { return peers_work_ > 0; }
  // How the thread that puts it there waits for its end, and looks after the ranks meanwhile; null:
  // it can't any more.
  void set_peers_wait(std::function<void()> wait);
  // Waits for it, and throws what `wait` does; false where this is another thread, or there is
  // none, or some is left.
  bool wait_for_peers_work();

 private:
  CudaStream& stream_;
  // Held by who releases, behind CudaStream::recording(); peers' work does not begin meanwhile.
  std::mutex mutex_;
  std::atomic<int> peers_work_{0};
  std::thread::id peers_thread_;  // that put it there last
  std::function<void()> peers_wait_;
  std::vector<std::function<void()>> queue_;
};

}  // namespace tutti::runtime
