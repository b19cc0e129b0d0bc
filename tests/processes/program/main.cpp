// processes_program SCENARIO [argument...]. Ends with 1 and a line "CommError: ..." when something
// is thrown; with --uncaught before the scenario's name nobody catches it. Ends with 1, too, and a
// line "complaint: ..." where the doubles of CUDA and NCCL complain of what it did.

#include <tutti/ir/support/error.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tests/processes/program/doubles.h"
#include "tests/processes/program/scenario.h"
#include "tests/support/command.h"
#include <unistd.h>

namespace tutti::test {

namespace {

std::filesystem::path file_of(const std::string& milestone, int number) {
  const char* const folder = std::getenv("TUTTI_TEST_FOLDER");
  if (folder == nullptr) throw std::runtime_error("TUTTI_TEST_FOLDER is not set");
  return std::filesystem::path(folder) / (milestone + "." + std::to_string(number));
}

void write(const std::string& milestone, const std::string& content) {
  // Launchers other than ours set no RANK: the file is the process's own then.
  const int number = std::getenv("RANK") == nullptr ? getpid() : rank_by_environment();
  const std::filesystem::path file = file_of(milestone, number);
  std::ofstream(file.string() + ".new") << content << "\n";
  std::filesystem::rename(file.string() + ".new", file);
}

Scenario find_scenario(const std::string& name) {
  for (const auto& scenarios :
       {looking_scenarios(), ending_scenarios(), disagreeing_scenarios(), group_scenarios(),
        gpu_scenarios(), fault_scenarios(), replaying_scenarios(), following_scenarios(),
        abusing_scenarios(), sweeping_scenarios()}) {
    if (const auto found = scenarios.find(name); found != scenarios.end()) return found->second;
  }
  throw std::runtime_error("there is no scenario " + name);
}

}  // namespace

int rank_by_environment() {
  const char* const rank = std::getenv("RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

void reached(const std::string& milestone) { write(milestone, "reached"); }

void wait_until_reached(const std::string& milestone, int rank) {
  const std::filesystem::path file = file_of(milestone, rank);
  if (!comes_true([&] { return std::filesystem::exists(file); })) {
    throw std::runtime_error("rank " + std::to_string(rank) + " has not reached " + milestone);
  }
}

void wait_until_all_reached(const std::string& milestone, const World& world) {
  for (int rank = 0; rank < world.size(); ++rank) wait_until_reached(milestone, rank);
}

void say(const std::string& line) { std::cout << line + "\n" << std::flush; }

void expect(bool holds, std::source_location at) {
  if (!holds) throw std::runtime_error(Location(at).text() + ": this does not hold");
}

std::string current_error() {
  try {
    throw;
  } catch (const CommError& error) {
    return std::string("CommError: ") + error.what();
  } catch (const UsageError& error) {
    return std::string("UsageError: ") + error.what();
  } catch (const EnvironmentError& error) {
    return std::string("EnvironmentError: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

namespace {

void run(Arguments arguments) {
  const Scenario scenario = find_scenario(arguments.at(0));
  arguments.erase(arguments.begin());
  scenario(arguments);
}

int main_of_rank(Arguments arguments) {
  write("process", std::to_string(getpid()));
  if (const char* const job = std::getenv("TUTTI_RENDEZVOUS")) write("job", job);
  if (arguments.at(0) == "--uncaught") {
    arguments.erase(arguments.begin());
    run(arguments);
    return 0;
  }
  int status = 0;
  try {
    run(arguments);
  } catch (...) {
    say(current_error());
    status = 1;
  }
  const std::string complaints = complaints_of_doubles();
  if (complaints.empty()) return status;
  say("complaint: " + complaints);
  return 1;
}

}  // namespace

}  // namespace tutti::test

int main(int count, char** words) {
  return tutti::test::main_of_rank(std::vector<std::string>(words + 1, words + count));
}
