#include "tools/commands/reduce_command.h"

#include <tutti/ir/support/error.h>

#include <iostream>

#include "tools/commands/command_help.h"
#include "tools/reduce.h"

namespace tutti::tools {

std::shared_ptr<bool> add_reduce(CLI::App& app) {
  auto options = std::make_shared<ReduceOptions>();
  auto seconds = std::make_shared<double>(60);
  auto interrupted = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "reduce", "Finds the smallest program for which a command still exits with 0");
  CLI::Option* const file =
      command->add_option("FILE", options->file, "The program; -: standard input")
          ->option_text("FILE");
  command
      ->add_option(
          "--ranks", options->ranks,
          "Instead of FILE: a folder with a program for each rank, rank0.tutti, rank1.tutti, "
          "..., or with a folder for each, as TUTTI_DUMP=trace makes them")
      ->excludes(file)
      ->option_text("DIR");
  command
      ->add_option("--check", options->check,
                   "The command, for the shell. The name of the program to look at (of the folder, "
                   "with --ranks) stands in it for {}, or else at its end")
      ->required()
      ->option_text("COMMAND");
  command
      ->add_option("-o,--output", options->output,
                   "Where the smallest program goes; without it to FILE.reduced.tutti, or "
                   "DIR.reduced")
      ->option_text("FILE");
  command
      ->add_option(
          "--timeout", *seconds,
          "How many seconds a command may take, 60 if nothing is said; one that takes longer "
          "counts as failed")
      ->check(CLI::Range(0.001, 1e6))
      ->option_text("SECONDS");
  add_examples(*command,
               {"tutti reduce step.tutti --check 'tutti emit {} --stage plan | grep -q softmax'",
                "tutti reduce step.tutti --check '! tutti bisect {} --random 1' -o small.tutti"},
               "if it was interrupted");
  command->callback([options, seconds, interrupted] {
    if (options->file.empty() && options->ranks.empty())
      throw CLI::RequiredError("FILE, or --ranks DIR,");
    if (options->check.empty()) throw UsageError("--check: the command is empty");
    options->most_time = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
    *interrupted = !reduce(*options, std::cout);
  });
  return interrupted;
}

}  // namespace tutti::tools
