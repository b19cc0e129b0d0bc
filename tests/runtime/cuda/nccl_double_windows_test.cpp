// The double of NCCL, checked: what it must complain of where memory is registered.

#include <tutti/runtime/cuda/mapped_memory.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/runtime/cuda/nccl_caller.h"

namespace tutti::runtime::nccl_double_windows_test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSlab = std::size_t{2} << 20;

TEST(NcclDouble, ComplainsOfAWindowOfMemoryThatIsNotMapped) {
  expect_complaint("not mapped by cuMemMap", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto block = gpu->memory().allocate(16384);
    const auto place = reinterpret_cast<std::uintptr_t>(block->data());
    nccl.open_window(reinterpret_cast<void*>((place + 4095) / 4096 * 4096), 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAWindowThatBeginsAnywhere) {
  expect_complaint("not aligned to 4096", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data() + 256, 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfMemoryThatIsRegisteredTwice) {
  expect_complaint("registered twice", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), kSlab);
    nccl.open_window(slab->data() + 4096, 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfWindowsOfDifferentSizes) {
  expect_complaint("windows of different sizes", [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), rank == 0 ? kSlab : kSlab / 2);
    nccl.abort();
  });
}

// It waits for the others in vain, in progress.
TEST(NcclDouble, ComplainsOfACollectiveWhereAnotherRankRegistersMemory) {
  expect_complaint(
      "rank 1 goes on without memory that rank 0 registers",
      [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
        const auto slab = map_memory(gpu->stream(), kSlab);
        const auto x = ones(gpu, 64);
        if (rank == 0) nccl.begin_window(slab->data(), kSlab);
        nccl.meet();
        if (rank == 1) {
          nccl.sum(x->data(), x->data(), 64);
          EXPECT_FALSE(nccl.is_done());
        }
        nccl.abort();
        nccl.wait();
      },
      1);
}

TEST(NcclDouble, ComplainsOfAnEndWhereAnotherRankRegistersMemory) {
  expect_complaint(
      "rank 1 goes on without memory that rank 0 registers",
      [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
        const auto slab = map_memory(gpu->stream(), kSlab);
        if (rank == 0) nccl.begin_window(slab->data(), kSlab);
        nccl.meet();
        if (rank == 1) nccl->ncclCommFinalize(nccl.handle());
        nccl.abort();
      },
      1);
}

TEST(NcclDouble, ComplainsOfAWindowThatIsNotOfAllMembers) {
  expect_complaint("a window that is not of all members",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     nccl.begin_window(slab->data(), kSlab, 0);
                     nccl.finish();
                     nccl.abort();
                   });
}

TEST(NcclDouble, ComplainsOfMemoryThatIsRegisteredInsideOfAGroup) {
  expect_complaint("memory is registered inside of a group",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     nccl.launch([&](CUstream) { nccl.begin_window(slab->data(), kSlab); });
                     nccl.finish();
                     nccl.abort();
                   });
}

TEST(NcclDouble, ComplainsOfMemoryThatIsRegisteredWhileSomethingIsUnderWay) {
  expect_complaint("memory is registered while something is under way",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     const auto x = ones(gpu, 64);
                     gpu.hang(1);
                     nccl.sum(x->data(), x->data(), 64);
                     nccl.finish();
                     nccl.open_window(slab->data(), kSlab);
                     nccl.abort();
                     nccl.wait();
                   });
}

TEST(NcclDouble, ComplainsOfPlacesThatAreInAWindowOnOneRankAlone) {
  expect_complaint("differ in collective 1", [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    const auto x = ones(gpu, 64);
    nccl.open_window(slab->data(), kSlab);
    gpu->copy(slab->data(), x->data(), 256);
    void* const place = rank == 0 ? slab->data() : x->data();
    nccl.sum(place, place, 64);
    nccl.wait();
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfOtherOffsetsInAWindow) {
  expect_complaint("differ in collective 1", [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), kSlab);
    const std::size_t offset = rank == 0 ? 0 : 256;
    gpu->copy(slab->data() + offset, ones(gpu, 64)->data(), 256);
    nccl.sum(slab->data() + offset, slab->data() + 512, 64);
    nccl.wait();
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAPlaceThatCrossesAWindowsEnd) {
  expect_complaint("a place crosses a window's end", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), 4096);
    std::byte* const place = slab->data() + 4096 - 128;
    gpu->copy(place, ones(gpu, 64)->data(), 256);
    nccl.sum(place, place, 64);
    nccl.wait();
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAWindowThatIsClosedTwice) {
  expect_complaint("closed that is not open", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl::Window* const window = nccl.open_window(slab->data(), kSlab);
    nccl.close_window(window);
    nccl.close_window(window);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAWindowThatIsClosedWhileSomethingIsUnderWay) {
  expect_complaint("a window is closed while something is under way",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     const auto x = ones(gpu, 64);
                     nccl::Window* const window = nccl.open_window(slab->data(), kSlab);
                     gpu.hang(1);
                     nccl.sum(x->data(), x->data(), 64);
                     nccl.finish();
                     nccl.close_window(window);
                     nccl.abort();
                     nccl.wait();
                   });
}

TEST(NcclDouble, ComplainsOfMemoryThatGoesWhileItIsAWindow) {
  expect_no_complaint([](NcclCaller& nccl, GpuOfRank& gpu, int) {
    auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), kSlab);
    slab = nullptr;
    // By the driver's.
    EXPECT_THAT(gpu.driver_complaints(), HasSubstr("it is still window 1 of a communicator"));
    nccl.abort();
  });
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_windows_test
