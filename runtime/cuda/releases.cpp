#include <tutti/runtime/cuda/releases.h>
#include <tutti/runtime/cuda/stream.h>

#include <exception>
#include <utility>

namespace tutti::runtime {

void CudaReleases::release(std::function<void()> give_back) noexcept {
  release_later(std::move(give_back));
  flush();
}

void CudaReleases::release_later(std::function<void()> give_back) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(give_back));
  } catch (const std::exception&) {
    // The host has no memory: it stays for good.
  }
}

void CudaReleases::flush() noexcept {
  const std::scoped_lock lock(stream_.recording(), mutex_);
  if (queue_.empty() || waits_for_peers()) return;
  const CudaStream::Entered entered = stream_.try_enter();
  if (entered && stream_.try_synchronize()) {
    for (const auto& give_back : queue_) give_back();
  }
  queue_.clear();  // where they were not called, the driver is gone
}

CudaReleases::PeersWork::PeersWork(std::shared_ptr<CudaStream> stream)
    : stream_(std::move(stream)) {
  CudaReleases& releases = stream_->releases();
  const std::scoped_lock lock(releases.mutex_);
  ++releases.peers_work_;
  releases.peers_thread_ = std::this_thread::get_id();
}

CudaReleases::PeersWork::~PeersWork() {
  CudaReleases& releases = stream_->releases();
  if (--releases.peers_work_ == 0) releases.flush();
}

void CudaReleases::set_peers_wait(std::function<void()> wait) {
  const std::scoped_lock lock(mutex_);
  peers_wait_ = std::move(wait);
}

bool CudaReleases::wait_for_peers_work() {
  std::function<void()> wait;
  {
    const std::scoped_lock lock(mutex_);
    if (!waits_for_peers() || peers_thread_ != std::this_thread::get_id()) return false;
    wait = peers_wait_;
  }
  if (!wait) return false;
  const CudaStream::Entered entered = stream_.enter();
  wait();
  return !waits_for_peers();
}

}  // namespace tutti::runtime
