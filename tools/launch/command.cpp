#include "tools/launch/command.h"

#include <tutti/runtime/comm/launch_environment.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "tools/launch/program.h"
#include "tools/launch/segment_observer.h"
#include "tools/launch/trace_of_ranks.h"

namespace tutti::tools {

namespace {

constexpr const char* kMark = "--";

}  // namespace

LaunchCommand::LaunchCommand(CLI::App& app, int argc, char** argv)
    : command_(app.add_subcommand("launch", "Starts a program as several ranks on this host")),
      parsed_arguments_(argc) {
  command_->footer(
      "Behind the options: PROGRAM ARGUMENTS..., or -- PROGRAM ARGUMENTS...\n"
      "The exit code is that of the rank that failed first; 128 and the signal's number if one "
      "ended it.");
  command_->add_option("-n,--ranks", options_.ranks, "How many ranks")
      ->check(CLI::Range(std::size_t{1}, kMostProcesses))
      ->option_text("N");
  command_
      ->add_option("--threads", options_.threads,
                   "Threads of each rank; without it, TUTTI_THREADS or its share of the cores")
      ->check(CLI::Range(1, runtime::kMostThreads))
      ->option_text("N");
  command_
      ->add_option("--timeout", options_.timeout,
                   "How long a rank waits for the others in a collective, such as 30 or 0.5")
      ->check(CLI::Range(runtime::kShortestTimeout, runtime::kLongestTimeout))
      ->option_text("SECONDS");
  command_->add_flag("--no-prefix", no_prefix_, "Print lines without the rank in front of them");
  command_
      ->add_option("--record", options_.record,
                   "Where the last collectives of all ranks are written after a failure, for tutti "
                   "diagnose")
      ->option_text("FILE");
  command_
      ->add_option("--profile", options_.profile,
                   "Where a trace of all ranks is written, for ui.perfetto.dev and tutti profile; "
                   "without it, what TUTTI_PROFILE says")
      ->option_text("FILE");
  command_->prefix_command();
  command_->callback([this] { run(); });
  if (argc > 1 && std::string_view(argv[1]) == command_->get_name()) {
    char** const mark = std::find(argv, argv + argc, std::string_view(kMark));
    parsed_arguments_ = static_cast<int>(mark - argv);
    behind_.assign(mark, argv + argc);
  }
}

void LaunchCommand::run() {
  options_.prefix = !no_prefix_;
  options_.program = command_->remaining();
  // A program before the "--" has it for an argument.
  const bool has_program = !options_.program.empty();
  if (has_program && options_.program[0].starts_with('-')) {
    throw UsageError("tutti launch: unknown option " + options_.program[0] +
                     "; tutti launch --help lists them");
  }
  if (!behind_.empty()) {
    options_.program.insert(options_.program.end(), behind_.begin() + (has_program ? 0 : 1),
                            behind_.end());
  }
  if (options_.program.empty()) {
    throw UsageError("tutti launch: no program; write tutti launch -n N -- PROGRAM ARGUMENTS...");
  }
  if (options_.ranks == 0) {
    throw UsageError(
        "tutti launch: how many ranks? Write tutti launch -n N -- PROGRAM ARGUMENTS...; what "
        "stands "
        "behind the program's name is for the program");
  }
  try {
    const TraceOfRanks trace(options_);
    SegmentObserver observer(options_.ranks, options_.record);
    exit_code_ = launch(options_, &observer);
    std::cerr << trace.merge();
  } catch (const ProgramError& error) {
    std::cerr << "tutti launch: " << error.what() << "\n";
    exit_code_ = error.exit_code();
  } catch (const EnvironmentError& error) {
    throw EnvironmentError("tutti launch: " + std::string(error.what()));
  }
}

}  // namespace tutti::tools
