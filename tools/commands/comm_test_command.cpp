#include "tools/commands/comm_test_command.h"

#include <string>

#include "tools/comm_test/comm_test.h"
#include "tools/commands/command_help.h"
#include "tools/launch/launch.h"

namespace tutti::tools {

namespace {

constexpr double kMostSeconds = 3600;

void add_what(CLI::App& command, const std::shared_ptr<CommTestOptions>& options) {
  std::string usual;
  for (const char* const size : kUsualSizes)
    usual += (usual.empty() ? "" : ", ") + std::string(size);
  command
      .add_option("--collectives", options->collectives,
                  "Which ones; without it, all_reduce, all_gather, reduce_scatter, all_to_all, "
                  "broadcast and send_recv (each rank to the next)")
      ->delimiter(',')
      ->option_text("NAME,...");
  command
      .add_option(
          "--sizes", options->sizes,
          "Sizes of the larger one of operand and result, in bytes or with K, M, G; a range "
          "goes up by factors of two; without it, " +
              usual)
      ->delimiter(',')
      ->option_text("SIZE|FROM..TO,...");
  command
      .add_option("--algorithms", options->algorithms,
                  "Over the host's memory: one_shot, two_shot; between GPUs nccl, windows (NCCL "
                  "in memory that it knows), and our kernels one_shot, two_shot, multimem; without "
                  "it, all that there are")
      ->delimiter(',')
      ->option_text("NAME,...");
  command.add_option("--dtype", options->dtype, "Of the elements; without it, " + options->dtype)
      ->option_text("DTYPE");
}

}  // namespace

std::shared_ptr<int> add_comm_test(CLI::App& app) {
  auto options = std::make_shared<CommTestOptions>();
  auto device = std::make_shared<std::string>("cpu");
  auto exit_code = std::make_shared<int>(0);
  CLI::App* const command = app.add_subcommand(
      "comm-test",
      "Tests collectives between processes of this host, and measures their bandwidth");
  command
      ->add_option("-n,--ranks", options->ranks,
                   "How many ranks; without it, those that a launcher has started, or else as many "
                   "as there are GPUs, and 2 on the host")
      ->check(CLI::Range(std::int64_t{1}, static_cast<std::int64_t>(kMostProcesses)))
      ->option_text("N");
  command->add_option("--device", *device, "Where the values lie; without it, cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->option_text("cpu|cuda");
  command
      ->add_option("--backends", options->backends,
                   "What carries them out, as TUTTI_BACKENDS says it: cpu:shm,cuda:nccl; without "
                   "it, what programs would use")
      ->option_text("BACKENDS");
  add_what(*command, options);
  command
      ->add_option("--seconds", options->seconds, "How long each line is measured; without it, 0.2")
      ->check(CLI::Range(0.0, kMostSeconds))
      ->option_text("SECONDS");
  command->add_flag("--json", options->json,
                    "A line of JSON for each; bandwidths in bytes a second");
  command->add_flag("--as-rank", options->as_rank)->group("");  // for itself
  add_examples(*command,
               {"tutti comm-test -n 4", "tutti comm-test -n 8 --device cuda --sizes 1K..1G",
                "tutti comm-test -n 2 --collectives all_reduce --dtype bf16 --json",
                "srun tutti comm-test --device cuda --backends cuda:nccl"},
               "if a result is wrong");
  command->callback([options, device, exit_code] {
    options->on_gpus = *device == "cuda";
    *exit_code = comm_test(*options);
  });
  return exit_code;
}

}  // namespace tutti::tools
