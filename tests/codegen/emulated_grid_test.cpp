// Blocks that wait for each other, in the emulator.

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/cuda/emulator.h"
#include <gmock/gmock.h>

namespace tutti::codegen::emulated_grid_test {
namespace {

using test::cuda::EmulatedModule;
using test::cuda::Extents;
using testing::HasSubstr;

// Every block says that it is there, and waits until so many have.
constexpr const char* kMeet = R"(
extern "C" __global__ void meet(unsigned* there, const unsigned* wanted, int* values) {
  __shared__ int part[32];
  part[threadIdx.x] = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(there, 1U);
    while (tutti_emulation::load_acquire(there) < *wanted) tutti_emulation::pause_in_wait();
  }
  __syncthreads();
  values[blockIdx.x * 32 + threadIdx.x] = part[31 - threadIdx.x];
})";

class EmulatedGrids : public testing::Test {
 protected:
  // What that many blocks that wait for `wanted` do; empty: they come to their end.
  std::string run(std::uint32_t blocks, unsigned wanted, void (*idle)() = [] {}) {
    static const EmulatedModule module({kMeet});
    std::vector<int> values(static_cast<std::size_t>(blocks) * 32);
    unsigned* there = &there_;
    const unsigned* most = &wanted;
    int* to = values.data();
    void* arguments[] = {&there, &most, &to};
    try {
      module.launch_together(0, "meet", {blocks, 1, 1}, {32, 1, 1}, arguments, idle);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    for (int i = 0; i < static_cast<int>(values.size()); ++i) {
      EXPECT_EQ(values[static_cast<std::size_t>(i)], i / 32 * 32 + 31 - i % 32);
    }
    return "";
  }

  static inline unsigned there_;
  void SetUp() override { there_ = 0; }
};

// Four multiprocessors have eight blocks of 32 threads each at a time, with shared memory of their
// own.
TEST_F(EmulatedGrids, BlocksWaitForEachOther) { EXPECT_EQ(run(32, 32), ""); }

TEST_F(EmulatedGrids, BlocksWaitForOthersThanThemselves) {
  EXPECT_EQ(run(2, 3, [] { ++there_; }), "");
}

TEST_F(EmulatedGrids, MoreBlocksThanThereIsRoomForMayNotWait) {
  EXPECT_EQ(run(33, 0), "");
  there_ = 0;
  EXPECT_THAT(run(33, 33),
              HasSubstr("waits for others, but of 33 blocks the GPU has 32 at a time"));
}

TEST_F(EmulatedGrids, BlocksThatRunOneAfterAnotherMayNotWait) {
  const EmulatedModule module({kMeet});
  unsigned wanted = 2;
  std::vector<int> values(64);
  unsigned* there = &there_;
  unsigned* most = &wanted;
  int* to = values.data();
  void* arguments[] = {&there, &most, &to};
  try {
    module.launch(0, "meet", {2, 1, 1}, {32, 1, 1}, arguments);
    ADD_FAILURE() << "they waited";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("blocks of such a launch run one after another"));
  }
}

}  // namespace
}  // namespace tutti::codegen::emulated_grid_test
