// The double of NCCL, checked: what it must complain of.

#include <tutti/runtime/comm/tell_each_other.h>
#include <tutti/runtime/cuda/mapped_memory.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

namespace tutti::runtime::nccl_double_test {
namespace {

using nccl::DataType;
using nccl::Operation;
using nccl::Result;
using testing::Each;
using testing::HasSubstr;

SharedLibrary open_double() {
  return {std::array{test::FakeCuda::folder()}, std::array<std::string_view, 1>{"libnccl.so.2"}};
}

// A rank of two that calls the library itself.
class Caller {
 public:
  Caller(GpuOfRank& gpu, int rank, const nccl::UniqueId& id) : gpu_(gpu), nccl_(open_double()) {
    const CudaStream::Entered entered = gpu->stream()->enter();
    nccl::Config config;
    nccl_.ncclCommInitRankConfig(&handle_, 2, id, rank, &config);
    finish();
  }
  ~Caller() { abort(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  const Nccl* operator->() const { return &nccl_; }
  nccl::Communicator* handle() { return handle_; }
  nccl::Communicator* abort() {
    if (handle_ != nullptr) nccl_.ncclCommAbort(handle_);
    return std::exchange(handle_, nullptr);
  }
  // In peace.
  void end() {
    nccl_.ncclCommFinalize(handle_);
    finish();
    nccl_.ncclCommDestroy(std::exchange(handle_, nullptr));
  }
  // Until what was begun is over.
  void finish() {
    for (Result state = Result::in_progress; state == Result::in_progress;) {
      nccl_.ncclCommGetAsyncError(handle_, &state);
    }
  }
  // Until the stream is done, without waiting in the driver.
  void wait() {
    const CudaStream::Entered entered = gpu_->stream()->enter();
    CudaEvent event(gpu_->stream());
    event.record();
    while (!event.is_done()) std::this_thread::yield();
  }
  // `calls(stream)` in a group of their own.
  Result launch(const std::function<void(CUstream)>& calls) {
    const CudaStream::Entered entered = gpu_->stream()->enter();
    nccl_.ncclGroupStart();
    calls(gpu_->stream()->handle());
    return nccl_.ncclGroupEnd();
  }
  Result sum(const void* from, void* to, std::size_t count) {
    return launch([&](CUstream stream) {
      nccl_.ncclAllReduce(from, to, count, DataType::f32, Operation::sum, handle_, stream);
    });
  }
  Result gather(const void* from, void* to, std::size_t count) {
    return launch([&](CUstream stream) {
      nccl_.ncclAllGather(from, to, count, DataType::f32, handle_, stream);
    });
  }
  Result scatter_sum(const void* from, void* to, std::size_t count) {
    return launch([&](CUstream stream) {
      nccl_.ncclReduceScatter(from, to, count, DataType::f32, Operation::sum, handle_, stream);
    });
  }
  // With the other rank.
  Result swap(const void* from, void* to, std::size_t count, int peer) {
    return launch([&](CUstream stream) {
      nccl_.ncclSend(from, count, DataType::f32, peer, handle_, stream);
      nccl_.ncclRecv(to, count, DataType::f32, peer, handle_, stream);
    });
  }
  nccl::Window* open_window(void* place, std::size_t bytes) {
    const CudaStream::Entered entered = gpu_->stream()->enter();
    windows_.push_back(std::make_unique<nccl::Window*>(nullptr));
    nccl_.ncclCommWindowRegister(handle_, place, bytes, windows_.back().get(),
                                 nccl::kWindowOfAllMembers);
    finish();
    return *windows_.back();
  }

 private:
  GpuOfRank& gpu_;
  const Nccl nccl_;
  nccl::Communicator* handle_ = nullptr;
  std::vector<std::unique_ptr<nccl::Window*>> windows_;
};

// Calls a body on one of two ranks, whose communicators are connected.
void with_caller(HostBackend& backend, GpuOfRank& gpu,
                 const std::function<void(Caller&, int rank)>& body) {
  const auto group = backend.communicator(first_ranks(2), "all", "shm");
  nccl::UniqueId id{};
  const Nccl library(open_double());
  library.ncclGetUniqueId(&id);
  const auto told = tell_each_other(*group, std::string(id.bytes, sizeof(id.bytes)));
  std::copy_n(told[0].data(), sizeof(id.bytes), id.bytes);
  Caller caller(gpu, group->position(), id);
  body(caller, group->position());
  tell_each_other(*group, "");  // a member that ends would end the other's call
  group->close();
}

// Both ranks do what the double is to complain of.
void expect_complaint(const std::string& line,
                      const std::function<void(Caller&, GpuOfRank&, int rank)>& body) {
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    with_caller(backend, gpu, [&](Caller& nccl, int rank) { body(nccl, gpu, rank); });
    EXPECT_THAT(gpu.nccl_complaints(), HasSubstr(line));
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclDouble, ComplainsOfCallsThatDiffer) {
  expect_complaint("differ in collective 1: all_reduce of",
                   [](Caller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 64);
                     nccl.sum(x->data(), x->data(), rank == 0 ? 64 : 32);
                     nccl.wait();
                   });
}

TEST(NcclDouble, ComplainsOfACallWhileTheOneBeforeIsInProgress) {
  expect_complaint("while the call before is in progress", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto x = ones(gpu, 64);
    nccl.sum(x->data(), x->data(), 64);
    nccl.sum(x->data(), x->data(), 64);
    nccl.finish();
    nccl.wait();
  });
}

TEST(NcclDouble, ComplainsOfUseAfterTheEnd) {
  expect_complaint("of a communicator that is gone", [](Caller& nccl, GpuOfRank&, int) {
    nccl::Communicator* const handle = nccl.abort();
    EXPECT_EQ(nccl->ncclCommDestroy(handle), Result::invalid_argument);
  });
}

constexpr std::size_t kSixtyFour = 64 * sizeof(float);

TEST(NcclDouble, ComplainsOfOperandsAndResultsThatOverlap) {
  expect_complaint("the places overlap: all_reduce of 64", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto x = ones(gpu, 128);
    nccl.sum(x->data(), x->data() + kSixtyFour / 2, 64);
    nccl.wait();
  });
  expect_complaint("the places overlap: all_gather of 64",
                   [](Caller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 128);
                     nccl.gather(x->data() + (rank == 0 ? kSixtyFour : 0), x->data(), 64);
                     nccl.wait();
                   });
  expect_complaint("the places overlap: reduce_scatter of 64",
                   [](Caller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 128);
                     nccl.scatter_sum(x->data(), x->data() + (rank == 0 ? kSixtyFour : 0), 64);
                     nccl.wait();
                   });
  expect_complaint("the places overlap: receive of 64", [](Caller& nccl, GpuOfRank& gpu, int rank) {
    const auto x = ones(gpu, 64);
    nccl.swap(x->data(), x->data(), 64, 1 - rank);
    nccl.wait();
  });
}

TEST(NcclDouble, LetsOverlapWhatNcclDoesInPlace) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    with_caller(backend, gpu, [&](Caller& nccl, int rank) {
      const auto x = ones(gpu, 128);
      std::byte* const own = x->data() + (rank == 0 ? 0 : kSixtyFour);
      nccl.sum(x->data(), x->data(), 128);
      nccl.finish();
      nccl.gather(own, x->data(), 64);
      nccl.finish();
      nccl.scatter_sum(x->data(), own, 64);
      nccl.finish();
      nccl.wait();
    });
  });
  EXPECT_THAT(thrown, Each(""));
}

// ---- What is recorded

// A sum that is recorded, of so many elements.
class RecordedSum {
 public:
  RecordedSum(Caller& nccl, GpuOfRank& gpu, std::size_t count)
      : nccl_(nccl), values_(ones(gpu, count)), recording_(gpu->record([&] {
          nccl.sum(values_->data(), values_->data(), count);
          nccl.finish();
        })) {}
  void replay() {
    recording_->replay();
    nccl_.wait();
  }
  void launch(std::size_t count) {
    nccl_.sum(values_->data(), values_->data(), count);
    nccl_.wait();
  }

 private:
  Caller& nccl_;
  const std::shared_ptr<Buffer> values_;
  const std::unique_ptr<Accelerator::Recording> recording_;
};

TEST(NcclDouble, ReplaysWhatAllHaveRecorded) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    with_caller(backend, gpu, [&](Caller& nccl, int) {
      RecordedSum sum(nccl, gpu, 64);
      for (int i = 0; i < 3; ++i) sum.replay();
    });
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclDouble, ComplainsOfAReplayBesideALaunch) {
  expect_complaint("differ in collective 1", [](Caller& nccl, GpuOfRank& gpu, int rank) {
    RecordedSum sum(nccl, gpu, 64);
    rank == 0 ? sum.replay() : sum.launch(64);
  });
}

TEST(NcclDouble, ComplainsOfReplaysInAnotherOrder) {
  expect_complaint("differ in collective 1", [](Caller& nccl, GpuOfRank& gpu, int rank) {
    RecordedSum one(nccl, gpu, 64);
    RecordedSum other(nccl, gpu, 64);
    rank == 0 ? one.replay() : other.replay();
  });
}

TEST(NcclDouble, ComplainsOfWhatOneRankAloneHasRecorded) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    int own = 0;
    with_caller(backend, gpu, [&](Caller& nccl, int rank) {
      own = rank;
      if (rank == 0) RecordedSum(nccl, gpu, 64);
      nccl.end();
    });
    const std::string said = gpu.nccl_complaints();
    EXPECT_THAT(said, own == 0 ? HasSubstr("rank 0 has recorded what rank 1 has not")
                               : testing::Matcher<std::string>(""));
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclDouble, ComplainsOfAnEndThatGraphsHoldUp) {
  expect_complaint("finalized while graphs hold what it recorded",
                   [](Caller& nccl, GpuOfRank& gpu, int) {
                     const RecordedSum sum(nccl, gpu, 64);
                     nccl->ncclCommFinalize(nccl.handle());
                     nccl.finish();
                   });
}

TEST(NcclDouble, ComplainsOfAWindowThatIsOpenedWhileAStreamRecords) {
  expect_complaint("ncclCommWindowRegister while a stream records",
                   [](Caller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), std::size_t{2} << 20);
                     gpu->record([&] { nccl.open_window(slab->data(), std::size_t{2} << 20); });
                     nccl.abort();
                   });
}

// ---- Windows

constexpr std::size_t kSlab = std::size_t{2} << 20;

TEST(NcclDouble, ComplainsOfAWindowOfMemoryThatIsNotMapped) {
  expect_complaint("not mapped by cuMemMap", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto block = gpu->memory().allocate(16384);
    const auto place = reinterpret_cast<std::uintptr_t>(block->data());
    nccl.open_window(reinterpret_cast<void*>((place + 4095) / 4096 * 4096), 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAWindowThatBeginsAnywhere) {
  expect_complaint("not aligned to 4096", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data() + 256, 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfMemoryThatIsRegisteredTwice) {
  expect_complaint("registered twice", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), kSlab);
    nccl.open_window(slab->data() + 4096, 4096);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfWindowsOfDifferentSizes) {
  expect_complaint("windows of different sizes", [](Caller& nccl, GpuOfRank& gpu, int rank) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), rank == 0 ? kSlab : kSlab / 2);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfPlacesThatAreInAWindowOnOneRankAlone) {
  expect_complaint("differ in collective 1", [](Caller& nccl, GpuOfRank& gpu, int rank) {
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
  expect_complaint("differ in collective 1", [](Caller& nccl, GpuOfRank& gpu, int rank) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl.open_window(slab->data(), kSlab);
    const std::size_t offset = rank == 0 ? 0 : 256;
    gpu->copy(slab->data() + offset, ones(gpu, 64)->data(), 256);
    nccl.sum(slab->data() + offset, slab->data() + 512, 64);
    nccl.wait();
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfAWindowThatIsClosedTwice) {
  expect_complaint("closed that is not open", [](Caller& nccl, GpuOfRank& gpu, int) {
    const auto slab = map_memory(gpu->stream(), kSlab);
    nccl::Window* const window = nccl.open_window(slab->data(), kSlab);
    nccl->ncclCommWindowDeregister(nccl.handle(), window);
    nccl->ncclCommWindowDeregister(nccl.handle(), window);
    nccl.abort();
  });
}

TEST(NcclDouble, ComplainsOfMemoryThatGoesWhileItIsAWindow) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    with_caller(backend, gpu, [&](Caller& nccl, int) {
      auto slab = map_memory(gpu->stream(), kSlab);
      nccl.open_window(slab->data(), kSlab);
      slab = nullptr;
      EXPECT_THAT(gpu.driver_complaints(), HasSubstr("it is still window 1 of a communicator"));
      nccl.abort();
    });
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_test
