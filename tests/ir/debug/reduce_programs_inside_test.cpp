#include <tutti/ir/debug/edit.h>
#include <tutti/ir/debug/reduce_programs.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

// Reductions inside the functions that nodes run.
namespace tutti::ir::reduce_programs_inside_test {
namespace {

const std::string kLoop = R"(private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) {
  %0 = mul(%h, %w)
  %1 = add(%0, %x)
  %2 = erf(%1)
  return %2, %1
}
func @f(%h: f32[4], %xs: f32[5,4], %w: f32[4]) {
  %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 5}
  %2 = exp(%0)
  return %2, %1
}
)";

const std::string kBranches = R"(private func @a(%x: f32[4], %y: f32[4]) {
  %0 = tanh(%x)
  return %0
}
private func @b(%x: f32[4], %y: f32[4]) {
  %0 = mul(%x, %y)
  %1 = erf(%0)
  return %1
}
func @f(%i: i32[], %x: f32[4], %y: f32[4]) {
  %0 = conditional(%i, %x, %y) {branches = [@a, @b]}
  return %0
}
)";

const std::string kWhile = R"(private func @goes_on(%i: i32[], %x: f32[4]) {
  %0 = constant() {value = i32[] 9}
  %1 = lt(%i, %0)
  return %1
}
private func @step(%i: i32[], %x: f32[4]) {
  %0 = add(%i, %i)
  %1 = erf(%x)
  return %0, %1
}
func @f(%i: i32[], %x: f32[4]) {
  %0, %1 = while_loop(%i, %x) {condition = @goes_on, body = @step, carries = 2}
  return %0, %1
}
)";

std::string text(const Graph& graph) {
  const std::string printed = print(graph);
  EXPECT_EQ(print(parse(printed).functions[0]), printed);
  return printed.substr(printed.find("\n\n") + 2);
}

std::string edit(const std::string& program, const Edit& change) {
  const std::optional<Graph> out = edited(parse(program).functions[0], change);
  if (!out) return "none";
  verify(*out);
  return text(*out);
}

Edit inside(FunctionEdit change, std::size_t function = 0, std::size_t functions = 1) {
  Edit out{.functions = std::vector<FunctionEdit>(functions)};
  out.functions[function] = std::move(change);
  return out;
}

const std::string kCaller =
    "func @f(%h: f32[4], %xs: f32[5,4], %w: f32[4]) -> (f32[4], f32[5,4]) {\n"
    "  %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 5} : f32[4], "
    "f32[5,4]\n  %2 = exp(%0) : f32[4]\n  return %2, %1\n}\n";

TEST(EditInside, NodesGiveWayToOperandsAndZeros) {
  const std::string signature =
      "private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) -> (f32[4], f32[4]) {\n";
  constexpr Fate stays = Fate::stays;
  EXPECT_EQ(edit(kLoop, inside({.fates = {stays, stays, stays, Fate::operand, Fate::operand}})),
            signature + "  %0 = erf(%h) : f32[4]\n  return %0, %h\n}\n\n" + kCaller);
  EXPECT_EQ(edit(kLoop, inside({.fates = {stays, stays, stays, stays, Fate::zero}})),
            signature +
                "  %0 = constant() {value = f32[4] [0, 0, 0, 0]} : f32[4]\n"
                "  %1 = erf(%0) : f32[4]\n  return %1, %0\n}\n\n" +
                kCaller);
  // Of a parameter, and what takes and gives stays.
  EXPECT_EQ(edit(kLoop, inside({.fates = {stays, stays, Fate::zero, Fate::operand, Fate::cut}})),
            signature +
                "  %0 = add(%h, %x) : f32[4]\n  %1 = erf(%0) : f32[4]\n"
                "  return %1, %0\n}\n\n" +
                kCaller);
}

TEST(EditInside, ResultsGiveWayToTheParameterInTheirPlace) {
  EXPECT_EQ(edit(kLoop, inside({.replaced = {true, true}})),
            "private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) -> (f32[4], f32[4]) {\n"
            "  return %h, %x\n}\n\n" +
                kCaller);
}

TEST(EditInside, OneStepComesInThePlaceOfALoop) {
  EXPECT_EQ(edit(kLoop, inside({.inlined = true})),
            "func @f(%h: f32[4], %xs: f32[5,4], %w: f32[4]) -> (f32[4], f32[5,4]) {\n"
            "  %0 = slice(%xs) {start = [0, 0], stop = [1, 4], step = [1, 1]} : f32[1,4]\n"
            "  %1 = reshape(%0) {shape = [4]} : f32[4]\n"
            "  %2 = mul(%h, %w) : f32[4]\n  %3 = add(%2, %1) : f32[4]\n"
            "  %4 = erf(%3) : f32[4]\n  %5 = reshape(%3) {shape = [1, 4]} : f32[1,4]\n"
            "  %6 = broadcast_to(%5) {shape = [5, 4]} : f32[5,4]\n"
            "  %7 = exp(%4) : f32[4]\n  return %7, %6\n}\n");
  // The body, not the condition.
  const std::string step =
      "func @f(%i: i32[], %x: f32[4]) -> (i32[], f32[4]) {\n  %0 = add(%i, %i) : i32[]\n"
      "  %1 = erf(%x) : f32[4]\n  return %0, %1\n}\n";
  EXPECT_EQ(edit(kWhile, inside({.inlined = true}, 1, 2)), step);
  EXPECT_THAT(edit(kWhile, inside({.inlined = true}, 0, 2)), testing::HasSubstr("while_loop"));
}

TEST(EditInside, OneBranchIsLeft) {
  EXPECT_EQ(edit(kBranches, inside({.inlined = true}, 0, 2)),
            "func @f(%i: i32[], %x: f32[4], %y: f32[4]) -> (f32[4]) {\n"
            "  %0 = tanh(%x) : f32[4]\n  return %0\n}\n");
  EXPECT_THAT(edit(kBranches, inside({.alone = true}, 1, 2)),
              testing::HasSubstr("{branches = [@b]}"));
}

TEST(EditInside, OperandsStandForTheResultsOfALoop) {
  EXPECT_EQ(edit(kLoop, {.fates = {Fate::stays, Fate::stays, Fate::stays, Fate::operand}}),
            "func @f(%h: f32[4], %xs: f32[5,4]) -> (f32[4], f32[5,4]) {\n"
            "  %0 = exp(%h) : f32[4]\n  return %0, %xs\n}\n");
}

TEST(EditInside, WhatNobodyNeedsIsTrimmed) {
  Edit change = inside({.fates = {Fate::stays, Fate::stays, Fate::stays, Fate::operand}});
  change.trims = true;
  change.dropped = {false, true};
  EXPECT_EQ(edit(kLoop, change),
            "private func @cell(%h: f32[4], %x: f32[4]) -> (f32[4]) {\n"
            "  %0 = add(%h, %x) : f32[4]\n  %1 = erf(%0) : f32[4]\n  return %1\n}\n\n"
            "func @f(%h: f32[4], %xs: f32[5,4], %w: f32[4]) -> (f32[4]) {\n"
            "  %0 = scan(%h, %xs) {body = @cell, carries = 1, sequences = 1, length = 5} : f32[4]\n"
            "  %1 = exp(%0) : f32[4]\n  return %1\n}\n");
}

// On ranks that have the same weight and data of their own, forwards and backwards.
const std::string kReplicated = R"(mesh (dp = 2)
  private func @back(%g: f32[4], %x: f32[4], %w: f32[4]) {
    %0 = mul(%g, %w)
    %1 = mul(%g, %x)
    return %0, %1, %g
  }
  private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) {
    %0 = mul(%h, %w)
    %1 = add(%0, %x)
    %2 = constant() {value = f32[] 2}
    return %1, %h, %2
  }
  private func @yes(%x: f32[4], %y: f32[4]) { return %y }
  func @f(%h: f32[4] rep(dp), %xs: f32[5,4], %w: f32[4] rep(dp), %i: i32[] rep(dp)) {
    %0 = vary(%w) {dimensions = "dp"}
    %7 = vary(%h) {dimensions = "dp"}
    %1, %2, %3 = scan(%7, %xs, %0) {body = @cell, carries = 1, sequences = 1, length = 5}
    %4, %5, %6 = scan(%1, %2, %0) {body = @back, carries = 1, sequences = 1, length = 5, reverse = true}
    %9 = vary(%i) {dimensions = "dp"}
    %8 = conditional(%9, %4, %7) {branches = [@yes, @yes]}
    return %8, %5, %3
  })";

// Candidates of all kinds are programs that can be written down and read again.
TEST(EditInside, MakesValidPrograms) {
  int made = 0;
  const auto check = [&](const Graph& graph, const Edit& change) {
    const std::optional<Graph> out = edited(graph, change);
    if (!out) return;
    ++made;
    verify(*out);
    const std::string printed = print(*out);
    EXPECT_EQ(print(parse(printed).functions[0]), printed);
  };
  for (const std::string& program : {kLoop, kBranches, kWhile, kReplicated}) {
    const Graph graph = parse(program).functions[0];
    const std::vector<FunctionPtr> functions = all_functions(graph);
    for (const bool trims : {false, true}) {
      for (std::size_t chosen = 0; chosen < 1U << functions.size(); ++chosen) {
        const auto with = [&](auto&& set) {
          Edit change{.functions = std::vector<FunctionEdit>(functions.size()), .trims = trims};
          for (std::size_t i = 0; i < functions.size(); ++i) {
            if ((chosen >> i & 1) != 0) set(change.functions[i], functions[i]->graph());
          }
          check(graph, change);
        };
        with([](FunctionEdit& edit, const Graph&) { edit.inlined = true; });
        with([](FunctionEdit& edit, const Graph&) { edit.alone = true; });
        for (const std::size_t step : {1U, 2U, 3U}) {
          with([&](FunctionEdit& edit, const Graph& function) {
            edit.replaced.assign(function.results().size(), false);
            for (std::size_t i = 0; i < edit.replaced.size(); i += step) edit.replaced[i] = true;
          });
          for (const Fate fate : {Fate::cut, Fate::operand, Fate::zero}) {
            with([&](FunctionEdit& edit, const Graph& function) {
              edit.fates.assign(function.node_count(), Fate::stays);
              for (std::size_t i = 0; i < edit.fates.size(); i += step) edit.fates[i] = fate;
            });
          }
        }
      }
    }
    check(graph, {.without_mesh = true});
    check(graph, {.sizes = {{5, 1}}});
  }
  EXPECT_GT(made, 500);
}

TEST(EditInside, SizesStepsAndTheMeshChangeInAllFunctions) {
  EXPECT_EQ(edit(kLoop, {.sizes = {{5, 1}, {4, 2}}}),
            "private func @cell(%h: f32[2], %x: f32[2], %w: f32[2]) -> (f32[2], f32[2]) {\n"
            "  %0 = mul(%h, %w) : f32[2]\n  %1 = add(%0, %x) : f32[2]\n"
            "  %2 = erf(%1) : f32[2]\n  return %2, %1\n}\n\n"
            "func @f(%h: f32[2], %xs: f32[1,2], %w: f32[2]) -> (f32[2], f32[1,2]) {\n"
            "  %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 1} : "
            "f32[2], f32[1,2]\n  %2 = exp(%0) : f32[2]\n  return %2, %1\n}\n");
  EXPECT_EQ(edit("mesh (dp = 2)\nprivate func @cell(%h: f32[4] rep(dp)) {\n%0 = erf(%h)\nreturn "
                 "%0 }\nfunc @f(%h: f32[4] rep(dp)) {\n%0 = scan(%h) {body = @cell, carries = 1, "
                 "sequences = 0, length = 3}\nreturn %0 }",
                 {.without_mesh = true}),
            "private func @cell(%h: f32[4]) -> (f32[4]) {\n  %0 = erf(%h) : f32[4]\n  return %0\n"
            "}\n\nfunc @f(%h: f32[4]) -> (f32[4]) {\n  %0 = scan(%h) {body = @cell, carries = 1, "
            "sequences = 0, length = 3} : f32[4]\n  return %0\n}\n");
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

std::string reduced(const std::string& program, std::vector<std::string> words) {
  return text(reduce_programs({parse(program)}, holds(std::move(words))).programs[0].functions[0]);
}

TEST(ReduceInside, AMarkerInALoopComesOutOfIt) {
  for (const std::string& program : {kLoop, kBranches, kWhile}) {
    const Reduction reduction = reduce_programs({parse(program)}, holds({"erf"}));
    const ProgramSize size = size_of(reduction.programs);
    EXPECT_EQ(size.inner, 0U);
    EXPECT_EQ(size.nodes + size.constants, 1U) << print(reduction.programs[0]);
    EXPECT_EQ(size.elements, 2);
  }
}

TEST(ReduceInside, ALoopThatMattersBecomesSmall) {
  EXPECT_EQ(reduced(kLoop, {"erf", "scan"}),
            "private func @cell(%h: f32[1]) -> (f32[1]) {\n  %0 = erf(%h) : f32[1]\n  return %0\n"
            "}\n\nfunc @f(%h: f32[1]) -> (f32[1]) {\n  %0 = scan(%h) {body = @cell, carries = 1, "
            "sequences = 0, length = 1} : f32[1]\n  return %0\n}\n");
  EXPECT_EQ(reduced(kBranches, {"erf", "conditional"}),
            "private func @b(%x: f32[1]) -> (f32[1]) {\n  %0 = erf(%x) : f32[1]\n  return %0\n}\n\n"
            "func @f(%i: i32[], %x: f32[1]) -> (f32[1]) {\n"
            "  %0 = conditional(%i, %x) {branches = [@b]} : f32[1]\n  return %0\n}\n");
}

TEST(ReduceInside, WhatALoopHasToTakeStaysAndTheRestGoes) {
  const std::string small = reduced(kLoop, {"erf", "sequences = 1"});
  EXPECT_THAT(small, testing::HasSubstr("func @cell(%h: f32[1], %x: f32[1]) -> (f32[1]) {"));
  EXPECT_THAT(small, testing::HasSubstr("carries = 1, sequences = 1, length = 1"));
}

TEST(ReduceInside, AMarkerInALoopInALoopIsLeftAlone) {
  const std::string nested = R"(private func @inner(%x: f32[4], %w: f32[4]) {
      %0 = mul(%x, %w)
      %1 = erf(%0)
      return %1
    }
    private func @cell(%h: f32[4], %x: f32[4], %w: f32[4]) {
      %0 = mul(%h, %w)
      %1 = scan(%0, %x) {body = @inner, carries = 1, sequences = 0, length = 7}
      %2 = tanh(%1)
      return %2, %1
    }
    func @f(%h: f32[4], %xs: f32[100,4], %w: f32[4]) {
      %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 100}
      return %0, %1
    })";
  const Check check = [](const Programs& programs) {
    const std::vector<FunctionPtr> functions = all_functions(programs[0].functions[0]);
    if (functions.empty() || functions.back()->levels() < 2) return Verdict::boring;
    return print(programs[0]).find("erf") == std::string::npos ? Verdict::boring
                                                               : Verdict::interesting;
  };
  const Reduction reduction = reduce_programs({parse(nested)}, check);
  const ProgramSize size = size_of(reduction.programs);
  EXPECT_EQ(size.inner, 2U);
  EXPECT_EQ(size.nodes, 3U) << print(reduction.programs[0]);
  EXPECT_EQ(size.constants, 0U);
  EXPECT_LE(size.signature, 7U) << print(reduction.programs[0]);
  EXPECT_LT(reduction.checks, 80U);
}

// 2^20 calls of the innermost function: what is shared doesn't grow without bounds.
TEST(ReduceInside, FunctionsThatAreSharedManyTimesStaySmall) {
  std::string program = "private func @f0(%x: f32[4]) { %0 = erf(%x)\nreturn %0 }\n";
  const int levels = 20;
  for (int i = 1; i <= levels; ++i) {
    const std::string run = " = scan(%x) {body = @f" + std::to_string(i - 1) +
                            ", carries = 1, sequences = 0, length = 2}\n";
    program += (i == levels ? "func @f(" : "private func @f" + std::to_string(i) + "(") +
               "%x: f32[4]) {\n%0" + run + "%1" + run + "%2 = add(%0, %1)\nreturn %2 }\n";
  }
  std::size_t most = 0;
  const Check check = holds({"erf"});
  const Reduction reduction = reduce_programs({parse(program)}, [&](const Programs& programs) {
    most = std::max(most, size_of(programs).nodes);
    return check(programs);
  });
  EXPECT_EQ(size_of(reduction.programs).nodes, 1U) << print(reduction.programs[0]);
  EXPECT_LT(most, 300U);
}

TEST(ReduceInside, RanksChangeTogether) {
  const auto rank = [](const std::string& size) {
    return parse("private func @cell(%h: f32[" + size + "]) {\n%0 = exp(%h)\n%1 = erf(%0)\n" +
                 "return %1 }\nfunc @f(%h: f32[" + size +
                 "]) {\n%0 = scan(%h) {body = @cell, carries = 1, sequences = 0, length = 3}\n"
                 "return %0 }");
  };
  bool agreed = true;
  const Reduction reduction =
      reduce_programs({rank("3"), rank("5")}, [&](const Programs& programs) {
        const auto has = [&](std::size_t i, const char* word) {
          return print(programs[i]).find(word) != std::string::npos;
        };
        agreed = agreed && programs.size() == 2 && has(0, "exp") == has(1, "exp");
        return has(0, "erf") && has(0, "scan") ? Verdict::interesting : Verdict::boring;
      });
  EXPECT_TRUE(agreed);
  EXPECT_EQ(size_of(reduction.programs).nodes, 4U);
}

}  // namespace
}  // namespace tutti::ir::reduce_programs_inside_test
