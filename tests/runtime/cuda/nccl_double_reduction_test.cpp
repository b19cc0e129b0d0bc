// The double of NCCL, checked: the orders in which it adds.

#include <tutti/runtime/cuda/mapped_memory.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/runtime/cuda/nccl_caller.h"
#include "tests/support/environment_variable.h"

namespace tutti::runtime::nccl_double_reduction_test {
namespace {

using test::EnvironmentVariable;
using testing::Each;

constexpr const char* kOrder = "TUTTI_TEST_FAKE_NCCL_ORDER";

// Rank 0 has it, the other two have 1: 2 more where these are added first, else it is itself.
constexpr float kLarge = 1 << 24;

std::vector<float> operand_of(int rank, std::size_t count) {
  return std::vector<float>(count, rank == 0 ? kLarge : 1.F);
}

// What elements of a sum are above it.
std::vector<float> above(std::vector<float> sum) {
  for (float& each : sum) each -= kLarge;
  return sum;
}

std::vector<float> sum_of_three(NcclCaller& nccl, GpuOfRank& gpu, std::size_t count) {
  const auto x = on_device(*gpu, operand_of(nccl.rank(), count));
  const auto y = gpu->memory().allocate(x->bytes());
  nccl.sum(x->data(), y->data(), count);
  nccl.finish();
  nccl.wait();
  return above(to_host(*gpu, *y));
}

void expect_of_three_ranks(const NcclCalls& calls) {
  const auto thrown =
      run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) { with_nccl(backend, gpu, calls); });
  EXPECT_THAT(thrown, Each(""));
}

struct Sums {
  const char* order;
  std::vector<float> above;  // of three elements, each of which another rank owns
  std::uint16_t narrow;      // of 1, 256 and 1 as bf16
};

TEST(NcclDoubleReduction, AddsInEachOrderOfNccls) {
  const std::array<Sums, 4> all = {{{"ring", {2, 0, 0}, 0x4380},  // rounded at each hop
                                    {"ranks", {0, 0, 0}, 0x4381},
                                    {"owner", {0, 2, 0}, 0x4381},
                                    {"switch", {2, 2, 2}, 0x4381}}};
  for (const Sums& sums : all) {
    SCOPED_TRACE(sums.order);
    const EnvironmentVariable order(kOrder, sums.order);
    expect_of_three_ranks([&](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
      EXPECT_EQ(sum_of_three(nccl, gpu, 3), sums.above);
      const std::uint16_t own = rank == 1 ? 0x4380 : 0x3F80;
      const auto x = gpu.put(std::as_bytes(std::span(&own, 1)));
      nccl.sum(x->data(), x->data(), 1, nccl::DataType::bf16);
      nccl.finish();
      nccl.wait();
      std::uint16_t sum = 0;
      gpu->copy_out(&sum, x->data(), sizeof(sum));
      EXPECT_EQ(sum, sums.narrow);
    });
  }
}

// Of 300 elements each rank owns a hundred.
std::vector<float> hundreds(float first, float second, float third) {
  std::vector<float> out(300, third);
  std::fill_n(out.begin(), 200, second);
  std::fill_n(out.begin(), 100, first);
  return out;
}

// The first and the third communicator of a job draw differently.
TEST(NcclDoubleReduction, DrawsAnOrderBySizeWindowsAndCommunicator) {
  const EnvironmentVariable order(kOrder, "3");
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    constexpr std::size_t kSlab = std::size_t{2} << 20;
    constexpr std::size_t kCount = 300;
    const std::array<std::vector<float>, 3> in_windows = {hundreds(0, 2, 0), hundreds(0, 2, 0),
                                                          hundreds(2, 2, 2)};
    std::string name = "all";
    for (const std::vector<float>& expected : in_windows) {
      const auto slab = map_memory(gpu->stream(), kSlab);
      NcclCaller nccl(backend, gpu, first_ranks(3), name += "+");
      EXPECT_EQ(sum_of_three(nccl, gpu, 3), std::vector<float>(3, 0.F));  // small
      EXPECT_EQ(sum_of_three(nccl, gpu, kCount), hundreds(2, 0, 0));
      nccl.open_window(slab->data(), kSlab);
      const auto x = on_device(*gpu, operand_of(nccl.rank(), kCount));
      gpu->copy(slab->data(), x->data(), x->bytes());
      nccl.sum(slab->data(), slab->data() + 4096, kCount);
      nccl.finish();
      nccl.wait();
      std::vector<float> sum(kCount);
      gpu->copy_out(sum.data(), slab->data() + 4096, x->bytes());
      EXPECT_EQ(above(sum), expected);
      nccl.leave();
    }
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_reduction_test
