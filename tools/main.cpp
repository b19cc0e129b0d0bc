// The `tutti` command. Exit codes: 0, 1 for an error in files or programs, 2 for wrong usage.

#include <tutti/ir/support/error.h>

#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>

#include "tools/run.h"
#include <CLI/CLI.hpp>

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void add_run(CLI::App& app) {
  auto options = std::make_shared<tutti::tools::RunOptions>();
  auto interpret = std::make_shared<bool>(false);
  CLI::App* const command =
      app.add_subcommand("run", "Runs a function of a .tutti file on arrays from .npy files");
  command->add_option("file", options->file, "The program")->required()->option_text("FILE");
  command
      ->add_option("--input", options->inputs,
                   "NAME=FILE.npy: an argument, the same on all ranks unless FILE holds {rank}; "
                   "or a folder with NAME.npy and rankR/NAME.npy for the arguments not given so")
      ->option_text("NAME=FILE");
  command
      ->add_option("--output", options->output,
                   "Where results go: 0.npy, 1.npy, ...; rankR/0.npy, ... with several ranks; "
                   "without it they are printed")
      ->option_text("DIR");
  command->add_option("--function", options->function, "The function, if the file has several")
      ->option_text("NAME");
  command
      ->add_option("--ranks", options->ranks, "How many ranks, if the program's groups don't say")
      ->check(CLI::Range(std::int64_t{1}, tutti::tools::kMostRanks))
      ->option_text("N");
  command->add_flag("--interpret", *interpret, "Use the reference interpreter, not the compiler");
  command->callback([options, interpret] {
    if (*interpret) options->engine = tutti::tools::Engine::interpreter;
    tutti::tools::run(*options);
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tutti, a lazy-tensor compiler: work with programs in .tutti files");
  app.require_subcommand(1);
  add_run(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    return std::cout ? 0 : kFailed;
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
