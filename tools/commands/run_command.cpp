#include "tools/commands/run_command.h"

#include <tutti/ir/support/error.h>

#include <cstdint>
#include <string>

#include "tools/commands/command_help.h"
#include "tools/option_checks.h"
#include "tools/program_inputs.h"
#include "tools/run.h"

namespace tutti::tools {

namespace {

constexpr int kMostRuns = 1'000'000;

void add_data(CLI::App& command, const std::shared_ptr<RunOptions>& options) {
  CLI::Option* const input =
      command
          .add_option("--input", options->inputs,
                      "NAME=FILE.npy: an argument, the same on all ranks unless FILE holds {rank}; "
                      "or a folder with NAME.npy and rankR/NAME.npy, or a FILE.npz with arrays of "
                      "these names, for the arguments not given so")
          ->option_text("NAME=FILE|DIR|FILE.npz");
  CLI::Option* const random =
      command
          .add_option("--random", options->random,
                      "Random arguments: normal floats, small integers from 0 on; the same for the "
                      "same SEED")
          ->excludes(input)
          ->check(seed())
          ->option_text("SEED");
  command
      .add_option("--size", options->sizes,
                  "A size that varies, for --random: n=7; without it the largest")
      ->delimiter(',')
      ->needs(random)
      ->option_text("NAME=N,...");
  command
      .add_option("-o,--output", options->output,
                  "Where results go: a folder, as 0.npy, 1.npy, ..., with several ranks as "
                  "rankR/0.npy, ...; or a FILE.npz with arrays of these names; without it they "
                  "are printed")
      ->option_text("DIR|FILE.npz");
  CLI::Option* const expect =
      command
          .add_option("--expect", options->expect,
                      "Compare the results with those in a folder or .npz file, as --output writes "
                      "them or without rankR for all ranks; exit code 1 if they differ")
          ->option_text("DIR|FILE.npz");
  command
      .add_option("--tolerance", options->tolerance,
                  "How far floats may be from the expected ones: so much, or so much times their "
                  "magnitude if that is above 1; without it, 1e-5")
      ->check(at_least_zero())
      ->needs(expect)
      ->option_text("T");
}

}  // namespace

std::shared_ptr<bool> add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  auto on = std::make_shared<std::string>("host");
  auto interpret = std::make_shared<bool>(false);
  auto failed = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand("run", "Runs a function of a .tutti file");
  command->add_option("FILE", options->file, "The program; -: standard input")
      ->required()
      ->option_text("FILE");
  command->add_option("--function", options->function, "The function, if the file has several")
      ->option_text("NAME");
  command->add_option("-n,--ranks", options->ranks, "How many ranks, if the program does not say")
      ->check(CLI::Range(std::int64_t{1}, kMostRanks))
      ->option_text("N");
  add_data(*command, options);
  CLI::Option* const where =
      command
          ->add_option(
              "--on", *on,
              "What runs it. host: compiled for the host, and for the GPUs that types "
              "name; device: compiled for a GPU, where types name none: rank R's is GPU R, "
              "modulo their number; interpreter: the reference interpreter, with no "
              "compiler; without it, host")
          ->check(CLI::IsMember({"host", "device", "interpreter"}))
          ->option_text("host|device|interpreter");
  CLI::Option* const reference =
      command->add_flag("--interpret", *interpret, "The same as --on interpreter");
  reference->excludes(where);
  CLI::Option* const compile_only =
      command->add_flag("--compile-only", options->compile_only,
                        "Compile for every rank and run nothing; no arguments are needed");
  command
      ->add_flag("--processes", options->processes,
                 "Each rank is a process, which share memory; without it, a thread")
      ->excludes(compile_only);
  CLI::Option* const bench =
      command
          ->add_flag("--bench", options->bench,
                     "Print how long a run takes instead of the results: the median, the shortest "
                     "and the longest, after a warm-up")
          ->excludes(compile_only);
  command
      ->add_flag("--memory", options->memory,
                 "Print what memory each rank used, too: how much, when it was most, and the "
                 "largest values with their lines")
      ->excludes(compile_only);
  command
      ->add_option("--runs", options->timed_runs,
                   "How many runs --bench takes the time of; without it, " +
                       std::to_string(options->timed_runs))
      ->check(CLI::Range(1, kMostRuns))
      ->needs(bench)
      ->option_text("N");
  command
      ->add_option("--disable", options->disabled,
                   "Passes of the compiler to leave out, beside those of TUTTI_DISABLE")
      ->delimiter(',')
      ->option_text("PASS,...");
  command
      ->add_option("--set", options->tunables,
                   "Tunables of the compiler, as in TUTTI_SET; `tutti help env` lists them")
      ->delimiter(',')
      ->option_text("NAME=VALUE,...");
  command->add_option("--as-rank", options->as_rank)->group("");  // of --processes, for itself
  add_examples(*command,
               {"tutti run step.tutti --random 7",
                "tutti run step.tutti --input x=x.npy --input y=y{rank}.npy -n 2 -o results",
                "tutti run step.tutti --random 7 --on interpreter --expect results",
                "tutti run step.tutti --random 7 --processes --bench --runs 100"},
               "if the results are not those of --expect");
  command->callback([options, on, interpret, failed] {
    if (*interpret || *on == "interpreter") options->mode = RunMode::interpreter;
    if (options->mode == RunMode::interpreter) {
      const char* const other = options->bench          ? "--bench"
                                : options->processes    ? "--processes"
                                : options->compile_only ? "--compile-only"
                                : options->memory       ? "--memory"
                                                        : nullptr;
      if (other != nullptr) {
        throw UsageError(std::string(other) + " is of the compiler; --on interpreter has none");
      }
    }
    options->on_gpus = *on == "device";
    *failed = !run(*options);
  });
  return failed;
}

}  // namespace tutti::tools
