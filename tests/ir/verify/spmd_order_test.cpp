#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/ir/verify/verify_spmd.h>

#include <algorithm>
#include <random>

#include "tests/ir/verify/spmd_programs.h"
#include <gmock/gmock.h>

// The order in which ranks call what they share.
namespace tutti::ir::spmd_order_test {
namespace {

using test::compare;
using test::receive;
using test::send;
using test::use;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPair = "group @dp = {ranks = [0, 1]}";
const std::string kStages = "group @pp = {ranks = [0..3]}\ngroup @dp = {ranks = [0, 2]}";

const std::string kTwo = kPair + "\ngroup @tp = {ranks = [0, 1]}";

// A sum over a group, on a line of its own.
std::string sum(const std::string& group, const std::string& line) {
  return "%" + line + " = all_reduce(%x) {op = \"sum\", group = @" + group + "} // a.cpp:" + line +
         "\n";
}

TEST(SpmdOrder, TwoGroupsAreCalledInOneOrder) {
  EXPECT_THAT(
      compare(kTwo, {sum("dp", "1") + sum("tp", "2"), sum("dp", "1") + sum("tp", "2")}).findings,
      IsEmpty());
  EXPECT_THAT(
      compare(kTwo, {sum("dp", "1") + sum("tp", "2"), sum("tp", "3") + sum("dp", "4")}).findings,
      ElementsAre("the ranks wait for each other in a circle:\n"
                  "  rank 0 calls all_reduce sum f32[4] at a.cpp:1 (group \"dp\" [0, 1], "
                  "collective 1)\n"
                  "    before rank 0 calls all_reduce sum f32[4] at a.cpp:2 (group \"tp\" [0, 1], "
                  "collective 1)\n"
                  "  rank 1 calls all_reduce sum f32[4] at a.cpp:3 (group \"tp\" [0, 1], "
                  "collective 1)\n"
                  "    before rank 1 calls all_reduce sum f32[4] at a.cpp:4 (group \"dp\" [0, 1], "
                  "collective 1)"));
}

TEST(SpmdOrder, ThreeGroupsAreCalledInOneOrder) {
  const std::string groups =
      "group @a = {ranks = [0, 1]}\ngroup @b = {ranks = [1, 2]}\ngroup @c = {ranks = [2, 0]}";
  EXPECT_THAT(compare(groups, {sum("a", "1") + sum("c", "2"), sum("a", "1") + sum("b", "2"),
                               sum("b", "1") + sum("c", "2")})
                  .findings,
              IsEmpty());
  const SpmdReport report =
      compare(groups, {sum("c", "1") + sum("a", "2"), sum("a", "3") + sum("b", "4"),
                       sum("b", "5") + sum("c", "6")});
  ASSERT_THAT(report.findings, testing::SizeIs(1));
  for (const std::string line : {"1", "2", "3", "4", "5", "6"}) {
    EXPECT_THAT(report.findings[0], HasSubstr("at a.cpp:" + line + " ("));
  }
}

TEST(SpmdOrder, ACircleNamesOnlyWhereRanksChange) {
  const std::string between = sum("dp", "10") + sum("dp", "11") + sum("dp", "12");
  const SpmdReport report = compare(
      kTwo, {sum("dp", "1") + between + sum("tp", "2"), sum("tp", "3") + sum("dp", "4") + between});
  ASSERT_THAT(report.findings, testing::SizeIs(1));
  EXPECT_EQ(std::ranges::count(report.findings[0], '\n'), 4) << report.findings[0];
  EXPECT_THAT(report.findings[0],
              HasSubstr("before rank 0 calls all_reduce sum f32[4] at a.cpp:2"));
}

TEST(SpmdOrder, RanksMayReceiveBeforeTheySend) {
  EXPECT_THAT(compare(kStages, {receive("%r", "1", "1") + send("1", "2") + use("%r"),
                                receive("%r", "0", "1") + send("0", "2") + use("%r")})
                  .findings,
              IsEmpty());
  EXPECT_THAT(compare(kStages, {send("1", "1") + receive("%r", "1", "2") + use("%r"),
                                send("0", "1") + receive("%r", "0", "2") + use("%r")})
                  .findings,
              IsEmpty());
}

TEST(SpmdOrder, RanksDoNotAllNeedWhatComesBeforeTheySend) {
  const SpmdReport report =
      compare(kStages, {receive("%r", "1", "1") + use("%r") + send("1", "2"),
                        receive("%r", "0", "3") + use("%r") + send("0", "4")});
  EXPECT_THAT(report.findings,
              ElementsAre(testing::AllOf(
                  HasSubstr("circle"), HasSubstr("rank 0 receives f32[4] at a.cpp:1 (messages from "
                                                 "rank 1 to rank 0 in group \"pp\" [0, 1, 2], "
                                                 "message 1)\n    before rank 0 sends f32[4] at "
                                                 "a.cpp:2"))));
}

TEST(SpmdOrder, MessagesAndCollectivesMakeCirclesToo) {
  const std::string stages = "group @pp = {ranks = [0..2]}\ngroup @dp = {ranks = [0, 1]}";
  EXPECT_THAT(compare(stages, {sum("dp", "1") + send("1", "2"),
                               receive("%r", "0", "3") + use("%r") + sum("dp", "4")})
                  .findings,
              ElementsAre(HasSubstr("circle")));
  EXPECT_THAT(compare(stages, {sum("dp", "1") + send("1", "2"),
                               receive("%r", "0", "3") + sum("dp", "4") + use("%r")})
                  .findings,
              IsEmpty());
}

TEST(SpmdOrder, LongProgramsTakeNoRecursion) {
  const auto dp = std::make_shared<const Group>(Group{.tag = "dp", .ranks = {0, 1}, .stride = 2});
  const auto tp = std::make_shared<const Group>(Group{.tag = "tp", .ranks = {0, 1}, .stride = 2});
  const Type type{.shape = {4}, .async = true};
  // Both ranks end with one of each group, in this order or the other.
  const auto program = [&](bool swapped) {
    Graph graph("f");
    const std::vector<Value> x = {graph.add_parameter("x", {.shape = {4}})};
    constexpr int kCount = 300'000;
    for (int i = 0; i < kCount; ++i) {
      const bool last = i + 2 >= kCount && swapped;
      graph.append(Op::all_reduce, x, {std::string("sum"), (i % 2 == 0) != last ? dp : tp},
                   std::vector{type}, {"a.cpp", 1});
    }
    return graph;
  };
  const Graph plain = program(false);
  const Graph swapped = program(true);
  const SpmdReport report = verify_spmd(std::vector<RankProgram>{{&plain}, {&plain}});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.collectives, 300'000U);
  EXPECT_THAT(verify_spmd(std::vector<RankProgram>{{&plain}, {&swapped}}).findings,
              ElementsAre(testing::AllOf(HasSubstr("circle"), HasSubstr("collective 150000"))));
}

// What random programs of three ranks do, event by event; one of them may be broken.
std::vector<std::string> random_bodies(std::mt19937& random, bool with_collectives) {
  const auto below = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  std::vector<std::vector<std::string>> lines(3);
  for (unsigned event = 0; event < 2 + below(8); ++event) {
    const std::string name = "%v" + std::to_string(event);
    const unsigned a = below(3);
    const unsigned b = (a + 1 + below(2)) % 3;
    if (!with_collectives || below(2) == 0) {
      lines[a].push_back(send(std::to_string(b), "1"));
      lines[b].push_back(receive(name, std::to_string(a), "2") + (below(2) == 0 ? use(name) : ""));
      continue;
    }
    const bool pair = below(2) == 0;
    for (unsigned rank = 0; rank < 3; ++rank) {
      if (pair && rank == 1) continue;
      lines[rank].push_back(name + " = all_reduce(%x) {op = \"sum\", group = @" +
                            (pair ? "dp" : "pp") + "}\n" + (below(2) == 0 ? use(name) : ""));
    }
  }
  auto& broken = lines[below(3)];
  if (broken.size() > 1) {
    if (below(4) == 0) broken.erase(broken.begin() + below(static_cast<unsigned>(broken.size())));
    if (below(2) == 0) std::swap(broken.front(), broken.back());
  }
  std::vector<std::string> out;
  for (const auto& own : lines) {
    std::string& body = out.emplace_back();
    for (const std::string& line : own) body += line;
  }
  return out;
}

// Whether the interpreter, whose ranks go on until they need what has not come, gets to the end.
bool runs(const std::vector<std::string>& bodies) {
  std::vector<Graph> graphs;
  for (const std::string& body : bodies) {
    graphs.push_back(parse(test::spmd_file(kStages, body)).functions.at(0));
  }
  std::vector<const Graph*> programs;
  for (const Graph& graph : graphs) programs.push_back(&graph);
  const std::vector<Array> inputs = {Array(DType::f32, {4}), Array(DType::i32, {4})};
  try {
    interpret(programs, std::vector(3, inputs));
    return true;
  } catch (const TypeError&) {
    return false;
  }
}

TEST(SpmdOrder, WhatFitsRunsAndWhatDiffersDoesNot) {
  std::mt19937 random(7);
  int fits = 0;
  int differs = 0;
  int circles = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<std::string> bodies = random_bodies(random, true);
    const SpmdReport report = compare(kStages, bodies);
    const std::string shown = testing::PrintToString(bodies);
    if (report.findings.empty()) {
      ++fits;
      EXPECT_TRUE(runs(bodies)) << shown;
    } else if (report.findings[0].find("circle") == std::string::npos) {
      ++differs;
      EXPECT_FALSE(runs(bodies)) << shown << testing::PrintToString(report.findings);
    } else {
      ++circles;  // some run, since the interpreter may start what it does not wait for
    }
  }
  EXPECT_GT(fits, 100);
  EXPECT_GT(differs, 20);
  EXPECT_GT(circles, 20);
}

TEST(SpmdOrder, MessagesFitExactlyWhereTheyRun) {
  std::mt19937 random(8);
  int fits = 0;
  int circles = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::string> bodies = random_bodies(random, false);
    const SpmdReport report = compare(kStages, bodies);
    EXPECT_EQ(report.findings.empty(), runs(bodies))
        << testing::PrintToString(bodies) << testing::PrintToString(report.findings);
    fits += report.findings.empty() ? 1 : 0;
    circles += !report.findings.empty() && report.findings[0].find("circle") != std::string::npos;
  }
  EXPECT_GT(fits, 100);
  EXPECT_GT(circles, 20);
}

}  // namespace
}  // namespace tutti::ir::spmd_order_test
