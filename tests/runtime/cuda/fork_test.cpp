#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/cuda/comm_words.h>
#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/multicast_memory.h>
#include <tutti/runtime/cuda/nccl_windows.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <unistd.h>

// What a process that was forked off does with what its parent had on GPUs: nothing.
namespace tutti::runtime::cuda_fork_test {
namespace {

using testing::Each;

std::string noted_calls;

template <const auto& kName, class... Arguments>
CUresult note_call(Arguments... /*arguments*/) {
  noted_calls += std::string(kName) + " ";
  return CUDA_ERROR_NOT_INITIALIZED;
}
template <const auto& kName, class... Arguments>
void note_calls_of(CUresult (*&function)(Arguments...)) {
  function = &note_call<kName, Arguments...>;
}

// From now on calls of the driver are noted, and do nothing.
void note_calls(const CudaDriver& driver) {
  auto& functions = const_cast<CudaDriver&>(driver);
#define TUTTI_NOTE(name)                   \
  {                                        \
    static constexpr char kName[] = #name; \
    note_calls_of<kName>(functions.name);  \
  }
  TUTTI_CUDA_FUNCTIONS(TUTTI_NOTE)
#undef TUTTI_NOTE
}

class CudaForks : public FakeCudaTest {
 protected:
  // What has to go back to the driver, one of each kind.
  std::vector<std::shared_ptr<const void>> handles(CudaAccelerator& gpu) {
    constexpr std::size_t kPiece = std::size_t{2} << 20;
    const std::shared_ptr<CudaStream>& stream = gpu.stream();
    const std::shared_ptr<CudaKernel> kernel = add_one();
    const std::shared_ptr<Buffer> x = on_device(gpu, count_up(64));
    const std::shared_ptr<Buffer> y = gpu.memory().allocate(256);
    const auto launches = [&] { launch(*kernel, gpu, {x.get(), y.get()}); };
    launches();
    gpu.workspace(5000);
    std::shared_ptr<Accelerator::Recording> recording = gpu.record(launches);
    const auto part = gpu.record_part(launches);
    std::shared_ptr<Accelerator::JoinedRecording> joined = gpu.join({{.part = part, .behind = {}}});
    auto windows = std::make_shared<NcclWindows>();
    windows->take(4096, gpu);
    const CudaStream::Entered entered = stream->enter();
    const auto lane = gpu.lane();
    const std::shared_ptr<Buffer> own = map_memory(stream, kPiece);
    const std::shared_ptr<Buffer> peers = map_peer_memory(stream, own->data(), own->bytes());
    auto multicast = std::make_shared<MulticastMemory>(stream, 1, kPiece);
    multicast->add_gpu();
    multicast->bind(own->data());
    auto event = std::make_shared<CudaEvent>(stream);
    event->record();
    std::shared_ptr<const void> registered = gpu.register_host(Buffer::wrap(
        new std::byte[256], 256, [](void* memory) { delete[] static_cast<std::byte*>(memory); }));
    auto peers_work = std::make_shared<CudaReleases::PeersWork>(stream);
    return {kernel,  x,          y,         recording, part,  joined,
            windows, peers,      multicast, own,       event, std::make_shared<CommWords>(stream),
            lane,    registered, peers_work};
  }
};

TEST_F(CudaForks, AForkedProcessThatDestroysHandlesMakesNoCall) {
  auto gpu = open();
  std::vector<std::shared_ptr<const void>> all = handles(*gpu);
  const auto kept = on_device(*gpu, count_up(8));
  Child child([&]() -> std::string {
    alarm(20);
    note_calls(gpu->stream()->driver());
    all.clear();
    gpu->memory().trim();
    gpu = nullptr;
    return noted_calls;
  });
  EXPECT_EQ(child.end(), "");
  EXPECT_EQ(to_host(*gpu, *kept), count_up(8));
}

TEST_F(CudaForks, AForkedProcessWaitsForNoThreadThatItLacks) {
  auto gpu = open();
  auto x = on_device(*gpu, count_up(8));
  std::atomic<bool> holds{false};
  std::atomic<bool> ends{false};
  std::thread other([&] {
    const std::scoped_lock lock(gpu->stream()->recording());
    holds = true;
    holds.notify_all();
    ends.wait(false);
  });
  holds.wait(false);
  Child child([&]() -> std::string {
    alarm(20);
    EXPECT_THROW(gpu->synchronize(), EnvironmentError);
    EXPECT_THROW(gpu->record([] {}), EnvironmentError);
    x = nullptr;
    gpu = nullptr;
    return "";
  });
  EXPECT_EQ(child.end(), "");
  ends = true;
  ends.notify_all();
  other.join();
}

// Graphs that NCCL was captured in, and memory that it knows.
TEST(NcclForks, AForkedProcessLeavesGraphsAndWindowsAlone) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    constexpr std::size_t kElements = 64;
    constexpr std::size_t kBytes = kElements * sizeof(float);
    auto group = backend.communicator(first_ranks(2), "all", "nccl");
    auto call = prepared_sum_of(*group, kElements);
    auto memory = group->symmetric_memory(4 * kBytes, &*gpu);
    const auto sum_in_window = [&] {
      const auto operand = memory->at(0, kBytes);
      gpu->copy(operand->data(), ones(gpu, kElements)->data(), kBytes);
      const std::vector<std::shared_ptr<Buffer>> results = {memory->at(kBytes, kBytes)};
      const auto work = group->start(call, {{operand}}, {.results = results, .accelerator = &*gpu});
      work->wait();
      EXPECT_EQ(to_host(*gpu, *work->result(0)), std::vector<float>(kElements, 2.F));
    };
    sum_in_window();
    sum_in_window();
    EXPECT_EQ(gpu.windows(), 1);
    auto recorded = group->record_calls({call}, *gpu);
    const StartOptions options = {
        .accelerator = &*gpu, .recorded = recorded, .number_in_recording = 0};
    group->start(call, {{ones(gpu, kElements)}}, options)->wait();
    gpu->synchronize();
    const std::vector<RecordedCalls::Places> places = {
        {.operands = std::vector<std::shared_ptr<Buffer>>(1),
         .results = std::vector<std::shared_ptr<Buffer>>(1)}};
    recorded->get_ready(places);
    EXPECT_EQ(recorded->begin(1, options), RecordedCalls::Way::recorded);
    recorded->supply({{ones(gpu, kElements)}})->wait();
    recorded->end();
    recorded->joined() = gpu->join({{.part = recorded->part(0), .behind = {}}});
    Child child([&]() -> std::string {
      alarm(20);
      note_calls(gpu->stream()->driver());
      recorded->drop();
      memory = nullptr;
      backend.leave("");
      gpu.complaints();  // without the GPU
      return noted_calls + std::to_string(gpu.windows()) + " " +
             std::to_string(gpu.communicators());
    });
    EXPECT_EQ(child.end(), "1 1");
    sum_in_window();
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::runtime::cuda_fork_test
