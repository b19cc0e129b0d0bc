// Ranks that somebody else's launcher starts. OpenMPI's is the real one, where it is installed;
// torchrun and srun are stand-ins, since the real ones come with PyTorch and a cluster: scripts
// that set what their manuals say, for one host.

#include "tests/processes/job.h"
#include "tests/support/skip.h"
#include <unistd.h>

namespace tutti::test::launchers_test {
namespace {

// Starts the program after the number of ranks, and waits for all; ends with what one failed with.
constexpr const char* kStart =
    "n=$1; shift; pids=; i=0\n"
    "while [ $i -lt $n ]; do set_rank $i; \"$@\" & pids=\"$pids $!\"; i=$((i + 1)); done\n"
    "status=0; for p in $pids; do wait $p || status=$?; done; exit $status\n";

class OtherLaunchers : public Job {
 protected:
  static std::string program() { return TUTTI_BINARY_DIR "/bin/processes_program"; }

  // A launcher from a script with a function set_rank; the job has this test's number.
  CommandResult run_by_script(const std::string& script, const Words& scenario) const {
    const std::string all = "job=" + std::to_string(getpid()) + "\n" + script + kStart;
    Words command = {"/bin/sh", folder_.write("launcher", all), "3", program()};
    command.insert(command.end(), scenario.begin(), scenario.end());
    return run_command(command);
  }

  static void expect_all_three(const CommandResult& result) {
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(sorted_lines(result.output),
              Words({"rank 0 of 3, sum 3", "rank 1 of 3, sum 3", "rank 2 of 3, sum 3"}));
  }
};

// https://pytorch.org/docs/stable/elastic/run.html, "Environment Variables"
constexpr const char* kTorchrun =
    "set_rank() {\n"
    "  export RANK=$1 LOCAL_RANK=$1 ROLE_RANK=$1 GROUP_RANK=0 ROLE_NAME=default\n"
    "  export WORLD_SIZE=$n LOCAL_WORLD_SIZE=$n ROLE_WORLD_SIZE=$n GROUP_WORLD_SIZE=1\n"
    "  export MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 OMP_NUM_THREADS=1\n"
    "  export TORCHELASTIC_RUN_ID=$job TORCHELASTIC_RESTART_COUNT=0\n"
    "  export TORCHELASTIC_MAX_RESTARTS=0 TORCHELASTIC_USE_AGENT_STORE=True\n"
    "}\n";

// man srun, "OUTPUT ENVIRONMENT VARIABLES"
constexpr const char* kSrun =
    "set_rank() {\n"
    "  export SLURM_JOB_ID=$job SLURM_STEP_ID=0 SLURM_NNODES=1 SLURM_NODEID=0\n"
    "  export SLURM_PROCID=$1 SLURM_LOCALID=$1 SLURM_NTASKS=$n SLURM_STEP_NUM_TASKS=$n\n"
    "  export SLURM_TASKS_PER_NODE=$n SLURM_STEP_TASKS_PER_NODE=$n\n"
    "}\n";

TEST_F(OtherLaunchers, AStandInForTorchrunStartsRanksThatFindEachOther) {
  expect_all_three(run_by_script(kTorchrun, {"names_itself"}));
}

TEST_F(OtherLaunchers, AStandInForSrunStartsRanksThatFindEachOther) {
  expect_all_three(run_by_script(kSrun, {"names_itself"}));
}

TEST_F(OtherLaunchers, MpirunOfOpenMpiStartsRanksThatFindEachOther) {
  if (run_command({"/bin/sh", "-c", "command -v mpirun"}).status != 0) {
    TUTTI_SKIP_FOR_WANT_OF("mpirun (package openmpi-bin) is not installed");
  }
  Words command = {"/usr/bin/env", "mpirun",      "--oversubscribe", "-n", "3",
                   program(),      "names_itself"};
  if (geteuid() == 0) command.insert(command.begin() + 2, "--allow-run-as-root");
  expect_all_three(run_command(command));
}

}  // namespace
}  // namespace tutti::test::launchers_test
