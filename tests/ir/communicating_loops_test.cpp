// Loops and branches whose functions have collectives: types, meaning, what passes leave of them.

#include <tutti/ir/control.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/literal_use.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/ir/verify/verify_spmd.h>

#include "tests/ir/verify/spmd_programs.h"
#include <gmock/gmock.h>

namespace tutti::ir::communicating_loops_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::string kHead =
    "mesh (dp = 2)\n"
    "group @dp = {ranks = [0, 1]}\n";

Graph program(const std::string& text) {
  const Module module = parse(kHead + text);
  verify(module.functions.back());
  return module.functions.back();
}

// What each of two ranks gets, whose arguments are scalars.
std::vector<float> interpreted(const Graph& graph, const std::vector<float>& arguments) {
  std::vector<std::vector<Array>> inputs;
  for (const float argument : arguments) inputs.push_back({Array::scalar(argument)});
  std::vector<float> out;
  for (const std::vector<Array>& results : interpret(graph, inputs)) {
    out.push_back(results[0].data<float>()[0]);
  }
  return out;
}

const std::string kSumOfAll =
    "private func @body(%x: f32[], %by: f32[]) {\n"
    "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
    "  %1 = wait(%0)\n"
    "  %2 = vary(%1) {dimensions = \"dp\"}\n"
    "  %3 = mul(%2, %by)\n"
    "  return %3\n"
    "}\n";
const std::string kScan =
    "func @main(%x: f32[], %by: f32[]) {\n"
    "  %0 = scan(%x, %by) {body = @body, carries = 1, sequences = 0, length = 3}\n"
    "  return %0\n"
    "}\n";

TEST(CommunicatingLoops, AScanIsInterpretedStepByStepOnAllRanks) {
  const Graph graph = program(kSumOfAll + kScan);
  std::vector<std::vector<Array>> inputs;
  for (const float x : {1.F, 2.F}) inputs.push_back({Array::scalar(x), Array::scalar(x)});
  const auto results = interpret(graph, inputs);
  // 3, then times 1 and 2; 3 + 6 = 9; 9 + 18 = 27.
  EXPECT_EQ(results[0][0].data<float>()[0], 27);
  EXPECT_EQ(results[1][0].data<float>()[0], 54);
}

const std::string kUntil =
    "private func @condition(%x: f32[]) {\n"
    "  %0 = all_reduce(%x) {op = \"max\", group = @dp}\n"
    "  %1 = wait(%0)\n"
    "  %2 = constant() {value = f32[] 100}\n"
    "  %3 = lt(%1, %2)\n"
    "  return %3\n"
    "}\n"
    "private func @body(%x: f32[]) {\n"
    "  %0 = add(%x, %x)\n"
    "  return %0\n"
    "}\n"
    "func @main(%x: f32[]) {\n"
    "  %0 = while_loop(%x) {condition = @condition, body = @body, carries = 1}\n"
    "  return %0\n"
    "}\n";

TEST(CommunicatingLoops, AConditionMayCommunicate) {
  EXPECT_THAT(interpreted(program(kUntil), {1, 3}), ElementsAre(64, 192));
}

TEST(CommunicatingLoops, AConditionThatDiffersBetweenRanksCantGuardACollective) {
  const std::string wrong =
      "private func @condition(%x: f32[]) {\n"
      "  %0 = constant() {value = f32[] 100}\n"
      "  %1 = lt(%x, %0)\n"
      "  return %1\n"
      "}\n" +
      kUntil.substr(kUntil.find("private func @body"));
  const std::string meets =
      "private func @body(%x: f32[]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  return %1\n"
      "}\n";
  std::string text = wrong;
  const std::size_t begin = text.find("private func @body");
  text.replace(begin, text.find("func @main") - begin, meets);
  EXPECT_THAT([&] { program(text); },
              ThrowsMessage<Error>(testing::AllOf(HasSubstr("communicates over \"dp\""),
                                                  HasSubstr("the condition of the loop"))));
  program(wrong);  // nobody meets in it
}

// What the condition believes of a carry, the body has to keep.
TEST(CommunicatingLoops, ConditionAndBodyAgreeOnWhatIsTheSame) {
  EXPECT_THAT(
      [] {
        program(
            "private func @condition(%c: f32[] rep(dp)) {\n"
            "  %0 = constant() {value = f32[] 3}\n"
            "  %1 = lt(%c, %0)\n"
            "  return %1\n"
            "}\n"
            "private func @body(%c: f32[]) {\n"
            "  %0 = all_reduce(%c) {op = \"sum\", group = @dp}\n"
            "  %1 = wait(%0)\n"
            "  %2 = vary(%1) {dimensions = \"dp\"}\n"
            "  return %2\n"
            "}\n"
            "func @main() {\n"
            "  %0 = constant() {value = f32[] 1}\n"
            "  %1 = while_loop(%0) {condition = @condition, body = @body, carries = 1}\n"
            "  return %1\n"
            "}\n");
      },
      ThrowsMessage<Error>(HasSubstr("are the same on different ranks")));
}

TEST(CommunicatingLoops, TrimmingMayMakeANumberKnownOnMoreRanks) {
  Graph graph = program(
      "private func @body(%w: f32[] rep(dp), %x: f32[]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  %2 = constant() {value = f32[] 2}\n"
      "  return %1, %x, %2\n"
      "}\n"
      "func @main(%w: f32[] rep(dp), %x: f32[4]) {\n"
      "  %0, %1, %2 = scan(%w, %x) {body = @body, carries = 1, sequences = 1, length = 4}\n"
      "  return %2\n"
      "}\n");
  run_passes(graph);
  verify(graph);
}

TEST(CommunicatingLoops, WhatIsKeptIsWhatAGradientExpects) {
  const std::string body =
      "private func @body(%x: f32[]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  %2 = vary(%1) {dimensions = \"dp\"}\n"
      "  %3 = ge(%2, %x)\n"
      "  return %2, %3\n"
      "}\n";
  for (const std::string kept : {"2", "-1", "1"}) {
    EXPECT_THAT(
        [&] {
          program(
              body +
              "func @main(%x: f32[]) {\n"
              "  %0, %1 = scan(%x) {body = @body, carries = 1, sequences = 0, length = 3, kept = " +
              kept + "}\n  return %0\n}\n");
        },
        ThrowsMessage<Error>(HasSubstr("kept")));
  }
}

TEST(CommunicatingLoops, FunctionsGiveNothingThatIsUnderWay) {
  EXPECT_THAT(
      [] {
        program(
            "private func @body(%x: f32[]) {\n"
            "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
            "  return %x, %0\n"
            "}\n"
            "func @main(%x: f32[]) {\n"
            "  %0, %1 = scan(%x) {body = @body, carries = 1, sequences = 0, length = 3}\n"
            "  return %0\n"
            "}\n");
      },
      ThrowsMessage<Error>(HasSubstr("is waited for in it")));
}

TEST(CommunicatingLoops, KeepTheirPlaceWhateverThePassesDo) {
  Graph graph =
      program(kSumOfAll +
              "func @main(%x: f32[], %by: f32[]) {\n"
              "  %0 = scan(%x, %by) {body = @body, carries = 1, sequences = 0, length = 3}\n"
              "  %1 = scan(%x, %by) {body = @body, carries = 1, sequences = 0, length = 3}\n"
              "  %2 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
              "  %3 = wait(%2)\n"
              "  return %3\n"
              "}\n");
  EXPECT_EQ(graph.call_count(), 3U);
  run_passes(graph);
  std::vector<Op> order;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (communicates(graph, id)) order.push_back(graph.node(id).op);
  }
  EXPECT_THAT(order, ElementsAre(Op::scan, Op::scan, Op::all_reduce));
}

// What only a collective needs is needed.
TEST(CommunicatingLoops, ACarryThatOnlyTheCallsLookAtStays) {
  Graph graph = program(
      "private func @body(%x: f32[], %y: f32[]) {\n"
      "  %0 = all_reduce(%y) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  %2 = add(%x, %x)\n"
      "  return %2, %1\n"
      "}\n"
      "func @main(%x: f32[]) {\n"
      "  %0, %1 = scan(%x, %x) {body = @body, carries = 2, sequences = 0, length = 3}\n"
      "  return %0\n"
      "}\n");
  run_passes(graph);
  EXPECT_THAT(print(graph), HasSubstr("all_reduce"));
  EXPECT_THAT(interpreted(graph, {1, 2}), ElementsAre(8, 16));
}

TEST(CommunicatingLoops, AloneTheyNeedNobody) {
  const Module module = parse(
      "mesh (dp = 1)\n"
      "group @dp = {ranks = [0]}\n" +
      kSumOfAll + kScan);
  Graph graph = module.functions.back();
  run_passes(graph);
  verify(graph);
  EXPECT_THAT(print(graph), testing::Not(HasSubstr("all_reduce")));
}

TEST(CommunicatingLoops, AreComparedStepByStep) {
  const std::string loop =
      "private func @body(%x: f32[4]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  return %1\n"
      "}\n"
      "func @main(%x: f32[4]) {\n"
      "  %0 = scan(%x) {body = @body, carries = 1, sequences = 0, length = ";
  const auto with_length = [&](int length) {
    return "group @dp = {ranks = [0, 1]}\n" + loop + std::to_string(length) + "}\n  return %0\n}\n";
  };
  const std::string written_out =
      "group @dp = {ranks = [0, 1]}\n"
      "func @main(%x: f32[4]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  %2 = all_reduce(%1) {op = \"sum\", group = @dp}\n"
      "  %3 = wait(%2)\n"
      "  return %3\n}\n";
  EXPECT_THAT(test::compare_files({with_length(2), written_out}).findings, IsEmpty());
  EXPECT_THAT(test::compare_files({with_length(2), with_length(3)}).findings,
              ElementsAre(HasSubstr("collective 3: rank 0 calls nothing more")));
}

// Each runs the one before twice: nothing may go through them path by path.
TEST(CommunicatingLoops, FunctionsThatManyRunAreGoneThroughOnce) {
  std::string text =
      "private func @f0(%x: f32[]) {\n"
      "  %0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "  %1 = wait(%0)\n"
      "  %2 = vary(%1) {dimensions = \"dp\"}\n"
      "  return %2\n"
      "}\n";
  constexpr int kLevels = 30;
  for (int level = 1; level <= kLevels; ++level) {
    const std::string loop =
        "{body = @f" + std::to_string(level - 1) + ", carries = 1, sequences = 0, length = 2}\n";
    text += "private func @f" + std::to_string(level) + "(%x: f32[]) {\n  %0 = scan(%x) " + loop +
            "  %1 = scan(%0) " + loop + "  return %1\n}\n";
  }
  text += "func @main(%x: f32[]) {\n  %0 = scan(%x) {body = @f" + std::to_string(kLevels) +
          ", carries = 1, sequences = 0, length = 2}\n  return %0\n}\n";
  Graph graph = program(text);
  literal_uses(graph, 1, {});
  EXPECT_EQ(all_functions(graph.node(1)).size(), kLevels + 1U);
  run_passes(graph);
  const RankProgram one = {&graph};
  EXPECT_THAT([&] { verify_spmd(std::array{one, one}); },
              ThrowsMessage<UsageError>(HasSubstr("too often to compare")));
}

}  // namespace
}  // namespace tutti::ir::communicating_loops_test
