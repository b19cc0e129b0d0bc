#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/releases.h>
#include <tutti/runtime/cuda/stream.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <utility>

namespace tutti::runtime {

namespace {

// For how long a rank that finds no room waits for collectives of others, and between looks.
constexpr std::chrono::seconds kLongestForOthers{5};
constexpr std::chrono::microseconds kBetweenLooksAtOthers{50};

}  // namespace

// Each stays where it is, to the end of the process.
CudaReleases::Gpu& CudaReleases::gpu_of(int index) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Gpu>();
  const std::scoped_lock lock(mutex);
  return all[index];
}

CudaReleases::CudaReleases(CudaStream& stream) : stream_(stream), gpu_(gpu_of(stream.index())) {}

void CudaReleases::release(std::function<void()> give_back) noexcept {
  release_later(std::move(give_back));
  flush();
}

bool CudaReleases::is_copy() const noexcept { return stream_.driver().is_copy(); }

void CudaReleases::release_later(std::function<void()> give_back) noexcept {
  if (is_copy()) return;
  try {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(give_back));
  } catch (const std::exception&) {
    // The host has no memory: it stays for good.
  }
}

std::vector<std::function<void()>> CudaReleases::take_queue() noexcept {
  const std::scoped_lock lock(mutex_);
  return std::exchange(queue_, {});
}

void CudaReleases::call_all(std::vector<std::function<void()>>& queue) const noexcept {
  for (const auto& give_back : gpu_.left) give_back();
  gpu_.left.clear();
  gpu_.has_left = false;
  for (const auto& give_back : queue) give_back();
}

bool CudaReleases::is_empty() noexcept {
  const std::scoped_lock lock(mutex_);
  return queue_.empty() && !gpu_.has_left;
}

void CudaReleases::flush() noexcept {
  if (is_copy() || is_empty()) return;
  const std::scoped_lock lock(stream_.recording(), gpu_.mutex);
  if (is_put_off() || stream_.records()) {
    gpu_.was_put_off = true;
    return;
  }
  auto queue = take_queue();
  if (queue.empty() && gpu_.left.empty()) return;
  const CudaStream::Entered entered = stream_.try_enter();
  // Where they are not called, the driver is gone.
  if (entered && stream_.try_synchronize()) call_all(queue);
}

void CudaReleases::end() noexcept {
  const std::scoped_lock lock(gpu_.mutex);
  auto queue = take_queue();
  if (!is_put_off()) return call_all(queue);
  try {
    gpu_.has_left = true;
    gpu_.left.insert(gpu_.left.end(), std::make_move_iterator(queue.begin()),
                     std::make_move_iterator(queue.end()));
  } catch (const std::exception&) {
    // The host has no memory: they stay for good.
  }
}

CudaReleases::PeersWork::PeersWork(std::shared_ptr<CudaStream> stream)
    : stream_(std::move(stream)) {
  CudaReleases& releases = stream_->releases();
  const std::scoped_lock lock(releases.gpu_.mutex, releases.gpu_.work_mutex);
  releases.gpu_.work.push_back(this);
  ++releases.own_work_;
  releases.peers_thread_ = std::this_thread::get_id();
}

CudaReleases::PeersWork::~PeersWork() {
  CudaReleases& releases = stream_->releases();
  if (releases.is_copy()) return;
  {
    const std::scoped_lock lock(releases.gpu_.work_mutex);
    std::erase(releases.gpu_.work, this);
    --releases.own_work_;
  }
  if (!releases.is_put_off()) releases.flush();
}

void CudaReleases::PeersWork::ends_with(std::vector<std::shared_ptr<CudaEvent>> last) {
  // The former ones go without the lock.
  const std::scoped_lock lock(stream_->releases().gpu_.work_mutex);
  last_.swap(last);
}

bool CudaReleases::PeersWork::is_over() const noexcept {
  try {
    return !last_.empty() && std::ranges::all_of(last_, &CudaEvent::is_done);
  } catch (const std::exception&) {
    return true;  // the driver is gone, or the context: nothing runs
  }
}

bool CudaReleases::is_there(const CudaReleases* of) const noexcept {
  if (is_copy()) return false;
  const std::scoped_lock lock(gpu_.work_mutex);
  if (gpu_.work.empty()) return false;
  const CudaStream::Entered entered = stream_.try_enter();
  return std::ranges::any_of(gpu_.work, [=](const PeersWork* each) {
    return (of == nullptr || &each->stream_->releases() == of) && !each->is_over();
  });
}

void CudaReleases::set_peers_wait(std::function<void()> wait) {
  if (is_copy()) return;
  const std::scoped_lock lock(gpu_.mutex);
  peers_wait_ = std::move(wait);
}

bool CudaReleases::wait_for_peers_work() {
  // It may be over just now.
  if (own_work_ == 0 && !is_put_off() && !gpu_.was_put_off) return false;
  if (own_work_ > 0) {
    std::function<void()> wait;
    {
      const std::scoped_lock lock(gpu_.mutex);
      if (peers_thread_ == std::this_thread::get_id()) wait = peers_wait_;
    }
    if (wait) {  // over or not: it lets go of what the work has used
      const CudaStream::Entered entered = stream_.enter();
      wait();
    }
    if (waits_for_peers()) return false;
  }
  const auto until = std::chrono::steady_clock::now() + kLongestForOthers;
  while (is_put_off()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kBetweenLooksAtOthers);
  }
  gpu_.was_put_off = false;
  flush();
  return true;
}

}  // namespace tutti::runtime
