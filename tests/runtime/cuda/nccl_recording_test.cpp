#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/recorded_calls.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

namespace tutti::runtime::nccl_recording_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using Way = RecordedCalls::Way;

constexpr std::size_t kElements = 64;

// A rank of a group that records a sum, whose operand and result have no places.
class Member {
 public:
  Member(HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        group_(backend.communicator(first_ranks(backend.ranks()), "all", "nccl")),
        call_(prepared_sum_of(*group_, kElements)),
        recorded_(group_->record_calls({call_}, *gpu)) {}

  // A sum of ones, launched by itself.
  void launch() {
    read(*group_->start(call_, {{ones(gpu_, kElements)}}, options()));
    gpu_->synchronize();
  }
  Way begin() {
    if (!recorded_->is_recorded(places_)) recorded_->get_ready(places_);
    return recorded_->begin(1, options());
  }
  void supply() { read(*recorded_->supply({{ones(gpu_, kElements)}})); }
  RecordedCalls& recorded() { return *recorded_; }
  const std::vector<RecordedCalls::Places>& places() const { return places_; }
  Communicator& group() { return *group_; }

 private:
  StartOptions options() const {
    return {.accelerator = &*gpu_, .recorded = recorded_, .number_in_recording = 0};
  }
  void read(Work& work) {
    work.wait();
    EXPECT_EQ(to_host(*gpu_, *work.result(0)),
              std::vector<float>(kElements, static_cast<float>(group_->size())));
  }

  GpuOfRank& gpu_;
  const std::shared_ptr<Communicator> group_;
  const std::shared_ptr<const PreparedCall> call_;
  const std::shared_ptr<RecordedCalls> recorded_;
  const std::vector<RecordedCalls::Places> places_ = {
      {.operands = std::vector<std::shared_ptr<Buffer>>(1),
       .results = std::vector<std::shared_ptr<Buffer>>(1)}};
};

TEST(NcclRecording, AReplayTakesNoMemoryForItsFirstCall) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    RecordedCalls& recorded = member.recorded();
    member.launch();
    EXPECT_TRUE(recorded.is_warm(member.places()));
    EXPECT_EQ(member.begin(), Way::recorded);
    member.supply();
    recorded.end();
    recorded.joined() = gpu->join({{.part = recorded.part(0), .behind = {}}});
    const auto x = ones(gpu, kElements);
    gpu->copy(recorded.operand(0, 0), x->data(), x->bytes());
    gpu->synchronize();
    const std::size_t used = gpu->memory().used_bytes();
    EXPECT_EQ(member.begin(), Way::replayed);
    EXPECT_EQ(gpu->memory().used_bytes(), used);
    recorded.replay();
    std::vector<float> result(kElements);
    gpu->copy_out(result.data(), recorded.result(0, 0), x->bytes());
    EXPECT_EQ(result, std::vector<float>(kElements, 2.F));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// It was announced, so that nobody may wait for it any more.
TEST(NcclRecording, WhatCanNotBeSuppliedFailsForAll) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    member.launch();
    EXPECT_EQ(member.begin(), Way::recorded);
    if (backend.rank() == 1) {
      gpu.fail_driver("cuEventRecord", 1, CUDA_ERROR_UNKNOWN);
      EXPECT_THROW(member.supply(), EnvironmentError);
      member.recorded().give_up();
      EXPECT_THROW(member.launch(), CommError);
      return;
    }
    member.supply();
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown[0],
              AllOf(HasSubstr("rank 1"), HasSubstr("gave it up: "), HasSubstr("cuEventRecord")));
  EXPECT_EQ(thrown[1], "");
}

TEST(NcclRecording, WhatNobodySuppliesEndsWhereAMemberDies) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    member.launch();
    EXPECT_EQ(member.begin(), Way::recorded);
    if (backend.rank() == 1) std::_Exit(7);
    member.launch();  // behind it
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown[0], HasSubstr("rank 1"));
  EXPECT_EQ(thrown[1], "exit code 7");
}

}  // namespace
}  // namespace tutti::runtime::nccl_recording_test
