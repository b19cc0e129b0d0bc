#include <algorithm>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "tests/fake_cuda/driver/state.h"
#include <pthread.h>
#include <unistd.h>

namespace tutti::fake_cuda {

// A process that is forked off has the state whole, and no thread that goes on.
void State::hold_over_forks() {
  static const int registered =
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                     [] {
                       // (Its owner was another thread, to which this one can't unlock it.)
                       new (&get().mutex) std::recursive_mutex;
                       get().goes_on_ = false;
                     });
  if (registered != 0) throw std::bad_alloc();
}

void State::let_go_on() {
  if (std::exchange(goes_on_, true)) return;
  hold_over_forks();
  // The state has no end, and the process may end in the thread's middle.
  std::thread([this] {
    for (bool goes_on = true; goes_on; usleep(100)) {
      const std::scoped_lock lock(mutex);
      goes_on = goes_on_ = advance_those_that_wait();
    }
  }).detach();
}

bool State::advance_those_that_wait() {
  bool out = false;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    auto* const stream = dynamic_cast<CUstream_st*>(objects_[i].get());
    if (stream == nullptr || !stream->live) continue;
    if (!std::ranges::any_of(stream->queue, &Operation::waits_for_ranks)) continue;
    out = true;
    try {
      advance(*stream, stream->position());
    } catch (const Failure&) {
      // Whoever waits for it is told.
    }
  }
  return out;
}

}  // namespace tutti::fake_cuda
