// The double of NCCL, checked: what it must complain of where streams record, and at the end.

#include <tutti/runtime/cuda/mapped_memory.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "tests/runtime/cuda/nccl_caller.h"

namespace tutti::runtime::nccl_double_recording_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kSlab = std::size_t{2} << 20;

// A sum that is recorded, of so many elements.
class RecordedSum {
 public:
  RecordedSum(NcclCaller& nccl, GpuOfRank& gpu, std::size_t count)
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
  NcclCaller& nccl_;
  const std::shared_ptr<Buffer> values_;
  const std::unique_ptr<Accelerator::Recording> recording_;
};

TEST(NcclDouble, ReplaysWhatAllHaveRecorded) {
  expect_no_complaint([](NcclCaller& nccl, GpuOfRank& gpu, int) {
    RecordedSum sum(nccl, gpu, 64);
    for (int i = 0; i < 3; ++i) sum.replay();
  });
}

TEST(NcclDouble, ComplainsOfAReplayBesideALaunch) {
  expect_complaint("differ in collective 1", [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
    RecordedSum sum(nccl, gpu, 64);
    rank == 0 ? sum.replay() : sum.launch(64);
  });
}

TEST(NcclDouble, ComplainsOfReplaysInAnotherOrder) {
  expect_complaint("differ in collective 1", [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
    RecordedSum one(nccl, gpu, 64);
    RecordedSum other(nccl, gpu, 64);
    rank == 0 ? one.replay() : other.replay();
  });
}

TEST(NcclDouble, ComplainsOfWhatOneRankAloneHasRecorded) {
  expect_complaint(
      "rank 0 has recorded what rank 1 has not",
      [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
        if (rank == 0) RecordedSum(nccl, gpu, 64);
        nccl.end();
      },
      0);
}

TEST(NcclDouble, ComplainsOfAnEndThatGraphsHoldUp) {
  expect_complaint("finalized while graphs hold what it recorded",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const RecordedSum sum(nccl, gpu, 64);
                     nccl->ncclCommFinalize(nccl.handle());
                     nccl.finish();
                   });
}

// The double waits for such graphs for a while, as the library does for ever.
TEST(NcclDouble, ComplainsOfGraphsThatOutliveTheirCommunicator) {
  expect_complaints({"a communicator ends while graphs hold what it recorded",
                     "a graph is launched whose communicator is gone"},
                    [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                      RecordedSum sum(nccl, gpu, 64);
                      nccl.end();
                      sum.replay();
                    });
}

// It would be taken down in the middle.
TEST(NcclDouble, EndsAProcessThatEndsWhileACommunicatorDoes) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    with_nccl(backend, gpu, [](NcclCaller& nccl, GpuOfRank& own, int) {
      const RecordedSum sum(nccl, own, 64);  // which the end waits for
      const auto x = ones(own, 64);
      own.hang(1);
      nccl.sum(x->data(), x->data(), 64);
      nccl.finish();
      std::thread([&] { nccl->ncclCommAbort(nccl.handle()); }).detach();
      nccl.wait();  // it has begun
      std::exit(0);
    });
  });
  EXPECT_THAT(thrown, Each("killed by signal 6"));
}

// ---- What NCCL does not do while a stream records

TEST(NcclDouble, ComplainsOfAWindowThatIsOpenedWhileAStreamRecords) {
  expect_complaint("ncclCommWindowRegister while a stream records",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     gpu->record([&] { nccl.open_window(slab->data(), kSlab); });
                     nccl.abort();
                   });
}

TEST(NcclDouble, ComplainsOfAWindowThatIsClosedWhileAStreamRecords) {
  expect_complaint("ncclCommWindowDeregister while a stream records",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto slab = map_memory(gpu->stream(), kSlab);
                     nccl::Window* const window = nccl.open_window(slab->data(), kSlab);
                     gpu->record([&] { nccl.close_window(window); });
                     nccl.abort();
                   });
}

TEST(NcclDouble, ComplainsOfACommunicatorThatIsMadeWhileAStreamRecords) {
  expect_complaint(
      "ncclCommInitRankConfig while a stream records", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
        nccl::UniqueId id{};
        nccl->ncclGetUniqueId(&id);
        nccl::Config config;
        nccl::Communicator* alone = nullptr;
        gpu->record([&] {
          nccl.entered([&] { return nccl->ncclCommInitRankConfig(&alone, 1, id, 0, &config); });
        });
        nccl->ncclCommAbort(alone);
      });
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_recording_test
