#include <string>
#include <tuple>
#include <utility>

#include "tests/processes/cuda_replays_of.h"

namespace tutti::test::cuda_replays_slow {
namespace {

using testing::Bool;
using testing::Combine;

std::string version_name(bool older) { return older ? "nccl_2_27_7" : "nccl_2_32_3"; }

class ReplaysByNccl : public ReplaysOfAJob, public testing::WithParamInterface<bool> {
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES", folders_of_doubles(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Versions, ReplaysByNccl, Bool(),
                         [](const auto& older) { return version_name(older.param); });

TEST_P(ReplaysByNccl, HaveTheHostsResultsAHundredTimes) {
  for (const int ranks : {2, 4}) {
    SCOPED_TRACE(ranks);
    expect_all_say(ranks, "all right", {"replays", "100"});
  }
}

TEST_P(ReplaysByNccl, OfEveryCollectiveAndItsGradientAreRightAHundredTimes) {
  for (const int ranks : {2, 4}) {
    SCOPED_TRACE(ranks);
    expect_all_say(ranks, "all right", {"recorded_sweep", "100", "world"});
  }
}

// Two forms of groups in a job, which takes minutes.
using TwoForms = std::pair<const char*, const char*>;
class FormsOfGroups : public ReplaysOfAJob,
                      public testing::WithParamInterface<std::tuple<TwoForms, bool>> {
  EnvironmentVariable libraries_{"TUTTI_CUDA_LIBRARIES",
                                 folders_of_doubles(std::get<bool>(GetParam()))};
};
std::string forms_name(const testing::TestParamInfo<std::tuple<TwoForms, bool>>& of) {
  const auto& [forms, older] = of.param;
  return std::string(forms.first) + "_" + forms.second + "_" + version_name(older);
}
INSTANTIATE_TEST_SUITE_P(Forms, FormsOfGroups,
                         Combine(testing::Values(TwoForms("world", "list"),
                                                 TwoForms("part_of_ranks", "partition"),
                                                 TwoForms("mesh", "mesh_dimension"),
                                                 TwoForms("inner_dimension", "split")),
                                 Bool()),
                         forms_name);

TEST_P(FormsOfGroups, ReplaysOfEveryCollectiveAreRight) {
  const auto& [first, second] = std::get<TwoForms>(GetParam());
  expect_all_say(4, "all right", {"recorded_sweep", "14", first, second});
}

// Each kernel has to be compiled.
TEST_P(ReplaysByNccl, OfEveryCollectiveBetweenKernelsAreRight) {
  const EnvironmentVariable cache("TUTTI_CACHE", "on");
  const EnvironmentVariable folder("TUTTI_CACHE_DIR", folder_.path() / "cache");
  for (const auto& [ranks, runs] : {std::pair(2, "100"), std::pair(4, "20")}) {
    SCOPED_TRACE(ranks);
    expect_all_say(ranks, "all right", {"recorded_sweep", runs, "world", "kernels"});
  }
}

// Whatever engine serves them, lazily, eagerly and compiled.
TEST_P(ReplaysByNccl, AllCollectivesAreWhatTheInterpreterAndPyTorchSay) {
  const EnvironmentVariable cache("TUTTI_CACHE", "on");
  const EnvironmentVariable folder("TUTTI_CACHE_DIR", folder_.path() / "cache");
  expect_all_say(2, "all right", {"sweep_on_gpus"});
  expect_all_say(4, "all right", {"sweep_on_gpus", "list"});
  for (const int ranks : {2, 4}) expect_all_say(ranks, "all right", {"torch_references_on_gpus"});
}

TEST_P(ReplaysByNccl, DivergentProgramsAreRightOnGpus) {
  const EnvironmentVariable cache("TUTTI_CACHE", "on");
  const EnvironmentVariable folder("TUTTI_CACHE_DIR", folder_.path() / "cache");
  for (const int ranks : {2, 4}) {
    SCOPED_TRACE(ranks);
    expect_all_say(ranks, "all right", {"divergent", std::to_string(1000 * ranks), "8", "gpus"});
  }
}

// The double adds in each of NCCL's orders (tests/fake_cuda/nccl/reduce.h), or in drawn ones: sums
// of floats keep their bounds, and are the same on all ranks. NCCL makes all of them here.
class OrdersOfAddition : public ReplaysOfAJob, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Orders, OrdersOfAddition,
                         testing::Values("ranks", "owner", "switch", "1", "2", "3"),
                         [](const auto& of) { return std::string("by_") + of.param; });

TEST_P(OrdersOfAddition, ReplaysOfEveryCollectiveAreRight) {
  const EnvironmentVariable order("TUTTI_TEST_FAKE_NCCL_ORDER", GetParam());
  const EnvironmentVariable off("TUTTI_SET", "verify=on,comm_kernels=off");
  const EnvironmentVariable cache("TUTTI_CACHE", "on");
  const EnvironmentVariable folder("TUTTI_CACHE_DIR", folder_.path() / "cache");
  const Words floats = {"recorded_sweep", "14", "world", "f32", "f64", "f16", "bf16"};
  const Words with_kernels = {"recorded_sweep", "14", "world", "f32", "bf16", "kernels"};
  expect_all_say(4, "all right", floats);
  expect_all_say(4, "all right", with_kernels);  // in windows
}

TEST_F(ReplaysOfAJob, HaveTheHostsResultsInOtherWays) {
  for (const char* const set : {"comm_kernels=off", "windows=off,comm_kernels=off"}) {
    SCOPED_TRACE(set);
    const EnvironmentVariable setting("TUTTI_SET", set);
    expect_all_say(3, "all right", {"replays", "18"});
  }
  const EnvironmentVariable off("TUTTI_SET", "record=off");
  expect_all_say(2, "0 replays", {"replays", "14"});
}

}  // namespace
}  // namespace tutti::test::cuda_replays_slow
