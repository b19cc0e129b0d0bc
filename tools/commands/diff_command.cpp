#include "tools/commands/diff_command.h"

#include <tutti/ir/support/error.h>

#include <iostream>
#include <string>

#include "tools/commands/command_help.h"
#include "tools/diff.h"
#include "tools/diff_programs.h"

namespace tutti::tools {

std::shared_ptr<bool> add_diff(CLI::App& app) {
  auto a = std::make_shared<std::string>();
  auto b = std::make_shared<std::string>();
  auto function = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  auto failed = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "diff", "Tells how two programs differ, or whether those of all ranks fit together");
  CLI::Option* const first =
      command->add_option("A", *a, "A program; -: standard input")->option_text("FILE");
  CLI::Option* const second =
      command->add_option("B", *b, "The program to compare it with")->option_text("FILE");
  CLI::Option* const of_programs =
      command->add_option("--function", *function, "Compare this function alone")
          ->option_text("NAME");
  command
      ->add_option("--ranks", *folder,
                   "Instead of two programs: a folder with a file for each rank, rank0.tutti, "
                   "rank1.tutti, ..., or with a folder for each, as TUTTI_DUMP=trace makes them")
      ->excludes(first)
      ->excludes(second)
      ->excludes(of_programs)
      ->option_text("DIR");
  add_examples(
      *command,
      {"tutti diff before.tutti after.tutti",
       "tutti opt step.tutti --pass dce | tutti diff - step.tutti", "tutti diff --ranks dump"},
      "if the programs differ or do not fit together");
  command->callback([a, b, function, folder, failed] {
    if (!folder->empty()) {
      *failed = !diff_ranks(*folder, std::cout);
    } else if (!b->empty()) {
      *failed = !diff_programs(*a, *b, *function, std::cout);
    } else {
      throw UsageError("tutti diff takes two programs, A and B, or --ranks DIR");
    }
  });
  return failed;
}

}  // namespace tutti::tools
