#include <tutti/runtime/cuda/lane.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace tutti::runtime {

namespace {

// Between looks: a collective of some size takes longer, and checks look at other ranks' memory.
constexpr auto kBetweenLooks = std::chrono::microseconds(20);
constexpr std::uint64_t kLooksBetweenChecks = 32;
constexpr auto kLongestEnd = std::chrono::seconds(10);

}  // namespace

CudaLane::CudaLane(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuStreamCreate(&handle_, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
               "for communication");
  stream_->releases().set_peers_wait([this] { wait_for_all(); });
}

CudaLane::~CudaLane() {
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) stream_->driver().cuStreamDestroy(handle_);
}

void CudaLane::close() noexcept {
  try {
    const CudaStream::Entered entered = stream_->enter();
    wait_for_all();
  } catch (const std::exception&) {
    // Who waited for it was told.
    wait_for_end();
  }
  under_way_.clear();  // they hold who holds this
  stream_->releases().set_peers_wait(nullptr);
  running_.reset();
}

// What was aborted ends soon, and may use until then what it was given: memory that kernels see
// must not go before. If it does not end, that stays for good.
void CudaLane::wait_for_end() noexcept {
  try {
    const CudaStream::Entered entered = stream_->enter();
    const auto last = std::make_shared<CudaEvent>(stream_);
    last->record(handle_);
    const auto last_replay = std::make_shared<CudaEvent>(stream_);  // on the GPU's own stream
    last_replay->record(stream_->handle());
    const auto until = std::chrono::steady_clock::now() + kLongestEnd;
    while (!last->is_done() || !last_replay->is_done()) {
      if (std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(kBetweenLooks);
        continue;
      }
      static_cast<void>(std::make_unique<std::deque<UnderWay>>(std::move(under_way_)).release());
      static_cast<void>(std::make_unique<decltype(lost_)>(std::move(lost_)).release());
      // If it ends after all, other ranks of the GPU see that.
      auto work = std::make_unique<CudaReleases::PeersWork>(stream_);
      work->ends_with({last, last_replay});
      static_cast<void>(work.release());
      under_way_.clear();
      lost_.clear();
      return;
    }
  } catch (const std::exception&) {
    // The driver is gone, or the context: nothing runs.
  }
}

void CudaLane::add(UnderWay work) {
  under_way_.push_back(std::move(work));
  if (!running_) running_.emplace(stream_);
  // Each is behind those that were added before it.
  if (failure_ == nullptr) running_->ends_with({under_way_.back().done});
  look();
}

void CudaLane::break_down(std::exception_ptr why, std::vector<std::shared_ptr<Buffer>> buffers) {
  lost_.insert(lost_.end(), buffers.begin(), buffers.end());
  if (!running_) running_.emplace(stream_);
  running_->ends_with({});
  fail(std::move(why));
}

void CudaLane::fail(std::exception_ptr why) {
  if (failure_ == nullptr) failure_ = std::move(why);
  for (const UnderWay& each : under_way_) each.abort();
}

bool CudaLane::look() {
  if (failure_) std::rethrow_exception(failure_);
  try {
    while (!under_way_.empty()) {
      const UnderWay& first = under_way_.front();
      const bool done = first.done->is_done();
      if (done || looks_++ % kLooksBetweenChecks == 0) first.check();
      if (!done) return true;
      // Code of a user's that runs where its buffers go may come here again.
      const UnderWay over = std::move(under_way_.front());
      under_way_.pop_front();
    }
  } catch (...) {
    fail(std::current_exception());
    throw;
  }
  running_.reset();
  return false;
}

void CudaLane::wait_for(CudaEvent& event) {
  for (;;) {
    // What came before the look was checked by it.
    const bool came = event.is_done();
    const bool left = look();
    if (came) return;
    if (!left) return event.wait();  // without work of others the driver waits better
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void CudaLane::wait_for_all() {
  while (look()) std::this_thread::sleep_for(kBetweenLooks);
}

}  // namespace tutti::runtime
