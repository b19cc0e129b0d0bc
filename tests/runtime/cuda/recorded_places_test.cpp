#include <tutti/runtime/comm/recorded_calls.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

// Recorded calls whose operands and results lie in the group's memory, while that becomes known to
// NCCL or unknown. On the doubles of the driver and of NCCL, each rank a process with a GPU.
namespace tutti::runtime::recorded_places_test {
namespace {

using testing::Each;
using Way = RecordedCalls::Way;

constexpr std::size_t kCount = 64;
constexpr std::size_t kBytes = kCount * sizeof(float);

// A rank of a group that records a sum at a place of the group's memory.
class Member {
 public:
  Member(HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        group_(backend.communicator(first_ranks(backend.ranks()), "all", "nccl")),
        call_(prepared_sum_of(*group_, kCount)),
        recorded_(group_->record_calls({call_}, *gpu)) {
    take_memory();
  }

  // As behind a program that failed.
  void take_new_memory() {
    memory_->retire();
    take_memory();
  }
  // The sum, launched by itself.
  void launch() {
    read(*group_->start(call_, operands(), options()));
    gpu_->synchronize();
  }
  // Another program's sum, at memory that nobody has come to; it is not waited for.
  std::shared_ptr<Work> start_elsewhere() {
    const auto memory = group_->symmetric_memory(std::size_t{6} << 20, &*gpu_);
    const std::vector<std::shared_ptr<Buffer>> results = {memory->at(kBytes, kBytes)};
    const auto operand = memory->at(0, kBytes);
    gpu_->copy(operand->data(), ones(gpu_, kCount)->data(), kBytes);
    return group_->start(call_, {{operand}}, {.results = results, .accelerator = &*gpu_});
  }

  bool is_warm() const { return recorded_->is_warm(places_); }
  // Two runs: what the first does to the memory, the second finds.
  void warm_up() {
    for (int run = 0; run < 2; ++run) launch();
    EXPECT_TRUE(is_warm());
  }
  void expect_recorded() {
    recorded_->get_ready(places_);
    EXPECT_EQ(recorded_->begin(1, options()), Way::recorded);
    supply();
    recorded_->end();
    EXPECT_TRUE(recorded_->is_recorded(places_));
    recorded_->joined() = gpu_->join({{.part = recorded_->part(0), .behind = {}}});
  }
  void expect_replayed() {
    ASSERT_TRUE(recorded_->is_recorded(places_));
    operands();
    EXPECT_EQ(recorded_->begin(1, options()), Way::replayed);
    recorded_->replay();
    std::vector<float> result(kCount);
    gpu_->copy_out(result.data(), results_[0]->data(), kBytes);
    EXPECT_EQ(result, sum());
  }
  Way begin() { return recorded_->begin(1, options()); }
  void supply() { read(*recorded_->supply(operands())); }
  RecordedCalls& recorded() { return *recorded_; }
  void read(Work& work) {
    work.wait();
    EXPECT_EQ(to_host(*gpu_, *work.result(0)), sum());
  }
  void close() {
    recorded_->drop();
    group_->close();
  }

 private:
  void take_memory() {
    memory_ = group_->symmetric_memory(4 * kBytes, &*gpu_);
    results_ = {memory_->at(kBytes, kBytes)};
    places_ = {{.operands = {memory_->at(0, kBytes)}, .results = results_}};
  }
  std::vector<std::shared_ptr<Buffer>> operands() {
    gpu_->copy(places_[0].operands[0]->data(), ones(gpu_, kCount)->data(), kBytes);
    return places_[0].operands;
  }
  StartOptions options() const {
    return {.results = results_,
            .accelerator = &*gpu_,
            .recorded = recorded_,
            .number_in_recording = 0};
  }
  std::vector<float> sum() const {
    return std::vector<float>(kCount, static_cast<float>(group_->size()));
  }

  GpuOfRank& gpu_;
  const std::shared_ptr<Communicator> group_;
  const std::shared_ptr<const PreparedCall> call_;
  const std::shared_ptr<RecordedCalls> recorded_;
  std::shared_ptr<SymmetricMemory> memory_;
  std::vector<std::shared_ptr<Buffer>> results_;
  std::vector<RecordedCalls::Places> places_;
};

// Streams that record would be in the way of what is done to it at first.
TEST(RecordedPlaces, NewMemoryIsCalledAtBeforeItIsRecorded) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    EXPECT_FALSE(member.is_warm());
    member.warm_up();
    member.expect_recorded();
    member.expect_replayed();
    member.take_new_memory();
    EXPECT_FALSE(member.is_warm());
    member.warm_up();
    member.expect_recorded();
    member.expect_replayed();
    EXPECT_EQ(gpu.windows(), 2);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Nor is it waited for: a peer may wait for what is announced next.
TEST(RecordedPlaces, NothingIsRecordedWhileACallIsToComeThatOpensMemory) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    member.warm_up();
    const auto before = member.start_elsewhere();
    EXPECT_FALSE(member.is_warm());
    member.launch();
    member.read(*before);
    EXPECT_TRUE(member.is_warm());
    member.expect_recorded();
    member.expect_replayed();
    EXPECT_EQ(gpu.windows(), 2);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// It is announced as a replay, and a call before it makes all members connect again.
TEST(RecordedPlaces, RecordingsGoWithTheirCommunicator) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.fail_window(2, nccl::Result::internal_error, false);
    Member member(backend, gpu);
    member.warm_up();
    member.expect_recorded();
    member.expect_replayed();
    const auto before = member.start_elsewhere();
    EXPECT_EQ(member.begin(), Way::one_by_one);
    member.supply();
    member.read(*before);
    EXPECT_EQ(gpu.windows(), 0);
    member.warm_up();
    member.expect_recorded();
    member.expect_replayed();
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::runtime::recorded_places_test
