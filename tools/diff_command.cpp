#include "tools/diff_command.h"

#include <tutti/ir/support/error.h>

#include <iostream>
#include <string>
#include <vector>

#include "tools/diff.h"
#include "tools/diff_programs.h"

namespace tutti::tools {

std::shared_ptr<bool> add_diff(CLI::App& app) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto function = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  auto failed = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "diff",
      "Tells how two programs differ, or whether those of all ranks fit together; exit code 1 if "
      "they differ or do not fit");
  CLI::Option* const programs =
      command->add_option("files", *files, "Two programs; -: standard input")
          ->expected(2)
          ->option_text("A B");
  CLI::Option* const of_programs =
      command->add_option("--function", *function, "Compare this function alone")
          ->option_text("NAME");
  command
      ->add_option("--ranks", *folder,
                   "Instead of two programs: a folder with a file for each rank, rank0.tutti, "
                   "rank1.tutti, ..., or with a folder for each, as TUTTI_DUMP=trace makes them")
      ->excludes(programs)
      ->excludes(of_programs)
      ->option_text("DIR");
  command->callback([files, function, folder, failed] {
    if (!folder->empty()) {
      *failed = !diff_ranks(*folder, std::cout);
    } else if (files->size() == 2) {
      *failed = !diff_programs((*files)[0], (*files)[1], *function, std::cout);
    } else {
      throw UsageError("tutti diff takes two programs, A and B, or --ranks DIR");
    }
  });
  return failed;
}

}  // namespace tutti::tools
