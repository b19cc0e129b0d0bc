#pragma once

#include <tutti/tutti.h>

#include <map>
#include <source_location>
#include <string>
#include <vector>

// What a rank of the tests' jobs does: one program that is told on its command line which of many
// things to try. Tests read what it prints and follow it through files in the test's folder.
namespace tutti::test {

using Arguments = std::vector<std::string>;
using Scenario = void (*)(const Arguments&);
using Scenarios = std::map<std::string, Scenario>;

Scenarios looking_scenarios();      // ranks that look at different things
Scenarios ending_scenarios();       // ranks that end too early
Scenarios disagreeing_scenarios();  // mismatches, time-outs and aborts
Scenarios group_scenarios();
Scenarios gpu_scenarios();
Scenarios replaying_scenarios();  // on GPUs, recorded and replayed
Scenarios following_scenarios();  // on GPUs, kernels that go with collectives
Scenarios fault_scenarios();      // what goes wrong in the middle of collectives
Scenarios sweeping_scenarios();   // many collectives
Scenarios abusing_scenarios();    // what a World must not be used for

// ---- The test's folder: files by the name of a milestone and the rank that has reached it.

void reached(const std::string& milestone);
// Throws if it does not come within a minute.
void wait_until_reached(const std::string& milestone, int rank);
void wait_until_all_reached(const std::string& milestone, const World& world);

// Without a World's help: what the launcher says.
int rank_by_environment();

// A line of output, at once.
void say(const std::string& line);

// Throws std::runtime_error with the line unless it holds.
void expect(bool holds, std::source_location at = std::source_location::current());

// Runs f; says "E: message" of what it throws, or "nothing was thrown".
template <class F>
void say_error(F&& f);

// What was thrown and is being handled, as "CommError: message".
std::string current_error();

template <class F>
void say_error(F&& f) {
  try {
    f();
    say("nothing was thrown");
  } catch (...) {
    say(current_error());
  }
}

}  // namespace tutti::test
