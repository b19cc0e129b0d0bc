#include <array>

#include "tests/support/random/draw.h"
#include "tests/support/random/many_programs.h"

// Random programs: all ways of running them give what the interpreter gives.
namespace tutti::test::random_program_test {
namespace {

using Values = ProgramOptions::Values;

// Mostly short programs of small tensors on one rank; some long, some over up to four ranks, some
// with tensors large enough to be divided among threads.
ProgramOptions some_options(std::uint64_t seed, Values values) {
  Draw draw(seed ^ 0x5EED);
  ProgramOptions out{.values = values, .control = draw.coin()};
  out.nodes = draw.one_in(6) ? 60 : 8 + static_cast<int>(draw.below(20));
  if (draw.one_in(12)) {
    out.most_elements = 40000;
    out.nodes = 10;
  }
  switch (draw.below(8)) {
    case 0:
      out.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp"}, .sizes = {2}});
      break;
    case 1:
      out.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp"}, .sizes = {3}});
      break;
    case 2:
      out.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
      break;
    case 3:
      out.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp"}, .sizes = {1}});
      break;
    default:
      break;
  }
  return out;
}

std::function<RandomProgram(std::uint64_t)> programs_of(Values values) {
  return [values](std::uint64_t seed) { return random_program(seed, some_options(seed, values)); };
}

TEST(RandomProgram, OfExactOpsGivesTheSameBits) {
  EXPECT_TRUE(all_agree({.test = "RandomProgram.OfExactOpsGivesTheSameBits",
                         .count = 600,
                         .ways = host_ways(),
                         .make = programs_of(Values::exact)}));
}

TEST(RandomProgram, OfRoundedNumbersGivesTheSameWithinRounding) {
  EXPECT_TRUE(all_agree({.test = "RandomProgram.OfRoundedNumbersGivesTheSameWithinRounding",
                         .count = 300,
                         .ways = host_ways(),
                         .make = programs_of(Values::close)}));
}

TEST(RandomProgram, HasGradientsThatAgree) {
  const auto make = [](std::uint64_t seed) {
    // An op of which there is no gradient may be anywhere: another program.
    for (std::uint64_t attempt = 0;; ++attempt) {
      ProgramOptions options = some_options(seed, Values::smooth);
      options.nodes /= 2;
      RandomProgram program = random_program(seed + (attempt << 40), options);
      try {
        differentiate(program.graph);
        return program;
      } catch (const Error&) {
      }
    }
  };
  EXPECT_TRUE(all_agree({.test = "RandomProgram.HasGradientsThatAgree",
                         .count = 100,
                         .ways = host_ways(),
                         .make = make}));
}

}  // namespace
}  // namespace tutti::test::random_program_test
