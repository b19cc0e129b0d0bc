#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/fake_cuda/driver/state.h"
#include "tests/support/cuda/emulator.h"

namespace tutti::fake_cuda {

// A kernel that waits for those of other GPUs: it runs on a thread of its own, beside the host and
// what other streams do, and has the devices' memory open to its end. One at a time, again and
// again where it was recorded.
class WaitingLaunch {
 public:
  struct What {
    tutti_emulation::Entry entry;
    test::cuda::Extents grid;
    test::cuda::Extents block;
    std::vector<CUdeviceptr> arguments;
    test::cuda::RunOptions options;
  };
  explicit WaitingLaunch(What what) : what_(std::move(what)) {}

  // Starts it, if it does not run; whether it is over.
  bool advance(State& state);
  // It is over: throws std::runtime_error where it failed.
  void finish(State& state);

 private:
  struct Running {
    std::atomic<bool> over{false};
    std::string failure;
  };

  const What what_;
  std::shared_ptr<Running> running_;
  std::unique_ptr<Memory::Open> opened_;
};

}  // namespace tutti::fake_cuda
