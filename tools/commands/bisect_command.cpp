#include "tools/commands/bisect_command.h"

#include <tutti/ir/support/error.h>

#include <charconv>
#include <iostream>
#include <string>

#include "tools/bisect.h"
#include "tools/commands/command_help.h"
#include "tools/launch/terminal.h"
#include "tools/option_checks.h"
#include "tools/program_inputs.h"
#include <unistd.h>

namespace tutti::tools {

namespace {

// How many ranks, or the folder with their programs.
void set_ranks(BisectOptions& options, const std::string& text) {
  if (text.find_first_not_of("0123456789") != text.npos) {
    options.folder = text;
    return;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.ranks);
  if (error == std::errc() && options.ranks >= 1 && options.ranks <= kMostRanks) return;
  throw UsageError("--ranks: there are 1 to " + std::to_string(kMostRanks) + " ranks, not " + text);
}

}  // namespace

std::shared_ptr<bool> add_bisect(CLI::App& app) {
  auto options = std::make_shared<BisectOptions>();
  auto found = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "bisect",
      "Finds the first pass after which a program computes something else; exit code 1 if there is "
      "one");
  auto ranks = std::make_shared<std::string>();
  command->add_option("FILE", options->file, "The program, one for all ranks; -: standard input")
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
  command->add_option("--function", options->function, "The function, if a file has several")
      ->option_text("NAME");
  command
      ->add_option("-n,--ranks", *ranks,
                   "How many ranks, if the program's groups don't say; or, instead of FILE, a "
                   "folder with a program for each rank, rank0.tutti, rank1.tutti, ..., or with a "
                   "folder for each, as TUTTI_DUMP=trace makes them")
      ->option_text("N|DIR");
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
      {"tutti bisect step.tutti --random 7", "tutti bisect step.tutti --input x=x.npy --compiled",
       "tutti bisect --ranks dump --random 7"},
      "if a pass (or a kernel) is to blame");
  command->callback([options, found, ranks] {
    if (!ranks->empty()) set_ranks(*options, *ranks);
    if (options->file.empty() && options->folder.empty())
      throw CLI::RequiredError("FILE, or --ranks DIR,");
    if (!options->file.empty() && !options->folder.empty()) {
      throw UsageError("tutti bisect takes a FILE or --ranks DIR, not both; '" + *ranks +
                       "' is no number of ranks");
    }
    options->colours = has_colours(STDOUT_FILENO);
    *found = !bisect(*options, std::cout);
  });
  return found;
}

}  // namespace tutti::tools
