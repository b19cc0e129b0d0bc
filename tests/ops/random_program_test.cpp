#include <tutti/ir/control.h>

#include <array>
#include <stdexcept>

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

// So that the others mean what they say.
TEST(RandomProgram, HasLoopsAndBranchesOfAllKinds) {
  std::array<int, ir::kOpCount> found{};
  int communicating = 0;
  int nested = 0;
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    ProgramOptions options{.values = Values::exact, .control = true};
    if (seed % 2 == 0) options.mesh = mesh_of_four();
    const ir::Graph graph = random_program(seed, options).graph;
    for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
      const ir::Op op = graph.node(id).op;
      if (!ir::is_control(op)) continue;
      ++found[static_cast<std::size_t>(op)];
      communicating += ir::communicates(graph, id) ? 1 : 0;
      kept += op == ir::Op::scan && graph.attributes(id).integer("kept") > 0 ? 1 : 0;
      for (const ir::FunctionPtr& function : ir::all_functions(graph.node(id))) {
        nested += function->levels() > 1 ? 1 : 0;
      }
    }
  }
  for (const ir::Op op : {ir::Op::scan, ir::Op::while_loop, ir::Op::conditional}) {
    EXPECT_GT(found[static_cast<std::size_t>(op)], 40) << name_of(op);
  }
  EXPECT_GT(communicating, 20);
  EXPECT_GT(nested, 20);
  EXPECT_GT(kept, 2);
}

TEST(RandomProgram, OfExactOpsGivesTheSameBits) {
  EXPECT_TRUE(all_agree({.test = "RandomProgram.OfExactOpsGivesTheSameBits",
                         .count = 300,
                         .ways = host_ways(),
                         .make = programs_of(Values::exact)}));
}

TEST(RandomProgram, OfRoundedNumbersGivesTheSameWithinRounding) {
  EXPECT_TRUE(all_agree({.test = "RandomProgram.OfRoundedNumbersGivesTheSameWithinRounding",
                         .count = 150,
                         .ways = host_ways(),
                         .make = programs_of(Values::close)}));
}

TEST(RandomProgram, HasGradientsThatAgree) {
  const auto make = [](std::uint64_t seed) {
    // An op of which there is no gradient may be anywhere: another program.
    constexpr std::uint64_t kMostAttempts = 1000;
    for (std::uint64_t attempt = 0; attempt < kMostAttempts; ++attempt) {
      ProgramOptions options = some_options(seed, Values::smooth);
      options.nodes /= 2;
      RandomProgram program = random_program(seed + (attempt << 40), options);
      try {
        differentiate(program.graph);
        return program;
      } catch (const TypeError&) {
      } catch (const UsageError&) {  // of a loop
      }
    }
    throw std::runtime_error("no program has a gradient");
  };
  EXPECT_TRUE(all_agree({.test = "RandomProgram.HasGradientsThatAgree",
                         .count = 50,
                         .ways = host_ways(),
                         .make = make}));
}

}  // namespace
}  // namespace tutti::test::random_program_test
