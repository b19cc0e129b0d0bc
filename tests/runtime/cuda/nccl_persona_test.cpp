// The doubles of several versions of NCCL (tests/fake_cuda/nccl/persona.h), checked: in what they
// differ.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/fake_cuda/nccl/persona.h"
#include "tests/runtime/cuda/nccl_caller.h"
#include "tests/support/environment_variable.h"

namespace tutti::runtime::nccl_persona_test {
namespace {

using nccl::Result;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

struct Library {
  int version;
  std::string folder;
  fake_cuda::NcclPersona persona = fake_cuda::nccl_persona(version);
};

std::vector<Library> libraries() {
  return {{22105, TUTTI_BINARY_DIR "/fake_nccl_2.21.5"},
          {22707, TUTTI_BINARY_DIR "/fake_nccl_2.27.7"},
          {23203, test::FakeCuda::folder()}};
}

// In a process of its own for each, which has one library and is the only rank.
void for_each_library(
    const std::function<void(const Library& library, HostBackend& backend, GpuOfRank& gpu)>& body) {
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.folder);
    const auto thrown = run_gpus(
        1, [&](HostBackend& backend, GpuOfRank& gpu) { body(library, backend, gpu); },
        library.folder);
    EXPECT_THAT(thrown, Each(""));
  }
}

TEST(NcclPersona, BetweenThemTheyHaveEachDifference) {
  const auto of = [](int version) { return fake_cuda::nccl_persona(version); };
  EXPECT_FALSE(of(22605).has_windows);
  EXPECT_TRUE(of(22707).has_windows);
  EXPECT_FALSE(of(22809).clears_windows || of(22809).lets_ranks_share_gpus);
  EXPECT_TRUE(of(23007).clears_windows && of(23007).lets_ranks_share_gpus);
  EXPECT_FALSE(of(22907).has_timeouts);
  EXPECT_TRUE(of(23003).has_timeouts);
  EXPECT_EQ(of(22105).config_bytes, 48U);
  EXPECT_EQ(of(22809).config_bytes, 80U);
  EXPECT_EQ(of(23007).config_bytes, 96U);
}

TEST(NcclPersona, HasTheFunctionsAndResultsOfItsVersion) {
  for_each_library([](const Library& library, HostBackend&, GpuOfRank&) {
    const Nccl nccl(nccl_double(library.folder));
    EXPECT_EQ(nccl.version(), library.version);
    EXPECT_EQ(nccl.ncclCommWindowRegister != nullptr, library.persona.has_windows);
    EXPECT_EQ(nccl.ncclCommWindowDeregister != nullptr, library.persona.has_windows);
    EXPECT_STREQ(nccl.ncclGetErrorString(Result::timeout),
                 library.persona.has_timeouts ? "timeout" : "unknown result code");
    EXPECT_EQ(nccl.why_no_windows().empty(), library.version >= 22907);
  });
}

TEST(NcclPersona, WhereThereIsNoWindowOlderOnesSayNothing) {
  for_each_library([](const Library& library, HostBackend& backend, GpuOfRank& gpu) {
    if (!library.persona.has_windows) return;
    gpu.give_no_windows();
    NcclCaller nccl(backend, gpu, {0}, "alone", library.folder);
    const auto x = ones(gpu, 64);
    int something = 0;
    auto* const before = reinterpret_cast<nccl::Window*>(&something);
    nccl::Window* window = before;
    EXPECT_EQ(nccl.entered([&] {
      return nccl->ncclCommWindowRegister(nccl.handle(), x->data(), 256, &window,
                                          nccl::kWindowOfAllMembers);
    }),
              Result::success);
    EXPECT_EQ(window, library.persona.clears_windows ? nullptr : before);
    nccl.leave();
  });
}

// ---- What it reads of a config

// How a communicator of one rank comes to be, by a config of which `size` bytes are said to be.
Result connect_by(const Nccl& nccl, GpuOfRank& gpu, std::size_t size) {
  struct {
    nccl::Config known;
    std::array<std::byte, 1000> more = {};
  } config;
  config.known.size = size;
  nccl::UniqueId id{};
  nccl.ncclGetUniqueId(&id);
  nccl::Communicator* alone = nullptr;
  const CudaStream::Entered entered = gpu->stream()->enter();
  EXPECT_EQ(nccl.ncclCommInitRankConfig(&alone, 1, id, 0, &config.known), Result::in_progress);
  Result state = Result::in_progress;
  while (state == Result::in_progress) nccl.ncclCommGetAsyncError(alone, &state);
  nccl.ncclCommAbort(alone);
  return state;
}

TEST(NcclPersona, ReadsOfALongerConfigWhatItKnows) {
  for_each_library([](const Library& library, HostBackend&, GpuOfRank& gpu) {
    const Nccl nccl(nccl_double(library.folder));
    for (const std::size_t size : {std::size_t{80}, std::size_t{96}, std::size_t{1000}}) {
      EXPECT_EQ(connect_by(nccl, gpu, size), Result::success) << size;
    }
  });
}

// Those of its own block.
TEST(NcclPersona, HasItsOwnSettingsForWhatAConfigLeavesOut) {
  for_each_library([](const Library& library, HostBackend&, GpuOfRank& gpu) {
    const Nccl nccl(nccl_double(library.folder));
    connect_by(nccl, gpu, offsetof(nccl::Config, blocking));
    EXPECT_EQ(gpu.nccl_complaints(), "a communicator that blocks\n");
  });
}

// ---- Ranks that share a GPU

// What two ranks hear that are both on the first one.
void expect_of_sharing(Result expected, const Library& library) {
  const auto thrown = run_gpus(
      2,
      [&](HostBackend& backend, GpuOfRank& gpu) {
        const auto group = backend.communicator(first_ranks(2), "all", "shm");
        const Nccl nccl(nccl_double(library.folder));
        nccl::UniqueId id{};
        nccl.ncclGetUniqueId(&id);
        const auto told = tell_each_other(*group, std::string(id.bytes, sizeof(id.bytes)));
        std::copy_n(told[0].data(), sizeof(id.bytes), id.bytes);
        const auto first = std::make_shared<CudaStream>(gpu->stream()->driver(), 0);
        const CudaStream::Entered entered = first->enter();
        nccl::Config config;
        nccl::Communicator* handle = nullptr;
        EXPECT_EQ(nccl.ncclCommInitRankConfig(&handle, 2, id, group->position(), &config),
                  Result::in_progress);
        Result state = Result::in_progress;
        while (state == Result::in_progress) nccl.ncclCommGetAsyncError(handle, &state);
        EXPECT_EQ(state, expected);
        tell_each_other(*group, "");
        nccl.ncclCommAbort(handle);
        group->close();
      },
      library.folder);
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclPersona, RanksThatShareAGpuAreRefused) {
  for (const char* const enabled : {"0", "1"}) {
    const test::EnvironmentVariable sharing("NCCL_MULTI_RANK_GPU_ENABLE", enabled);
    for (const Library& library : libraries()) {
      SCOPED_TRACE(library.folder + ", enabled: " + enabled);
      const bool let = library.persona.lets_ranks_share_gpus && *enabled == '1';
      expect_of_sharing(let ? Result::success : Result::invalid_usage, library);
    }
  }
}

// A group that is to go over NCCL all the same.
TEST(NcclPersona, RanksThatShareAGpuAreAnErrorOfTheGroup) {
  const test::EnvironmentVariable sharing("NCCL_MULTI_RANK_GPU_ENABLE", "1");
  for (const Library& library : libraries()) {
    SCOPED_TRACE(library.folder);
    const auto thrown = run_gpus(
        2,
        [&](HostBackend& backend, GpuOfRank& gpu) {
          CudaAccelerator first(gpu->stream()->driver(), 0);
          const auto group = backend.communicator(first_ranks(2), "all", "nccl");
          const auto one = on_device(first, std::vector<float>(16, 1.F));
          const auto work = group->start(prepared_sum_of(*group, 16), std::span(&one, 1),
                                         {.accelerator = &first});
          work->wait();
          group->close();
        },
        library.folder);
    EXPECT_THAT(thrown, Each(library.persona.lets_ranks_share_gpus
                                 ? testing::Matcher<std::string>("")
                                 : HasSubstr("two ranks may have one GPU: World::gpu() gives")));
  }
}

}  // namespace
}  // namespace tutti::runtime::nccl_persona_test
