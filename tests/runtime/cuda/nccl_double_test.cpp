// The double of NCCL, checked: what it must complain of.

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "tests/runtime/cuda/nccl_caller.h"

namespace tutti::runtime::nccl_double_test {
namespace {

using nccl::DataType;
using nccl::Operation;
using nccl::Result;
using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kSixtyFour = 64 * sizeof(float);

// ---- Calls that are not those of the other ranks

// At a place of 64 floats, one call after another.
using CallsAt = void (*)(NcclCaller& nccl, std::byte* place);

void sums(NcclCaller& nccl, std::byte* place, DataType type, Operation operation) {
  nccl.launch([&](CUstream stream) {
    nccl->ncclAllReduce(place, place, 32, type, operation, nccl.handle(), stream);
  });
  nccl.finish();
}
void gives(NcclCaller& nccl, std::byte* place, int root) {
  nccl.launch([&](CUstream stream) {
    nccl->ncclBroadcast(place, place, 32, DataType::f32, root, nccl.handle(), stream);
  });
  nccl.finish();
}
void sum(NcclCaller& nccl, std::byte* place) { sums(nccl, place, DataType::f32, Operation::sum); }

struct DifferingCalls {
  const char* what;
  CallsAt first;  // of rank 0
  CallsAt second;
};
const std::array<DifferingCalls, 6> kDifferingCalls = {{
    {"count", sum,
     [](NcclCaller& nccl, std::byte* place) {
       nccl.sum(place, place, 64);
       nccl.finish();
     }},
    {"dtype", sum,
     [](NcclCaller& nccl, std::byte* place) { sums(nccl, place, DataType::i32, Operation::sum); }},
    {"operation", sum,
     [](NcclCaller& nccl, std::byte* place) { sums(nccl, place, DataType::f32, Operation::max); }},
    {"kind", sum, [](NcclCaller& nccl, std::byte* place) { gives(nccl, place, 0); }},
    {"root", [](NcclCaller& nccl, std::byte* place) { gives(nccl, place, 0); },
     [](NcclCaller& nccl, std::byte* place) { gives(nccl, place, 1); }},
    {"order",
     [](NcclCaller& nccl, std::byte* place) {
       sum(nccl, place);
       gives(nccl, place, 0);
     },
     [](NcclCaller& nccl, std::byte* place) {
       gives(nccl, place, 0);
       sum(nccl, place);
     }},
}};

TEST(NcclDouble, ComplainsOfCallsThatDiffer) {
  for (const DifferingCalls& calls : kDifferingCalls) {
    SCOPED_TRACE(calls.what);
    expect_complaint("differ in collective 1: ", [&](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
      const auto x = ones(gpu, 64);
      (rank == 0 ? calls.first : calls.second)(nccl, x->data());
      nccl.wait();
    });
  }
}

TEST(NcclDouble, ComplainsOfMessagesThatAreReceivedAsOthers) {
  for (const std::size_t sent : {32U, 63U, 65U}) {
    SCOPED_TRACE(sent);
    expect_complaint("a message has another size than what it is received as: receive of 64",
                     [&](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
                       const auto x = ones(gpu, 65);
                       const auto y = ones(gpu, 64);
                       nccl.swap(x->data(), sent, y->data(), 64, 1 - rank);
                       nccl.wait();
                     });
  }
}

// ---- Calls at the wrong time, or in the wrong place

TEST(NcclDouble, ComplainsOfACallWhileTheOneBeforeIsInProgress) {
  expect_complaint("while the call before is in progress",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto x = ones(gpu, 64);
                     nccl.sum(x->data(), x->data(), 64);
                     nccl.sum(x->data(), x->data(), 64);
                     nccl.finish();
                     nccl.wait();
                   });
}

TEST(NcclDouble, ComplainsOfUseAfterAnAbort) {
  expect_complaint("ncclCommDestroy of a communicator that is gone",
                   [](NcclCaller& nccl, GpuOfRank&, int) {
                     nccl::Communicator* const handle = nccl.abort();
                     EXPECT_EQ(nccl->ncclCommDestroy(handle), Result::invalid_argument);
                   });
}

TEST(NcclDouble, ComplainsOfUseAfterTheEnd) {
  expect_complaints({"ncclAllReduce of a communicator that is gone",
                     "ncclCommGetAsyncError of a communicator that is gone",
                     "ncclCommFinalize of a communicator that is gone",
                     "ncclCommDestroy of a communicator that is gone",
                     "ncclCommAbort of a communicator that is gone"},
                    [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                      const auto x = ones(gpu, 64);
                      nccl::Communicator* const handle = nccl.end();
                      nccl.launch([&](CUstream stream) {
                        nccl->ncclAllReduce(x->data(), x->data(), 64, DataType::f32, Operation::sum,
                                            handle, stream);
                      });
                      Result state = Result::success;
                      nccl->ncclCommGetAsyncError(handle, &state);
                      nccl->ncclCommFinalize(handle);
                      nccl->ncclCommDestroy(handle);
                      nccl->ncclCommAbort(handle);
                    });
}

TEST(NcclDouble, ComplainsOfUseAfterAFailure) {
  expect_complaint("ncclAllReduce of a communicator that has failed",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto x = ones(gpu, 64);
                     gpu.fail("ncclCommWindowRegister", 1, Result::internal_error);
                     nccl.begin_window(x->data(), kSixtyFour);
                     EXPECT_EQ(nccl.finish(), Result::internal_error);
                     nccl.sum(x->data(), x->data(), 64);
                   });
}

TEST(NcclDouble, ComplainsOfACallOutsideOfAGroup) {
  expect_complaint("ncclAllReduce outside of a group", [](NcclCaller& nccl, GpuOfRank& gpu, int) {
    const auto x = ones(gpu, 64);
    EXPECT_EQ(nccl.entered([&] {
      return nccl->ncclAllReduce(x->data(), x->data(), 64, DataType::f32, Operation::sum,
                                 nccl.handle(), gpu->stream()->handle());
    }),
              Result::invalid_usage);
  });
}

TEST(NcclDouble, ComplainsOfAnEndWithoutAStart) {
  expect_complaint("ncclGroupEnd without a start", [](NcclCaller& nccl, GpuOfRank&, int) {
    EXPECT_EQ(nccl->ncclGroupEnd(), Result::invalid_usage);
  });
}

TEST(NcclDouble, ComplainsOfAGroupOfTwoStreams) {
  expect_complaint("a group of several communicators or streams", [](NcclCaller& nccl,
                                                                     GpuOfRank& gpu, int) {
    const auto x = ones(gpu, 128);
    const OtherStream other(gpu);
    nccl.launch([&](CUstream stream) {
      nccl->ncclAllReduce(x->data(), x->data(), 64, DataType::f32, Operation::sum, nccl.handle(),
                          other.handle());
      std::byte* const second = x->data() + kSixtyFour;
      nccl->ncclAllReduce(second, second, 64, DataType::f32, Operation::sum, nccl.handle(), stream);
    });
    nccl.wait();
  });
}

TEST(NcclDouble, ComplainsOfAGroupOfTwoCommunicators) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    NcclCaller one(backend, gpu, first_ranks(2), "one");
    NcclCaller other(backend, gpu, first_ranks(2), "other");
    const auto x = ones(gpu, 128);
    one.launch([&](CUstream stream) {
      one->ncclAllReduce(x->data(), x->data(), 64, DataType::f32, Operation::sum, one.handle(),
                         stream);
      std::byte* const second = x->data() + kSixtyFour;
      one->ncclAllReduce(second, second, 64, DataType::f32, Operation::sum, other.handle(), stream);
    });
    one.wait();
    EXPECT_THAT(gpu.nccl_complaints(), HasSubstr("a group of several communicators or streams"));
    one.leave();
    other.leave();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclDouble, ComplainsOfACommunicatorThatBlocks) {
  expect_complaint("a communicator that blocks", [](NcclCaller& nccl, GpuOfRank&, int) {
    nccl::UniqueId id{};
    nccl->ncclGetUniqueId(&id);
    nccl::Config config;
    config.blocking = 1;
    nccl::Communicator* alone = nullptr;
    nccl.entered([&] { return nccl->ncclCommInitRankConfig(&alone, 1, id, 0, &config); });
    nccl->ncclCommAbort(alone);
  });
}

TEST(NcclDouble, ComplainsOfAnEndWhileSomethingIsUnderWay) {
  expect_complaint("finalized while something is under way",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto x = ones(gpu, 64);
                     gpu.hang(1);
                     nccl.sum(x->data(), x->data(), 64);
                     nccl.finish();
                     nccl->ncclCommFinalize(nccl.handle());
                     nccl.abort();
                     nccl.wait();
                   });
}

// ---- Places

TEST(NcclDouble, ComplainsOfOperandsAndResultsThatOverlap) {
  expect_complaint("the places overlap: all_reduce of 64",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int) {
                     const auto x = ones(gpu, 128);
                     nccl.sum(x->data(), x->data() + kSixtyFour / 2, 64);
                     nccl.wait();
                   });
  expect_complaint("the places overlap: all_gather of 64",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 128);
                     nccl.gather(x->data() + (rank == 0 ? kSixtyFour : 0), x->data(), 64);
                     nccl.wait();
                   });
  expect_complaint("the places overlap: reduce_scatter of 64",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 128);
                     nccl.scatter_sum(x->data(), x->data() + (rank == 0 ? kSixtyFour : 0), 64);
                     nccl.wait();
                   });
  expect_complaint("the places overlap: receive of 64",
                   [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
                     const auto x = ones(gpu, 64);
                     nccl.swap(x->data(), 64, x->data(), 64, 1 - rank);
                     nccl.wait();
                   });
}

TEST(NcclDouble, LetsOverlapWhatNcclDoesInPlace) {
  expect_no_complaint([](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
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
}

// Another stream does not wait for it.
TEST(NcclDouble, ComplainsOfAnOperandThatChangesWhileItIsRead) {
  expect_complaint(
      "an operand was overwritten while it was read: all_reduce of 64",
      [](NcclCaller& nccl, GpuOfRank& gpu, int rank) {
        const auto x = ones(gpu, 64);
        const auto y = ones(gpu, 64);
        gpu->synchronize();
        if (rank == 0) {
          nccl.sum(x->data(), y->data(), 64);
          EXPECT_FALSE(nccl.is_done());  // it has begun, and waits for rank 1
          OtherStream(gpu).clear(*x);
        }
        nccl.meet();
        if (rank == 1) nccl.sum(x->data(), y->data(), 64);
        nccl.wait();
      },
      0);
}

}  // namespace
}  // namespace tutti::runtime::nccl_double_test
