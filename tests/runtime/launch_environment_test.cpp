#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/launch_environment.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace tutti::runtime::launch_environment_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

LaunchEnvironment read(const Variables& variables) {
  return read_launch_environment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

const Variables kTorchrun = {{"RANK", "5"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "4"},
                             {"MASTER_ADDR", "10.0.0.1"},
                             {"MASTER_PORT", "29500"},
                             {"TORCHELASTIC_RUN_ID", "none"},
                             {"TORCHELASTIC_RESTART_COUNT", "0"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "3"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"PMIX_NAMESPACE", "prterun-host-77@1"}};
const Variables kSlurm = {{"SLURM_PROCID", "7"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_NODEID", "3"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_JOB_ID", "4711"},
                          {"SLURM_STEP_NUM_TASKS", "8"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x4)"},
                          {"SLURM_NTASKS", "16"},  // of the allocation
                          {"SLURM_TASKS_PER_NODE", "4(x4)"}};
const Variables kHydra = {{"PMI_RANK", "2"},
                          {"PMI_SIZE", "6"},
                          {"MPI_LOCALRANKID", "0"},
                          {"MPI_LOCALNRANKS", "3"},
                          {"MASTER_PORT", "1234"}};

struct Place {
  std::string name;
  Variables variables;
  std::vector<std::int64_t> place;  // rank, ranks, local_rank, local_ranks
  std::string source;
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

class Places : public testing::TestWithParam<Place> {};

TEST_P(Places, AreRead) {
  const LaunchEnvironment found = read(GetParam().variables);
  EXPECT_EQ((std::vector{found.rank, found.ranks, found.local_rank, found.local_ranks}),
            GetParam().place);
  EXPECT_THAT(found.source, HasSubstr(GetParam().source));
  EXPECT_EQ(found.rendezvous.empty(), found.ranks == 1) << found.rendezvous;
  EXPECT_THAT(found.rendezvous, testing::MatchesRegex("[-a-z0-9]*"));
  EXPECT_EQ(found.threads, 0);
  EXPECT_FALSE(found.timeout.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Launchers, Places,
    testing::Values(
        Place{"nothing", {}, {0, 1, 0, 1}, "none"},
        Place{"empty", {{"RANK", ""}, {"WORLD_SIZE", ""}}, {0, 1, 0, 1}, "none"},
        Place{"world_of_one", {{"RANK", "0"}, {"WORLD_SIZE", "1"}}, {0, 1, 0, 1}, "torchrun"},
        Place{"torchrun", kTorchrun, {5, 8, 1, 4}, "torchrun"},
        Place{"one_host",
              {{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_PORT", "1"}},
              {1, 3, 1, 3},
              "torchrun"},
        Place{"one_rank_a_host",
              with(kTorchrun, {{"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"}}),
              {5, 8, 0, 1},
              "torchrun"},
        Place{"openmpi", kOpenMpi, {3, 4, 1, 2}, "OpenMPI"},
        Place{"slurm", kSlurm, {7, 8, 1, 2}, "SLURM"},
        Place{"slurm_uneven",
              with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "3,1(x2),3"}}),
              {7, 8, 1, 3},
              "SLURM"},
        Place{"slurm_one_node",
              {{"SLURM_PROCID", "1"},
               {"SLURM_LOCALID", "1"},
               {"SLURM_STEP_ID", "2"},
               {"SLURM_JOB_ID", "1"},
               {"SLURM_NTASKS", "2"},
               {"SLURM_NTASKS_PER_NODE", "2"}},
              {1, 2, 1, 2},
              "SLURM"},
        // In a batch script or a shell of salloc there is no step, or a step of SLURM's own.
        Place{"slurm_batch",
              {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "1"}},
              {0, 1, 0, 1},
              "none"},
        Place{
            "slurm_salloc", with(kSlurm, {{"SLURM_STEP_ID", "4294967290"}}), {0, 1, 0, 1}, "none"},
        Place{"mpich", kHydra, {2, 6, 0, 3}, "MPICH"},
        Place{"mpich_without_local",
              {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"TUTTI_RENDEZVOUS", "a"}},
              {1, 2, 1, 2},
              "MPICH"},
        // The nearest launcher counts: mpirun and torchrun may run inside a SLURM step.
        Place{"torchrun_in_slurm", with(kTorchrun, kSlurm), {5, 8, 1, 4}, "torchrun"},
        Place{"torchrun_in_openmpi", with(kTorchrun, kOpenMpi), {5, 8, 1, 4}, "torchrun"},
        Place{"openmpi_in_slurm", with(kOpenMpi, kSlurm), {3, 4, 1, 2}, "OpenMPI"},
        Place{"hydra_in_slurm", with(kHydra, kSlurm), {2, 6, 0, 3}, "MPICH"},
        Place{"slurm_with_pmi",
              with(kSlurm, {{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}}),
              {7, 8, 1, 2},
              "SLURM"}),
    [](const auto& row) { return row.param.name; });

TEST(LaunchEnvironment, RendezvousIsSharedWithinAJobOnly) {
  const auto name = [](const Variables& variables) { return read(variables).rendezvous; };
  EXPECT_EQ(name(kTorchrun), name(with(kTorchrun, {{"RANK", "6"}, {"LOCAL_RANK", "2"}})));
  EXPECT_EQ(
      name(kOpenMpi),
      name(with(kOpenMpi, {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}})));
  EXPECT_EQ(name(kSlurm), name(with(kSlurm, {{"SLURM_PROCID", "6"}, {"SLURM_LOCALID", "0"}})));
  const std::vector<Variables> jobs = {
      kTorchrun,
      with(kTorchrun, {{"MASTER_PORT", "29501"}}),
      with(kTorchrun, {{"MASTER_ADDR", "10.0.0.2"}}),
      with(kTorchrun, {{"TORCHELASTIC_RUN_ID", "other"}}),
      with(kTorchrun, {{"TORCHELASTIC_RESTART_COUNT", "1"}}),
      kOpenMpi,
      with(kOpenMpi, {{"PMIX_NAMESPACE", "prterun-host-78@1"}}),
      with(kOpenMpi, {{"OMPI_MCA_ess_base_jobid", "12"}}),
      kSlurm,
      with(kSlurm, {{"SLURM_JOB_ID", "4712"}}),
      with(kSlurm, {{"SLURM_STEP_ID", "1"}}),
      with(kSlurm, {{"SLURM_RESTART_COUNT", "1"}}),
      kHydra,
  };
  std::set<std::string> names;
  for (const Variables& job : jobs) {
    EXPECT_TRUE(names.insert(name(job)).second) << testing::PrintToString(job);
  }
  EXPECT_EQ(name(with(kSlurm, {{"TUTTI_RENDEZVOUS", "My_job-1"}})), "My_job-1");
}

TEST(LaunchEnvironment, ThreadsAndTimeout) {
  EXPECT_EQ(read({{"TUTTI_THREADS", "3"}}).threads, 3);
  EXPECT_EQ(read({{"TUTTI_TIMEOUT", "30"}}).timeout, milliseconds(30'000));
  EXPECT_EQ(read({{"TUTTI_TIMEOUT", "0.25"}}).timeout, milliseconds(250));
}

TEST(LaunchEnvironment, TheProcesssOwnIsTheStandard) {
  ::setenv("TUTTI_THREADS", "7", 1);
  const int threads = read_launch_environment().threads;
  ::unsetenv("TUTTI_THREADS");
  EXPECT_EQ(threads, 7);
}

struct Mistake {
  std::string name;
  Variables variables;
  std::vector<std::string> message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class LaunchMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(LaunchMistakes, AreRefused) {
  try {
    read(GetParam().variables);
    ADD_FAILURE() << "accepted";
  } catch (const EnvironmentError& error) {
    for (const std::string& part : GetParam().message) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variables, LaunchMistakes,
    testing::Values(
        Mistake{"rank_alone", {{"RANK", "0"}}, {"RANK is set but WORLD_SIZE is not"}},
        Mistake{"size_alone", {{"WORLD_SIZE", "2"}}, {"WORLD_SIZE is set but RANK is not"}},
        Mistake{"openmpi_rank_alone",
                {{"OMPI_COMM_WORLD_RANK", "0"}},
                {"OMPI_COMM_WORLD_RANK is set but OMPI_COMM_WORLD_SIZE is not"}},
        Mistake{"slurm_without_tasks",
                {{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}},
                {"SLURM_PROCID is set but SLURM_STEP_NUM_TASKS is not"}},
        Mistake{"no_number",
                with(kTorchrun, {{"WORLD_SIZE", "two"}}),
                {"WORLD_SIZE is \"two\"", "whole number from 1"}},
        Mistake{"trailing", with(kTorchrun, {{"RANK", "1x"}}), {"RANK is \"1x\""}},
        Mistake{"negative", with(kTorchrun, {{"RANK", "-1"}}), {"RANK is \"-1\"", "from 0"}},
        Mistake{"huge",
                with(kTorchrun, {{"WORLD_SIZE", "99999999999999999999"}}),
                {"WORLD_SIZE is \"99999999999999999999\""}},
        Mistake{"no_ranks", {{"RANK", "0"}, {"WORLD_SIZE", "0"}}, {"WORLD_SIZE is \"0\""}},
        Mistake{"past_the_end",
                with(kTorchrun, {{"RANK", "8"}}),
                {"RANK is 8 of WORLD_SIZE 8", "0 to WORLD_SIZE - 1"}},
        Mistake{"more_here_than_anywhere",
                with(kTorchrun, {{"LOCAL_WORLD_SIZE", "9"}}),
                {"LOCAL_WORLD_SIZE is \"9\"", "WORLD_SIZE 8"}},
        Mistake{"local_past_the_end",
                with(kTorchrun, {{"LOCAL_RANK", "4"}}),
                {"LOCAL_RANK is \"4\"", "4 ranks on this host", "from 0 to 3"}},
        Mistake{"local_missing",
                with(kTorchrun, {{"LOCAL_RANK", ""}}),
                {"LOCAL_RANK is not set", "LOCAL_WORLD_SIZE 4", "RANK 5"}},
        Mistake{"local_differs_on_one_host",
                with(kTorchrun, {{"LOCAL_WORLD_SIZE", "8"}}),
                {"LOCAL_RANK is \"1\"", "must be RANK, 5"}},
        Mistake{"no_job",
                {{"RANK", "0"}, {"WORLD_SIZE", "2"}},
                {"torchrun", "not of which job", "MASTER_PORT", "TUTTI_RENDEZVOUS"}},
        Mistake{"no_job_of_mpich",
                {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}},
                {"MPICH", "MASTER_PORT", "TUTTI_RENDEZVOUS"}},
        Mistake{"bad_name",
                with(kTorchrun, {{"TUTTI_RENDEZVOUS", "a/b"}}),
                {"TUTTI_RENDEZVOUS is \"a/b\"", "letters"}},
        Mistake{"long_name",
                with(kTorchrun, {{"TUTTI_RENDEZVOUS", std::string(65, 'a')}}),
                {"at most 64"}},
        Mistake{"slurm_list",
                with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "2(y4)"}}),
                {"SLURM_STEP_TASKS_PER_NODE is \"2(y4)\"", "4,2(x3)"}},
        Mistake{"slurm_list_of_nothing",
                with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "2(x0)"}}),
                {"SLURM_STEP_TASKS_PER_NODE"}},
        Mistake{"slurm_short_list",
                with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "2(x3)"}}),
                {"covers node 3, SLURM_NODEID"}},
        Mistake{"threads", {{"TUTTI_THREADS", "0"}}, {"TUTTI_THREADS is \"0\"", "from 1"}},
        Mistake{"timeout_of_nothing", {{"TUTTI_TIMEOUT", "0"}}, {"TUTTI_TIMEOUT is \"0\""}},
        Mistake{
            "timeout_word", {{"TUTTI_TIMEOUT", "1min"}}, {"TUTTI_TIMEOUT is \"1min\"", "seconds"}},
        Mistake{"timeout_nan", {{"TUTTI_TIMEOUT", "nan"}}, {"TUTTI_TIMEOUT is \"nan\""}},
        Mistake{"timeout_forever", {{"TUTTI_TIMEOUT", "inf"}}, {"TUTTI_TIMEOUT is \"inf\""}}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tutti::runtime::launch_environment_test
