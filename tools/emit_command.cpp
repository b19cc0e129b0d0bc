#include "tools/emit_command.h"

#include <iostream>
#include <memory>

#include "tools/emit.h"
#include "tools/program_inputs.h"

namespace tutti::tools {

void add_emit(CLI::App& app) {
  auto options = std::make_shared<EmitOptions>();
  CLI::App* const command = app.add_subcommand(
      "emit", "Prints what a stage of the compiler makes of a program, with no data and no GPU");
  command->add_option("FILE", options->file, "The program; -: standard input")
      ->required()
      ->option_text("FILE");
  std::string names;
  for (const std::string& stage : emit_stages()) names += (names.empty() ? "" : ", ") + stage;
  command
      ->add_option("--stage", options->stage,
                   "One of " + names + "; the name of a pass is the program after it")
      ->required()
      ->check(CLI::IsMember(emit_stages()))
      ->option_text("STAGE");
  command
      ->add_option("--arch", options->target,
                   "The GPU that ptx is for; without it, " + options->target)
      ->option_text("sm_NN");
  command->add_option("--rank", options->rank, "The rank that it is compiled for; without it, 0")
      ->check(CLI::Range(std::int64_t{0}, kMostRanks - 1))
      ->option_text("R");
  command->add_option("--function", options->function, "The function, if the file has several")
      ->option_text("NAME");
  command->add_option("-o,--output", options->output, "Where it goes; without it, it is printed")
      ->option_text("FILE");
  command->callback([options] { emit(*options, std::cout); });
}

}  // namespace tutti::tools
