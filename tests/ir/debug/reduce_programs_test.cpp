#include <tutti/ir/debug/edit.h>
#include <tutti/ir/debug/reduce_programs.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/ir/verify/verify_spmd.h>

#include <algorithm>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::reduce_programs_test {
namespace {

using testing::HasSubstr;

Graph function(const std::string& text) { return parse(text).functions[0]; }

// The text of a function with fates for the nodes that are no parameters.
std::string edit(const std::string& text, std::vector<Fate> fates, Edit other = {}) {
  const Graph graph = function(text);
  other.fates.assign(graph.parameters().size(), Fate::stays);
  other.fates.insert(other.fates.end(), fates.begin(), fates.end());
  const std::optional<Graph> out = edited(graph, other);
  if (!out) return "none";
  const std::string printed = print(*out);
  EXPECT_EQ(print(parse(printed).functions[0]), printed);
  return printed.substr(printed.find("func"));
}

const std::string kChain = R"(func @f(%x: f32[4]) {
  %0 = tanh(%x)
  %1 = exp(%0)
  %2 = neg(%1)
  return %2
})";

TEST(Edit, WhatIsCutBecomesAParameterAndItsOperandAResult) {
  EXPECT_EQ(edit(kChain, {Fate::stays, Fate::cut, Fate::stays}),
            "func @f(%x: f32[4], %v1: f32[4]) -> (f32[4], f32[4]) {\n  %0 = tanh(%x) : f32[4]\n"
            "  %1 = neg(%v1) : f32[4]\n  return %1, %0\n}\n");
}

TEST(Edit, OperandsAndZerosStandForValues) {
  EXPECT_EQ(edit(kChain, {Fate::stays, Fate::operand, Fate::operand}),
            "func @f(%x: f32[4]) -> (f32[4]) {\n  %0 = tanh(%x) : f32[4]\n  return %0\n}\n");
  EXPECT_EQ(edit(kChain, {Fate::stays, Fate::zero, Fate::stays}),
            "func @f() -> (f32[4]) {\n  %0 = constant() {value = f32[4] [0, 0, 0, 0]} : f32[4]\n"
            "  %1 = neg(%0) : f32[4]\n  return %1\n}\n");
}

TEST(Edit, ResultsAreDroppedWithAllThatTheyNeeded) {
  const std::string two = R"(func @f(%x: f32[4], %y: f32[4]) {
    %0 = tanh(%x)
    %1 = exp(%y)
    return %0, %1
  })";
  EXPECT_EQ(edit(two, {}, {.dropped = {true, false}}),
            "func @f(%y: f32[4]) -> (f32[4]) {\n  %0 = exp(%y) : f32[4]\n  return %0\n}\n");
}

TEST(Edit, ACollectiveGoesWithItsWait) {
  const std::string text = R"(mesh (dp = 2)
    group @g = mesh(dp = 2).dp
    func @f(%x: f32[4]) {
      %0 = tanh(%x)
      %1 = all_reduce(%0) {op = "sum", group = @g}
      %2 = wait(%1)
      %3 = exp(%2)
      return %3
    })";
  const std::string cut =
      "func @f(%x: f32[4], %v2: f32[4] rep(dp)) -> (f32[4] rep(dp), f32[4]) {\n"
      "  %0 = tanh(%x) : f32[4]\n  %1 = exp(%v2) : f32[4] rep(dp)\n  return %1, %0\n}\n";
  EXPECT_EQ(edit(text, {Fate::stays, Fate::cut, Fate::stays, Fate::stays}), cut);
  EXPECT_EQ(edit(text, {Fate::stays, Fate::stays, Fate::cut, Fate::stays}), cut);
}

TEST(Edit, AnOperandOfTheCollectiveStandsForItsWait) {
  EXPECT_EQ(edit(R"(group @g = {ranks = [0, 1]}
    func @f(%x: f32[4]) {
      %0 = all_reduce(%x) {op = "sum", group = @g}
      %1 = wait(%0)
      %2 = exp(%1)
      return %2
    })",
                 {Fate::stays, Fate::operand, Fate::stays}),
            "func @f(%x: f32[4]) -> (f32[4]) {\n  %0 = exp(%x) : f32[4]\n  return %0\n}\n");
}

TEST(Edit, SizesChangeWhereverTheyStand) {
  EXPECT_EQ(
      edit(R"(func @f(%x: f32[8,4]) {
    %0 = reshape(%x) {shape = [8, 2, 2]}
    %1 = iota() {dtype = f32, shape = [8], axis = 0}
    %2 = slice(%1) {start = [0], stop = [8], step = [1]}
    return %0, %2
  })",
           {}, {.sizes = {{8, 1}}}),
      "func @f(%x: f32[1,4]) -> (f32[1,2,2], f32[1]) {\n"
      "  %0 = reshape(%x) {shape = [1, 2, 2]} : f32[1,2,2]\n"
      "  %1 = iota() {dtype = f32, shape = [1], axis = 0} : f32[1]\n"
      "  %2 = slice(%1) {start = [0], stop = [1], step = [1]} : f32[1]\n  return %0, %2\n}\n");
}

TEST(Edit, MeshAndRanksBeyondTheSecondGo) {
  const std::string text = R"(mesh (dp = 4)
    group @g = mesh(dp = 4).dp
    func @f(%x: f32[4] rep(dp)) {
      %0 = vary(%x) {dimensions = "dp"}
      %1 = all_gather(%0) {axis = 0, group = @g}
      %2 = wait(%1)
      return %2
    })";
  EXPECT_EQ(edit(text, {}, {.without_mesh = true}),
            "func @f(%x: f32[4]) -> (f32[16]) {\n"
            "  %0 = all_gather(%x) {axis = 0, group = @g} : async f32[16]\n"
            "  %1 = wait(%0) : f32[16]\n  return %1\n}\n");
  EXPECT_EQ(edit(text, {}, {.without_mesh = true, .two_ranks = true}),
            "func @f(%x: f32[4]) -> (f32[8]) {\n"
            "  %0 = all_gather(%x) {axis = 0, group = @g} : async f32[8]\n"
            "  %1 = wait(%0) : f32[8]\n  return %1\n}\n");
}

TEST(Edit, WhatBreaksRulesIsNone) {
  EXPECT_EQ(edit("func @f(%x: f32[8,4]) {\n%0 = reshape(%x) {shape = [4, 8]}\nreturn %0 }", {},
                 {.sizes = {{8, 3}}}),
            "func @f(%x: f32[3,4]) -> (f32[4,3]) {\n"
            "  %0 = reshape(%x) {shape = [4, 3]} : f32[4,3]\n  return %0\n}\n");
  EXPECT_EQ(edit("func @f(%x: f32[8,4]) {\n%0 = reshape(%x) {shape = [32]}\nreturn %0 }", {},
                 {.sizes = {{8, 3}}}),
            "none");
}

// Candidates of all kinds are programs that can be written down and read again.
TEST(Edit, MakesValidProgramsOfRandomOnes) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Graph graph =
        test::random_program(seed, {.nodes = 30, .mesh = test::mesh_of_four()}).graph;
    for (const Fate fate : {Fate::cut, Fate::operand, Fate::zero}) {
      for (const std::uint32_t step : {1U, 2U, 5U}) {
        Edit edit{.fates = std::vector(graph.node_count(), Fate::stays)};
        for (NodeId id = 0; id < graph.node_count(); id += step) edit.fates[id] = fate;
        const std::optional<Graph> out = edited(graph, edit);
        if (!out) continue;
        ++made;
        const std::string text = print(*out);
        const Graph again = parse(text).functions[0];
        verify(again);
        EXPECT_EQ(print(again), text) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(made, 300);
}

// n nodes, of which two matter, far from each other.
Module long_program(int n) {
  std::string text = "func @f(%x: f32[8,16]) {\n";
  for (int i = 0; i < n; ++i) {
    const std::string operand = i == 0 ? "x" : std::to_string(i - 1);
    const std::string op = i == n / 3 ? "erf" : i == n / 2 ? "cbrt" : "tanh";
    text += "  %" + std::to_string(i) + " = " + op + "(%" + operand + ")\n";
  }
  return parse(text + "  return %" + std::to_string(n - 1) + "\n}");
}

Check holds(std::vector<std::string> words) {
  return [words](const Programs& programs) {
    for (const Module& module : programs) {
      for (const Graph& graph : module.functions) verify(graph);
      for (const std::string& word : words) {
        if (print(module).find(word) == std::string::npos) return Verdict::boring;
      }
    }
    return Verdict::interesting;
  };
}

TEST(Reduce, FindsWhatMattersOfAThousandNodesInFewChecks) {
  const Reduction reduction = reduce_programs({long_program(1000)}, holds({"erf", "cbrt"}));
  const Graph& smallest = reduction.programs[0].functions[0];
  EXPECT_EQ(smallest.parameters().size(), 1);
  EXPECT_EQ(smallest.type(smallest.parameters()[0].value).shape, Shape({1, 1}));
  EXPECT_EQ(smallest.node_count(), 3) << print(smallest);
  EXPECT_LT(reduction.checks, 120);
  EXPECT_FALSE(reduction.stopped);
}

TEST(Reduce, LeavesWhatCannotBeSmaller) {
  const std::string text = "func @f(%x: f32[]) {\n  %0 = erf(%x)\n  return %0\n}";
  const Reduction reduction = reduce_programs({parse(text)}, holds({"erf"}));
  EXPECT_EQ(print(reduction.programs[0]), print(parse(text)));
  const Reduction nothing =
      reduce_programs({long_program(20)}, [](const Programs&) { return Verdict::boring; });
  EXPECT_EQ(print(nothing.programs[0]), print(long_program(20)));
}

TEST(Reduce, EveryCandidateIsSmallerThanTheLastInterestingOne) {
  ProgramSize size = size_of({long_program(100)});
  const Check check = holds({"erf"});
  reduce_programs({long_program(100)}, [&](const Programs& programs) {
    EXPECT_LT(size_of(programs), size);
    const Verdict verdict = check(programs);
    if (verdict == Verdict::interesting) size = size_of(programs);
    return verdict;
  });
}

TEST(Reduce, StopsAtOnceWithTheBestSoFar) {
  int checks = 0;
  const Reduction reduction = reduce_programs({long_program(100)}, [&](const Programs& programs) {
    return ++checks == 5 ? Verdict::stop : holds({"erf"})(programs);
  });
  EXPECT_TRUE(reduction.stopped);
  EXPECT_EQ(checks, 5);
  EXPECT_THAT(print(reduction.programs[0]), HasSubstr("erf"));
  EXPECT_LT(size_of(reduction.programs), size_of({long_program(100)}));
}

TEST(Reduce, DropsFunctionsAndParameters) {
  const Module module = parse(
      "func @a(%x: f32[]) { return %x }\nfunc @b(%x: f32[2], %y: f32[2], %z: f32[2]) {\n"
      "  %0 = add(%x, %y)\n  %1 = erf(%0)\n  return %1, %z }\nfunc @c() { return }");
  EXPECT_EQ(print(reduce_programs({module}, holds({"erf", "add"})).programs[0]).substr(15),
            "func @b(%x: f32[1]) -> (f32[1]) {\n  %0 = add(%x, %x) : f32[1]\n"
            "  %1 = erf(%0) : f32[1]\n  return %1\n}\n");
}

TEST(Reduce, RanksChangeTogether) {
  const auto rank = [](const std::string& size) {
    return parse("group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[" + size +
                 "]) {\n  %0 = tanh(%x)\n  %1 = sum(%0) {axes = [0]}\n  %2 = all_reduce(%1) {op = "
                 "\"sum\", group = @g}\n  %3 = wait(%2)\n  %4 = exp(%3)\n  return %4\n}");
  };
  const auto collectives = [](const Module& module) {
    return print(module).find("all_reduce") != std::string::npos;
  };
  bool agreed = true;
  const Reduction reduction =
      reduce_programs({rank("3"), rank("5")}, [&](const Programs& programs) {
        agreed = agreed && collectives(programs[0]) == collectives(programs[1]);
        return collectives(programs[0]) ? Verdict::interesting : Verdict::boring;
      });
  EXPECT_TRUE(agreed);
  EXPECT_EQ(size_of(reduction.programs).nodes, 4);  // all_reduce and wait
}

TEST(Reduce, ProgramsMayBecomeAlikeOnTheWay) {
  const Module shorter = parse("func @f(%x: f32[4]) {\n%0 = tanh(%x)\nreturn %0 }");
  const Module longer = parse("func @f(%y: f32[4]) {\n%0 = tanh(%y)\n%1 = exp(%0)\nreturn %1 }");
  const Reduction all =
      reduce_programs({shorter, longer}, [](const Programs&) { return Verdict::interesting; });
  EXPECT_EQ(size_of(all.programs).nodes, 0U);
  // Both still have to say the same: what is left of the longer one is like the other.
  const Reduction reduction = reduce_programs({shorter, longer}, [](const Programs& programs) {
    for (const Module& program : programs) {
      if (print(program).find("tanh") == std::string::npos) return Verdict::boring;
    }
    return programs.size() == 2 ? Verdict::interesting : Verdict::boring;
  });
  EXPECT_EQ(size_of(reduction.programs).nodes, 2U);
}

TEST(Reduce, WhatDifferentRanksSayToEachOtherGoesAtOnce) {
  const std::string group = "group @g = {ranks = [0, 1]}\n";
  const Module sender = parse(group + R"(func @f(%x: f32[4]) {
      %0 = tanh(%x)
      send(%0) {to = 1, group = @g}
      return
    })");
  const Module receiver = parse(group + R"(func @f(%y: f32[4]) {
      %0 = recv() {dtype = f32, shape = [4], from = 0, group = @g}
      %1 = wait(%0)
      %2 = add(%1, %y)
      %3 = erf(%2)
      return %3
    })");
  const Reduction reduction = reduce_programs({sender, receiver}, [&](const Programs& programs) {
    std::vector<RankProgram> ranks;
    for (const Module& program : programs) ranks.push_back({&program.functions[0]});
    const bool fits = programs.size() == 2 && verify_spmd(ranks).findings.empty();
    const bool has_marker = print(programs.back()).find("erf") != std::string::npos;
    return fits && has_marker ? Verdict::interesting : Verdict::boring;
  });
  EXPECT_EQ(size_of(reduction.programs).nodes, 1U);
  EXPECT_EQ(size_of(reduction.programs).ranks, 2U);
}

TEST(Reduce, LeavesTwoRanksAndNoMesh) {
  const Module module = parse(R"(mesh (dp = 2, tp = 4)
    group @g = mesh(dp = 2, tp = 4).tp
    func @f(%x: f32[4]) {
      %0 = all_reduce(%x) {op = "sum", group = @g}
      %1 = wait(%0)
      return %1
    })");
  EXPECT_EQ(print(reduce_programs({module}, holds({"all_reduce"})).programs[0]),
            "// tutti ir 1\ngroup @g = {ranks = [0, 1], stride = 2}\n\n"
            "func @f(%x: f32[1]) -> (f32[1]) {\n"
            "  %0 = all_reduce(%x) {op = \"sum\", group = @g} : async f32[1]\n"
            "  %1 = wait(%0) : f32[1]\n  return %1\n}\n");
}

TEST(Reduce, RandomProgramsStayInteresting) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Graph graph = test::random_program(seed, {.nodes = 40}).graph;
    const Op wanted = graph.node(static_cast<NodeId>(graph.node_count() / 2)).op;
    const Reduction reduction = reduce_programs({Module{{graph}}}, [&](const Programs& programs) {
      const Graph& candidate = programs[0].functions[0];
      for (NodeId id = 0; id < candidate.node_count(); ++id) {
        if (candidate.node(id).op == wanted) return Verdict::interesting;
      }
      return Verdict::boring;
    });
    EXPECT_LE(size_of(reduction.programs).nodes, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tutti::ir::reduce_programs_test
