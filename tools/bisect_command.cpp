#include "tools/bisect_command.h"

#include <iostream>

#include "tools/bisect.h"
#include "tools/command_help.h"
#include "tools/option_checks.h"
#include "tools/program_inputs.h"
#include "tools/terminal.h"
#include <unistd.h>

namespace tutti::tools {

std::shared_ptr<bool> add_bisect(CLI::App& app) {
  auto options = std::make_shared<BisectOptions>();
  auto found = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "bisect",
      "Finds the first pass after which a program computes something else; exit code 1 if there is "
      "one");
  command->add_option("FILE", options->file, "The program; -: standard input")
      ->required()
      ->option_text("FILE");
  CLI::Option* const input =
      command
          ->add_option("--input", options->inputs,
                       "NAME=FILE.npy: an argument, the same on all ranks unless FILE holds "
                       "{rank}; or a folder, as for `tutti run`")
          ->allow_extra_args(false)
          ->option_text("NAME=FILE");
  command
      ->add_option("--random", options->seed,
                   "Random arguments from this seed; without it and --input, from seed 0")
      ->excludes(input)
      ->check(seed())
      ->option_text("SEED");
  command->add_option("--function", options->function, "The function, if the file has several")
      ->option_text("NAME");
  command->add_option("-n,--ranks", options->ranks, "How many ranks, if the program does not say")
      ->check(CLI::Range(std::int64_t{1}, kMostRanks))
      ->option_text("N");
  add_pass_options(*command, options->passes);
  command
      ->add_option("--tolerance", options->tolerance,
                   "By how much of their largest magnitude floating-point results may differ; "
                   "without it by a few last bits, with --compiled by some more")
      ->check(at_least_zero())
      ->option_text("X");
  command->add_flag("--compiled", options->compiled,
                    "If no pass is to blame, compare what is compiled for the host, too, and find "
                    "the kernel");
  add_examples(
      *command,
      {"tutti bisect step.tutti --random 7", "tutti bisect step.tutti --input x=x.npy --compiled"},
      "if a pass (or a kernel) is to blame");
  command->callback([options, found] {
    options->colours = has_colours(STDOUT_FILENO);
    *found = !bisect(*options, std::cout);
  });
  return found;
}

}  // namespace tutti::tools
