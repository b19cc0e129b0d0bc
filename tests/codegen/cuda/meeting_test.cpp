#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/peer_collectives.h>
#include <tutti/runtime/cuda/peer_memory.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/codegen/cuda/comm_kernel_testing.h"
#include "tests/runtime/cuda/testing.h"
#include <gmock/gmock.h>

// Kernels that wait for those of another GPU (kernels/device/meeting.cuh), on two GPUs of one
// process, on the doubles.
namespace tutti::codegen::cuda::meeting_test {
namespace {

using runtime::CommKernel;
using runtime::CommWords;
using runtime::CudaAccelerator;
using runtime::CudaEvent;
using runtime::CudaKernel;
using runtime::CudaStream;
using runtime::PeerMemory;
using testing::HasSubstr;

constexpr std::size_t kCount = 3000;
constexpr std::size_t kBytes = 2 * kCount * sizeof(float);  // operand and result
constexpr std::size_t kMapped = std::size_t{2} << 20;

FakeCudaSetup two_gpus() {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  return setup;
}

// Two GPUs that reach each other's memory.
class Meetings : public testing::Test {
 protected:
  void SetUp() override {
    for (int index = 0; index < 2; ++index) {
      auto& gpu = gpus_[static_cast<std::size_t>(index)];
      gpu.accelerator = std::make_unique<CudaAccelerator>(fake_.driver(), index);
      gpu.own = runtime::map_memory(gpu.stream(), kMapped - 4096);
      gpu.words = std::make_shared<CommWords>(gpu.stream());
      gpu.words->raise_patience(std::chrono::minutes(1));
      PeerMemory::prepare(*gpu.stream(), gpu.own->data(), kBytes, 1, index);
    }
    for (int index = 0; index < 2; ++index) {
      Gpu& gpu = gpus_[static_cast<std::size_t>(index)];
      const Gpu& other = gpus_[static_cast<std::size_t>(1 - index)];
      auto theirs = runtime::map_peer_memory(gpu.stream(), other.own->data(), other.own->bytes());
      std::vector<std::shared_ptr<runtime::Buffer>> memory = {gpu.own, std::move(theirs)};
      if (index == 1) std::swap(memory[0], memory[1]);
      gpu.peers = std::make_shared<PeerMemory>(*gpu.stream(), std::move(memory), kBytes, 1, index,
                                               gpu.words);
      const CudaStream::Entered entered = gpu.stream()->enter();
      fake_.driver().cuStreamCreate(&gpu.lane, CU_STREAM_NON_BLOCKING);
    }
  }

  void TearDown() override {
    for (Gpu& gpu : gpus_) {
      const CudaStream::Entered entered = gpu.stream()->enter();
      fake_.driver().cuStreamDestroy(gpu.lane);
      gpu.peers = nullptr;
      gpu.words = nullptr;
    }
    for (Gpu& gpu : gpus_) gpu.own = nullptr;
    for (Gpu& gpu : gpus_) gpu.accelerator = nullptr;
    EXPECT_EQ(fake_.complaints(), "");
    EXPECT_EQ(fake_.left(), "");
  }

  struct Gpu {
    std::unique_ptr<CudaAccelerator> accelerator;
    std::shared_ptr<runtime::Buffer> own;
    std::shared_ptr<CommWords> words;
    std::shared_ptr<PeerMemory> peers;
    CUstream lane = nullptr;

    const std::shared_ptr<CudaStream>& stream() const { return accelerator->stream(); }
  };

  void fill(Gpu& gpu, float from) {
    const std::vector<float> values = runtime::count_up(kCount, from);
    gpu.accelerator->copy_in(gpu.own->data(), values.data(), kBytes / 2);
    gpu.accelerator->synchronize();
  }
  std::vector<float> result(Gpu& gpu) {
    std::vector<float> out(kCount);
    gpu.accelerator->copy_out(out.data(), gpu.own->data() + kBytes / 2, kBytes / 2);
    return out;
  }
  // Puts the sum of both operands on a GPU's lane.
  void launch(Gpu& gpu, std::uint32_t blocks = 3) {
    const CudaStream::Entered entered = gpu.stream()->enter();
    const auto code = KernelsOfDoubles::process().code(CommKernel{}, "sm_90");
    const std::array<void*, 4> parameters = {gpu.peers->table(), gpu.own->data(),
                                             gpu.own->data() + kBytes / 2,
                                             reinterpret_cast<void*>(kCount)};
    dynamic_cast<const CudaKernel&>(*code).launch_on(gpu.lane, *gpu.stream(), blocks,
                                                     parameters.data());
    codes_.push_back(code);
  }
  bool is_over(const Gpu& gpu) {
    const CudaStream::Entered entered = gpu.stream()->enter();
    CudaEvent end(gpu.stream());
    end.record(gpu.lane);
    return end.is_done();
  }
  // Until what is on both lanes is over; a host that waits for one would hold up the other.
  void wait() {
    std::vector<std::unique_ptr<CudaEvent>> ends;
    for (Gpu& gpu : gpus_) {
      const CudaStream::Entered entered = gpu.stream()->enter();
      ends.push_back(std::make_unique<CudaEvent>(gpu.stream()));
      ends.back()->record(gpu.lane);
    }
    for (bool over = false; !over; std::this_thread::yield()) {
      over = true;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        const CudaStream::Entered entered = gpus_[i].stream()->enter();
        over = ends[i]->is_done() && over;
      }
    }
  }
  std::vector<float> expected(float first, float second) {
    std::vector<float> out = runtime::count_up(kCount, first);
    const std::vector<float> other = runtime::count_up(kCount, second);
    for (std::size_t i = 0; i < kCount; ++i) out[i] += other[i];
    return out;
  }

  test::FakeCuda fake_{two_gpus()};
  std::array<Gpu, 2> gpus_;
  std::vector<std::shared_ptr<const runtime::DeviceCode>> codes_;
};

// Some machines say that GPUs reach each other, and they don't.
TEST_F(Meetings, MemoryThatIsNotTheOthersIsFound) {
  Gpu& gpu = gpus_[0];
  auto theirs = runtime::map_peer_memory(gpu.stream(), gpus_[1].own->data(), gpus_[1].own->bytes());
  const std::vector<std::shared_ptr<runtime::Buffer>> memory = {gpu.own, std::move(theirs)};
  const auto map = [&](std::uint64_t number, const auto& pieces) {
    return runtime::message_of<EnvironmentError>(
        [&] { const PeerMemory peers(*gpu.stream(), pieces, kBytes, number, 0, gpu.words); });
  };
  EXPECT_EQ(map(1, memory), "");
  EXPECT_THAT(map(2, memory), HasSubstr("the GPU reads something else"));
  EXPECT_THAT(map(1, std::vector{gpu.own, gpu.own}), HasSubstr("the GPU reads something else"));
}

// Others would read and write beside what they have.
TEST_F(Meetings, PlacesThatNotAllReachAreLaunchedByNobody) {
  Gpu& gpu = gpus_[0];
  const CudaStream::Entered entered = gpu.stream()->enter();
  runtime::PeerCollectives collectives(KernelsOfDoubles::process(), 3);
  std::byte* const own = gpu.own->data();
  const auto launch_of = [&](CommKernel::Kind kind, const void* operand, void* result,
                             std::int64_t elements) {
    runtime::Keeping keeping;
    const std::array launches = {runtime::PeerLaunch{
        .kernel = {.kind = kind}, .part = {operand, result}, .elements = elements}};
    return runtime::message_of<InternalError>(
        [&] { collectives.launch(launches, gpu.peers, *gpu.accelerator, gpu.lane, keeping); });
  };
  using Kind = CommKernel::Kind;
  const auto elsewhere = gpu.accelerator->memory().allocate(kBytes);
  const auto half = static_cast<std::int64_t>(kCount);
  const std::string not_reached = "at a place that not all of them reach";
  for (const auto& said :
       {launch_of(Kind::all_reduce_one_shot, elsewhere->data(), own, half),
        launch_of(Kind::all_reduce_one_shot, own + kBytes / 2, own, half + 1),
        launch_of(Kind::all_reduce_one_shot, own + 4, own + kBytes / 2, half - 1),
        launch_of(Kind::all_reduce_two_shot, own, elsewhere->data(), half),
        launch_of(Kind::reduce_scatter, own + kBytes / 2, elsewhere->data(), half)}) {
    EXPECT_THAT(said, HasSubstr(not_reached));
  }
  EXPECT_THAT(launch_of(Kind::all_reduce_multimem, own, own + kBytes / 2, half),
              HasSubstr("which have no multicast memory"));
}

// How often they have met is in memory: a recorded launch has the arguments of its first time.
TEST_F(Meetings, RecordedLaunchesMeetEachTime) {
  std::array<CUgraphExec, 2> recorded{};
  const runtime::CudaDriver& driver = fake_.driver();
  for (std::size_t i = 0; i < 2; ++i) {
    const CudaStream::Entered entered = gpus_[i].stream()->enter();
    CUgraph graph = nullptr;
    driver.cuStreamBeginCapture(gpus_[i].lane, CU_STREAM_CAPTURE_MODE_RELAXED);
    launch(gpus_[i]);
    launch(gpus_[i], 1);
    ASSERT_EQ(driver.cuStreamEndCapture(gpus_[i].lane, &graph), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuGraphInstantiate(&recorded[i], graph, 0), CUDA_SUCCESS);
    driver.cuGraphDestroy(graph);
  }
  const auto replay = [&](std::size_t i) {
    const CudaStream::Entered entered = gpus_[i].stream()->enter();
    ASSERT_EQ(driver.cuGraphLaunch(recorded[i], gpus_[i].lane), CUDA_SUCCESS);
  };
  for (int round = 0; round < 20; ++round) {
    const auto first = static_cast<float>(round);
    fill(gpus_[0], first);
    replay(0);
    EXPECT_FALSE(is_over(gpus_[0]));  // it runs, and waits for the other
    fill(gpus_[1], 2 * first);
    replay(1);
    wait();
    for (Gpu& gpu : gpus_) ASSERT_EQ(result(gpu), expected(first, 2 * first)) << round;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const CudaStream::Entered entered = gpus_[i].stream()->enter();
    driver.cuGraphExecDestroy(recorded[i]);
  }
}

// Each meeting counts, and the count has 32 bits.
TEST_F(Meetings, GoOnWhereTheirCountBeginsAgain) {
  // What all have counted up to: of each block and member, and of each block itself.
  constexpr std::size_t kCounts = CommKernel::kMostBlocks * (CommKernel::kMostMembers + 1);
  const std::vector<std::uint32_t> counts(kCounts, 0xFFFFFFFB);
  for (Gpu& gpu : gpus_) {
    gpu.accelerator->copy_in(gpu.own->data() + PeerMemory::words_offset(kBytes), counts.data(),
                             kCounts * sizeof(std::uint32_t));
    gpu.accelerator->synchronize();
  }
  for (int round = 0; round < 6; ++round) {
    const auto first = static_cast<float>(round);
    fill(gpus_[0], first);
    launch(gpus_[0]);
    EXPECT_FALSE(is_over(gpus_[0])) << round;  // it waits for the other
    fill(gpus_[1], 3 * first);
    launch(gpus_[1]);
    wait();
    for (Gpu& gpu : gpus_) ASSERT_EQ(result(gpu), expected(first, 3 * first)) << round;
  }
}

TEST_F(Meetings, WhoWaitsGivesUpWhereTheHostSaysSo) {
  fill(gpus_[0], 0);
  launch(gpus_[0]);
  gpus_[0].words->stop();
  wait();
  EXPECT_EQ(gpus_[0].words->missed(), -1);
}

TEST_F(Meetings, WhoWaitsTooLongGivesUpAndSaysForWhom) {
  auto impatient = std::make_shared<CommWords>(gpus_[0].stream());
  std::vector<std::shared_ptr<runtime::Buffer>> memory = {
      gpus_[0].own,
      runtime::map_peer_memory(gpus_[0].stream(), gpus_[1].own->data(), gpus_[1].own->bytes())};
  gpus_[0].peers =
      std::make_shared<PeerMemory>(*gpus_[0].stream(), std::move(memory), kBytes, 1, 0, impatient);
  fill(gpus_[0], 0);
  launch(gpus_[0]);
  wait();
  EXPECT_EQ(impatient->missed(), 1);
}

TEST_F(Meetings, MemoryThatGoesBeforeTheKernelIsComplainedOf) {
  fill(gpus_[0], 0);
  launch(gpus_[0]);
  EXPECT_FALSE(is_over(gpus_[0]));  // it runs, and waits
  gpus_[0].peers = nullptr;
  EXPECT_THAT(fake_.complaints(), HasSubstr("a kernel runs that may reach it"));
  gpus_[0].words->stop();
  wait();
}

}  // namespace
}  // namespace tutti::codegen::cuda::meeting_test
