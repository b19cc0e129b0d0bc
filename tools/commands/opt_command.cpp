#include "tools/commands/opt_command.h"

#include <iostream>
#include <memory>

#include "tools/commands/command_help.h"
#include "tools/launch/terminal.h"
#include "tools/opt.h"
#include "tools/program_inputs.h"
#include <unistd.h>

namespace tutti::tools {

void add_opt(CLI::App& app) {
  auto options = std::make_shared<OptOptions>();
  auto list = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "opt",
      "Runs passes of the compiler over a .tutti file, checks the program after each, and prints "
      "what comes of it");
  command->add_option("FILE", options->file, "The program; -: standard input")->option_text("FILE");
  add_pass_options(*command, options->passes);
  command->add_flag("--list", *list, "List the passes and what they do");
  command
      ->add_option("--stop-after", options->stop_after,
                   "Leave out the passes after the first run of this one")
      ->option_text("PASS");
  command
      ->add_option("--function", options->function,
                   "Only this function; the others stay as they are")
      ->option_text("NAME");
  command
      ->add_option("-n,--ranks", options->ranks,
                   "Check that the program fits on so many ranks, as `tutti diff` does, before the "
                   "passes and after each")
      ->check(CLI::Range(std::int64_t{1}, kMostRanks))
      ->option_text("N");
  CLI::Option* const output = command
                                  ->add_option("-o,--output", options->output,
                                               "Where the program goes; without it, it is printed")
                                  ->option_text("FILE");
  command->add_flag("--no-output", options->no_output, "Don't print the program")->excludes(output);
  command->add_flag("--verify-each,!--no-verify-each", options->verify_each,
                    "Check the program after each pass that changed it, which is done anyway; "
                    "--no-verify-each leaves it out, to see what a wrong pass makes");
  command->add_flag(
      "--print-changed", options->print_changed,
      "Show on standard error what each pass changed, as a difference of texts in which "
      "values keep their names");
  command->add_flag("--print-after-all", options->print_after_all,
                    "Print the program on standard error after each pass that changed it");
  command->add_flag("--time-passes", options->time_passes,
                    "Show on standard error how long each pass took and how many nodes it left");
  add_examples(*command, {"tutti opt step.tutti --print-changed --no-output",
                          "tutti opt step.tutti --pass decompose,cse,dce -o small.tutti",
                          "tutti opt step.tutti --ranks 4 --time-passes --stop-after cse",
                          "tutti opt --list"});
  command->callback([options, list] {
    if (*list) {
      list_passes(std::cout);
      return;
    }
    if (options->file.empty()) throw CLI::RequiredError("FILE");
    options->colours = has_colours(STDERR_FILENO);
    optimize(*options, std::cout, std::cerr);
  });
}

}  // namespace tutti::tools
