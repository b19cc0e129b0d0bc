#include "tools/commands/emit_command.h"

#include <tutti/ir/support/error.h>

#include <iostream>
#include <memory>

#include "tools/commands/command_help.h"
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
  auto on = std::make_shared<std::string>("host");
  command
      ->add_option("--on", *on,
                   "What it is compiled for where types name no GPU: host, or device, a GPU, which "
                   "need not be there; without it, host")
      ->check(CLI::IsMember({"host", "device"}))
      ->option_text("host|device");
  CLI::Option* const target =
      command
          ->add_option("--arch", options->target,
                       "The GPU that ptx is for; without it, " + options->target)
          ->check(CLI::Validator(
              [](const std::string& text) {
                return text.starts_with("sm_") ? "" : "'" + text + "' is none; write sm_90";
              },
              ""))
          ->option_text("sm_NN");
  command->add_option("--rank", options->rank, "The rank that it is compiled for; without it, 0")
      ->check(CLI::Range(std::int64_t{0}, kMostRanks - 1))
      ->option_text("R");
  command->add_option("--function", options->function, "The function, if the file has several")
      ->option_text("NAME");
  command->add_option("-o,--output", options->output, "Where it goes; without it, it is printed")
      ->option_text("FILE");
  add_examples(*command, {"tutti emit step.tutti --stage passes",
                          "tutti emit step.tutti --stage plan --rank 1",
                          "tutti emit step.tutti --stage ptx --on device --arch sm_90"});
  command->callback([options, on, target] {
    if (target->count() != 0 && options->stage != "ptx") {
      throw UsageError("--arch is for --stage ptx; '" + options->stage +
                       "' is for any GPU or none");
    }
    options->on_gpu = *on == "device";
    emit(*options, std::cout);
  });
}

}  // namespace tutti::tools
