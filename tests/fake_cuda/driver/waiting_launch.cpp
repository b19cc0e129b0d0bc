#include "tests/fake_cuda/driver/waiting_launch.h"

#include <stdexcept>
#include <thread>
#include <utility>

#include <unistd.h>

namespace tutti::fake_cuda {

bool WaitingLaunch::advance(State& state) {
  if (running_ == nullptr) {
    running_ = std::make_shared<Running>();
    opened_ = std::make_unique<Memory::Open>(state.memory());
    state.waiting_launches.insert(&what_.arguments);
    // The process may end in its middle.
    std::thread([what = what_, running = running_]() mutable {
      std::vector<void*> places;
      for (CUdeviceptr& value : what.arguments) places.push_back(&value);
      try {
        test::cuda::run_together(what.entry, what.grid, what.block, places.data(), what.options,
                                 [] { usleep(20); });
      } catch (const std::exception& error) {
        running->failure = error.what();
      }
      running->over = true;
    }).detach();
  }
  return running_->over;
}

void WaitingLaunch::finish(State& state) {
  const auto running = std::exchange(running_, nullptr);
  if (running == nullptr) return;
  opened_ = nullptr;
  state.waiting_launches.erase(&what_.arguments);
  if (!running->failure.empty()) throw std::runtime_error(running->failure);
}

}  // namespace tutti::fake_cuda
