#include "tests/support/random/many_programs.h"

#include <tutti/ir/text/print.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "tests/support/random/shrink.h"
#include "tests/support/random/stored_program.h"
#include <unistd.h>

namespace tutti::test {

namespace {

std::filesystem::path folder() {
  const auto out = std::filesystem::path(TUTTI_BINARY_DIR) / "random_programs";
  std::filesystem::create_directories(out);
  return out;
}

constexpr std::size_t kMostFailures = 5;  // that are shown, and shrunk

// The programs that run at the moment, as files: what is left of one that crashes or never ends.
class RunningProgram {
 public:
  RunningProgram(int thread, std::uint64_t seed, const RandomProgram& program)
      : file_(folder() /
              ("running_" + std::to_string(getpid()) + "_" + std::to_string(thread) + ".tutti")) {
    std::ofstream(file_) << text_of(program) << "// seed " << seed << "\n";
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

 private:
  std::filesystem::path file_;
};

// The same difference in a smaller program, and where it was written.
std::string report(const ManyPrograms& programs, std::uint64_t seed, const RandomProgram& program,
                   const Difference& difference) {
  const std::span<const Way> way(&difference.way, 1);
  const RandomProgram small = shrink(program, [&](const RandomProgram& smaller) {
    return first_difference(smaller, way).has_value();
  });
  const auto left = first_difference(small, way);
  const auto file = folder() / ("seed_" + std::to_string(seed) + ".tutti");
  std::ofstream(file) << text_of(small);
  return "\n" + difference.way.name +
         " differs from the program's nodes, interpreted one by one: seed " + std::to_string(seed) +
         ": " + difference.message + "\nTo see it again: TUTTI_TEST_SEED=" + std::to_string(seed) +
         " TUTTI_TEST_PROGRAMS=1 with --gtest_filter=" + programs.test + "\nShrunk, in " +
         file.string() + ": " + (left ? left->message : "(comes and goes)") + "\n" +
         ir::print(small.graph);
}

}  // namespace

std::uint64_t first_seed() {
  const char* const given = std::getenv("TUTTI_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

int program_count(int standard) {
  const char* const given = std::getenv("TUTTI_TEST_PROGRAMS");
  if (given != nullptr) return std::atoi(given);
  return TUTTI_HAS_LLVM != 0 ? standard : standard / 10;
}

testing::AssertionResult all_agree(const ManyPrograms& programs) {
  const std::uint64_t first = first_seed();
  const int count = program_count(programs.count);
  std::cout << "TUTTI_TEST_SEED=" << first << " TUTTI_TEST_PROGRAMS=" << count
            << " for the same programs" << std::endl;
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::vector<std::string> failures;
  const auto work = [&](int thread) {
    for (int i = 0; (i = next++) < count;) {
      const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
      const RandomProgram program = programs.make(seed);
      const RunningProgram running(thread, seed, program);
      const auto difference = first_difference(program, programs.ways);
      if (!difference) continue;
      const std::scoped_lock lock(mutex);
      if (failures.size() < kMostFailures) {
        failures.push_back(report(programs, seed, program, *difference));
        std::cout << failures.back() << std::endl;
      } else {
        failures.push_back("\nand that of seed " + std::to_string(seed));
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < programs.threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  if (failures.empty()) return testing::AssertionSuccess();
  testing::AssertionResult result = testing::AssertionFailure();
  result << failures.size() << " of " << count << " programs differ";
  for (const std::string& failure : failures) result << failure;
  return result;
}

}  // namespace tutti::test
