#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/fake_cuda/driver/state.h"
#include <unistd.h>

namespace tutti::fake_cuda {

// The state has no end, and the process may end in its middle.
void State::let_go_on() {
  if (std::exchange(goes_on_, true)) return;
  std::thread([this] {
    for (;; usleep(100)) {
      const std::scoped_lock lock(mutex);
      advance_those_that_wait();
    }
  }).detach();
}

void State::advance_those_that_wait() {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    auto* const stream = dynamic_cast<CUstream_st*>(objects_[i].get());
    if (stream == nullptr || !stream->live) continue;
    if (!std::ranges::any_of(stream->queue, &Operation::waits_for_ranks)) continue;
    try {
      advance(*stream, stream->position());
    } catch (const Failure&) {
      // Whoever waits for it is told.
    }
  }
}

}  // namespace tutti::fake_cuda
