#include <tutti/ir/debug/bisect.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/text/print.h>

#include <algorithm>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::bisect_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Graph function(const std::string& text) { return parse(text).functions[0]; }

const std::string kProgram = R"(func @f(%x: f32[2,2]) {
  %0 = identity(%x)
  %1 = tanh(%0)
  %2 = exp(%1)
  %3 = sum(%2) {axes = [0]}
  return %1, %3
})";

RankArrays inputs() {
  const std::vector<float> values = {0.5, 1, 1.5, 2};
  return {{Array::from(std::span<const float>(values), {2, 2})}};
}

// Passes that are wrong.
bool exp_for_expm1(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (graph.node(id).op != Op::exp) return false;
    rewriter.replace(id, rewriter.builder().add(Op::expm1, rewriter.map_operands(id)));
    return true;
  });
}
bool lie(Graph& graph) {
  exp_for_expm1(graph);
  return false;
}
bool lose_results(Graph& graph) {
  graph.set_results({});
  return true;
}
bool fail(Graph&) { throw InternalError("no idea"); }
bool break_rules(Graph& graph) {
  graph.set_results({Value{1000}});
  return true;
}

PassBisection with_pass(bool (*run)(Graph&)) {
  const Pass wrong = {"wrong", run, ""};
  const std::vector<const Pass*> passes = {find_pass("canonicalize"), &wrong, find_pass("cse")};
  return bisect_passes(RankPrograms::same(function(kProgram), 1), passes, inputs());
}

TEST(BisectPasses, NamesThePassTheResultAndTheElement) {
  const PassBisection bisection = with_pass(exp_for_expm1);
  ASSERT_TRUE(bisection.culprit);
  EXPECT_EQ(bisection.culprit->pass, "wrong");
  EXPECT_THAT(bisection.culprit->finding, HasSubstr("result 1 on rank 0 differs at [0]: 2."));
  EXPECT_THAT(bisection.culprit->finding, HasSubstr("; so does 1 more of its 2 elements"));
  EXPECT_THAT(print(bisection.culprit->before), HasSubstr("exp(%0)"));
  EXPECT_THAT(print(bisection.culprit->after), HasSubstr("expm1(%0)"));
}

TEST(BisectPasses, FindsPassesThatFailOrLie) {
  EXPECT_THAT(with_pass(lie).culprit->finding, HasSubstr("said that it had not"));
  EXPECT_THAT(with_pass(lose_results).culprit->finding, HasSubstr("there are 0 results on rank 0"));
  EXPECT_THAT(with_pass(fail).culprit->finding, HasSubstr("in pass wrong: no idea"));
  const PassBisection broken = with_pass(break_rules);
  EXPECT_THAT(broken.culprit->finding, HasSubstr("after pass wrong"));
  EXPECT_TRUE(structurally_equal(broken.culprit->after, broken.culprit->before));
}

TEST(BisectPasses, ThePassesOfTheCompilerAreInnocent) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const test::RandomProgram program = test::random_program(
        seed, {.values = test::ProgramOptions::Values::close, .mesh = test::mesh_of_four()});
    std::vector<std::string_view> seen;
    const PassBisection bisection =
        bisect_passes(RankPrograms::same(program.graph, program.inputs.size()), default_pipeline(),
                      program.inputs, tolerance_of_passes(),
                      [&](const Innocent& look) { seen.push_back(look.pass.name); });
    EXPECT_FALSE(bisection.culprit)
        << "seed " << seed << ": " << bisection.culprit->pass << " " << bisection.culprit->finding;
    EXPECT_EQ(seen.size(), all_passes().size());
  }
}

TEST(BisectPasses, FindsAWrongPassOnOneOfManyRanks) {
  const Graph graph = function(R"(group @g = {ranks = [0, 1]}
    func @f(%x: f32[]) {
      %0 = rank_index() {group = @g}
      %1 = cast(%0) {dtype = f32}
      %2 = mul(%x, %1)
      %3 = exp(%2)
      %4 = constant() {value = f32[] 1}
      %5 = maximum(%3, %4)
      return %5
    })");
  const Pass wrong = {"wrong", exp_for_expm1, ""};
  const Pass* const passes[] = {&wrong};
  const RankArrays two = {{Array::scalar(1.0F)}, {Array::scalar(1.0F)}};
  EXPECT_THAT(bisect_passes(RankPrograms::same(graph, 2), passes, two).culprit->finding,
              HasSubstr("result 0 on rank 1 differs: 1.7182"));
}

// Three kernels; the middle one has tanh and exp.
Graph three_kernels() {
  Graph graph = function(R"(func @f(%x: f32[2,2]) {
    %0 = neg(%x)
    %1 = matmul(%0, %0)
    %2 = tanh(%1)
    %3 = exp(%2)
    %4 = matmul(%3, %3)
    %5 = neg(%4)
    return %5
  })");
  fuse(graph);
  return graph;
}

// Engines that are wrong.
RankArrays spoiled(RankArrays results) {
  results[0][0].data<float>()[0] += 100;
  return results;
}
RankArrays wrong_if_fused(const RankPrograms& programs) {
  const Graph& graph = programs.graphs[0];
  for (const FusionGroup& group : fusion_groups(graph)) {
    if (group.members.size() > 1) return spoiled(interpret(graph, inputs()));
  }
  return interpret(graph, inputs());
}
RankArrays wrong_tanh(const RankPrograms& programs) {
  const Graph& graph = programs.graphs[0];
  Graph other = graph;
  rewrite(other, [&](Rewriter& rewriter, NodeId id) {
    if (graph.node(id).op != Op::tanh) return false;
    rewriter.replace(id, rewriter.builder().add(Op::sin, rewriter.map_operands(id)));
    return true;
  });
  return interpret(other, inputs());
}

TEST(BisectCode, FindsTheFusedKernel) {
  const Graph graph = three_kernels();
  ASSERT_EQ(fusion_groups(graph).size(), 3);
  const auto culprit = bisect_code(RankPrograms::same(graph, 1), inputs(), wrong_if_fused);
  ASSERT_TRUE(culprit);
  EXPECT_THAT(culprit->finding, HasSubstr("result 0 on rank 0 differs at [0, 0]"));
  EXPECT_THAT(culprit->blame, HasSubstr("kernel 1 of 3"));
  ASSERT_EQ(culprit->nodes.size(), 2);
  EXPECT_EQ(graph.node(culprit->nodes[0]).op, Op::tanh);
}

TEST(BisectCode, FindsTheNodeIfItIsWrongHoweverItIsFused) {
  const Graph graph = three_kernels();
  const auto culprit = bisect_code(RankPrograms::same(graph, 1), inputs(), wrong_tanh);
  ASSERT_TRUE(culprit);
  EXPECT_THAT(culprit->blame, HasSubstr("the code of one node: %2 on rank 0 differs at [0, 0]"));
  ASSERT_EQ(culprit->nodes.size(), 1);
  EXPECT_EQ(graph.node(culprit->nodes[0]).op, Op::tanh);
}

TEST(BisectCode, CodeThatFailsIsWrong) {
  const auto culprit = bisect_code(
      RankPrograms::same(three_kernels(), 1), inputs(),
      [](const RankPrograms&) -> RankArrays { throw InternalError("no such register"); });
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->finding, "it fails: no such register");
  EXPECT_EQ(culprit->blame, "code generation, whatever is fused");
}

TEST(BisectCode, WhatTheMachineLacksIsNobodysFault) {
  const auto run = [](const RankPrograms&) -> RankArrays { throw EnvironmentError("no GPU"); };
  EXPECT_THROW(bisect_code(RankPrograms::same(three_kernels(), 1), inputs(), run),
               EnvironmentError);
}

TEST(BisectCode, RightCodeIsInnocent) {
  EXPECT_FALSE(bisect_code(
      RankPrograms::same(three_kernels(), 1), inputs(),
      [](const RankPrograms& programs) { return interpret(programs.by_rank(), inputs()); }));
}

}  // namespace
}  // namespace tutti::ir::bisect_test
