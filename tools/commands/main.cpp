// The `tutti` command. Exit codes: 0, 1 for an error in files or programs and for something found,
// 2 for wrong usage; that of the ranks from `launch`. docs/tutti.md tells users.

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/cache.h"
#include "tools/commands/bisect_command.h"
#include "tools/commands/comm_test_command.h"
#include "tools/commands/completion_command.h"
#include "tools/commands/diff_command.h"
#include "tools/commands/emit_command.h"
#include "tools/commands/export_command.h"
#include "tools/commands/import_command.h"
#include "tools/commands/opt_command.h"
#include "tools/commands/reduce_command.h"
#include "tools/commands/run_command.h"
#include "tools/commands/show_command.h"
#include "tools/describe_settings.h"
#include "tools/diagnose.h"
#include "tools/doctor.h"
#include "tools/launch/command.h"
#include "tools/launch/file_handle.h"
#include "tools/ops.h"
#include "tools/profile.h"
#include "tools/usage_message.h"
#include <CLI/CLI.hpp>

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void add_diagnose(CLI::App& app) {
  auto options = std::make_shared<tutti::tools::DiagnoseOptions>();
  CLI::App* const command = app.add_subcommand(
      "diagnose", "Tells what the ranks of a job did last, who differs and who waits for whom");
  command
      ->add_option("SOURCE", options->sources,
                   "The process number of a rank or launcher that runs, or files that `tutti "
                   "launch --record` or TUTTI_FLIGHT_RECORDER wrote")
      ->required()
      ->option_text("PROCESS|FILE...");
  command
      ->add_option(
          "--last", options->most,
          "How many collectives of each rank to show; without it, " + std::to_string(options->most))
      ->option_text("N");
  command->callback([options] { tutti::tools::diagnose(*options); });
}

void add_profile(CLI::App& app) {
  auto options = std::make_shared<tutti::tools::ProfileOptions>();
  CLI::App* const command = app.add_subcommand(
      "profile", "Sums a trace up: kernels by time, computation and communication");
  command->add_option("FILE", options->file, "What TUTTI_PROFILE or launch --profile wrote")
      ->required()
      ->option_text("FILE");
  command
      ->add_option("--most", options->most,
                   "How many kernels to show; 0: all; without it, " + std::to_string(options->most))
      ->option_text("N");
  command->callback([options] { tutti::tools::profile(*options); });
}

void add_ops(CLI::App& app) {
  using tutti::tools::OpsFormat;
  auto options = std::make_shared<tutti::tools::OpsOptions>();
  auto markdown = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "ops", "Lists the ops of programs: operands, attributes, dtypes, meaning, gradient");
  command->add_option("NAME", options->names, "Only these")->option_text("NAME...");
  CLI::Option* const as_markdown = command->add_flag("--md", *markdown, "As a page of Markdown");
  command->add_flag("--json", *json, "As JSON")->excludes(as_markdown);
  command->callback([options, markdown, json] {
    options->format = *markdown ? OpsFormat::markdown : *json ? OpsFormat::json : OpsFormat::text;
    tutti::tools::list_ops(*options, std::cout);
  });
}

void add_doctor(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "doctor", "Lists what Tutti finds on this machine, and what does not work without the rest");
  command->add_flag("--json", *json, "As JSON");
  command->callback([json] { tutti::tools::doctor(*json); });
}

void add_help(CLI::App& app) {
  auto topic = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "help", "Explains a command, or `env`: the environment variables and their values");
  command->add_option("TOPIC", *topic, "A command, or env")->option_text("TOPIC");
  command->callback([&app, topic] {
    if (*topic == "env") {
      std::cout << tutti::tools::describe_settings(
          [](const char* name) { return std::getenv(name); });
      return;
    }
    std::vector<std::string_view> names;
    for (const CLI::App* const known : app.get_subcommands({})) {
      names.push_back(known->get_name());
      if (known->get_name() == *topic) {
        std::cout << known->help(app.get_name());
        return;
      }
    }
    names.emplace_back("env");
    if (!topic->empty()) {
      throw tutti::UsageError("there is no help on '" + *topic + "'" +
                              tutti::ir::suggestion(*topic, names));
    }
    // app.help() would be that of this subcommand.
    std::cout << app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  });
}

// `tutti --help env` is `tutti help env`.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  if (out.size() == 2 && out[0] == "--help" && !out[1].starts_with("-")) out[0] = "help";
  std::ranges::reverse(out);  // as the parser wants them
  return out;
}

// Gives whether the command failed after saying all there is to say, once it has run.
std::shared_ptr<bool> add_cache(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "cache", "Looks after the disk cache of compiled code (TUTTI_CACHE_DIR names its folder)");
  command->require_subcommand(1);
  command->add_subcommand("ls", "Lists the entries, last used first")->callback([] {
    tutti::tools::list_cache();
  });
  auto remove = std::make_shared<bool>(false);
  auto failed = std::make_shared<bool>(false);
  CLI::App* const verify =
      command->add_subcommand("verify", "Names damaged entries; exit code 1 if there are any");
  verify->add_flag("--remove", *remove, "Remove them; exit code 0 if that was done");
  verify->callback([remove, failed] { *failed = !tutti::tools::verify_cache(*remove); });
  command->add_subcommand("clear", "Removes all entries")->callback([] {
    tutti::tools::clear_cache();
  });
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tutti, a lazy-tensor compiler: works with programs in .tutti files");
  app.name("tutti");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tutti " TUTTI_VERSION);
  app.failure_message(tutti::tools::usage_message);
  app.footer(
      "Exit codes: 0; 1 for an error in files, programs or the machine, and where a command looks "
      "for "
      "something and finds it (diff, bisect, run --expect, comm-test, cache verify); 2 for wrong "
      "usage; that "
      "of "
      "the ranks from launch.\n`tutti COMMAND --help` explains a command; `tutti help env` lists "
      "the environment "
      "variables.");
  const std::shared_ptr<bool> run_failed = tutti::tools::add_run(app);
  tutti::tools::add_emit(app);
  tutti::tools::add_import(app);
  tutti::tools::add_export(app);
  add_diagnose(app);
  const std::shared_ptr<bool> diff_failed = tutti::tools::add_diff(app);
  tutti::tools::add_opt(app);
  const std::shared_ptr<bool> bisect_found = tutti::tools::add_bisect(app);
  const std::shared_ptr<bool> reduce_interrupted = tutti::tools::add_reduce(app);
  add_profile(app);
  const std::shared_ptr<int> comm_test_exit_code = tutti::tools::add_comm_test(app);
  tutti::tools::add_show(app);
  add_ops(app);
  add_doctor(app);
  add_help(app);
  tutti::tools::add_completion(app);
  const std::shared_ptr<bool> cache_failed = add_cache(app);
  tutti::tools::LaunchCommand launch(app, argc, argv);
  try {
    tutti::tools::open_standard_files();
    app.parse(arguments_of(launch.parsed_arguments(), argv));
    std::cout.flush();
    if (!std::cout) {
      std::cerr << "standard output: cannot be written\n";
      return kFailed;
    }
    if (*cache_failed || *diff_failed || *run_failed || *bisect_found || *reduce_interrupted) {
      return kFailed;
    }
    return *comm_test_exit_code != 0 ? *comm_test_exit_code : launch.exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  } catch (const tutti::UsageError& error) {
    std::cerr << error.what() << "\n";
    return kWrongUsage;
  } catch (const std::bad_alloc&) {
    std::cerr << "out of memory\n";
  } catch (const std::length_error&) {  // of a vector that no memory could hold
    std::cerr << "out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return kFailed;
}
