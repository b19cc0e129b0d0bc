#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/lower_collective.h>
#include <tutti/ir/parse/parse.h>

#include "tests/support/golden.h"
#include <gmock/gmock.h>

namespace tutti::codegen::lower_collective_test {
namespace {

using runtime::CollectiveKind;
using testing::ElementsAre;
using testing::Pair;

// What a line of IR with %x: f32[2,6,5] becomes on a rank of @g, ranks 0 to 2.
std::vector<LoweredCollective> lowered(const std::string& line, std::int64_t rank = 1) {
  const ir::Graph graph =
      ir::parse("group @g = {ranks = [0..3], timeout = 500}\nfunc @f(%x: f32[2,6,5]) {\n" + line +
                " // a.cpp:1\nreturn }")
          .functions.at(0);
  return lower_collective(graph, 1, rank);
}

TEST(LowerCollective, ReductionsAndRootsAreNamed) {
  const LoweredCollective sum = lowered("%0 = reduce(%x) {op = \"max\", root = 2, group = @g}")[0];
  EXPECT_EQ(sum.call.kind, CollectiveKind::reduce);
  EXPECT_EQ(sum.call.reduction, runtime::Reduction::max);
  EXPECT_EQ(sum.call.root, 2);
  EXPECT_EQ(sum.call.parts.at(0).elements, 60);
  EXPECT_EQ(sum.call.description, "reduce max root 2 f32[2,6,5]");
  EXPECT_EQ(sum.call.location.text(), "a.cpp:1");
}

TEST(LowerCollective, PartsAreSeenAroundTheirAxis) {
  const LoweredCollective scattered =
      lowered("%0 = scatter(%x) {axis = 1, root = 0, group = @g, sizes = [3, 1, 2], part = 1}")[0];
  const runtime::TensorPart& part = scattered.call.parts.at(0);
  EXPECT_THAT((std::vector{part.outer, part.axis_size, part.inner}), ElementsAre(2, 6, 5));
  EXPECT_THAT(part.sizes, ElementsAre(3, 1, 2));
  const LoweredCollective exchanged = lowered(
      "%0 = all_to_all(%x) {axis = 1, group = @g, send_sizes = [3, 1, 2], receive_sizes = "
      "[0, 1, 1]}")[0];
  EXPECT_THAT(exchanged.call.parts.at(0).sizes, ElementsAre(3, 1, 2));
  EXPECT_THAT(exchanged.call.parts.at(0).receive_sizes, ElementsAre(0, 1, 1));
}

TEST(LowerCollective, AListIsOneCall) {
  const auto lists =
      lowered("%0, %1 = collective_permute(%x, %x) {pairs = [0, 2, 2, 1], group = @g}");
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_THAT(lists[0].call.pairs, ElementsAre(Pair(0, 2), Pair(2, 1)));
  EXPECT_EQ(lists[0].call.parts.size(), 2U);
  EXPECT_EQ(lists[0].operands.size(), 2U);
  EXPECT_EQ(lists[0].results.size(), 2U);
}

TEST(LowerCollective, OnGpusAnAlgorithmThatIsAskedForCountsAndNotTheHostsColumn) {
  const auto table =
      runtime::AlgorithmTable::parse("* * * * always never 1M 1M never", "table.txt");
  const auto limit = [&](const std::string& backends, ir::Algorithm asked) {
    const ir::Graph graph = ir::parse("group @g = {ranks = [0..3], backends = \"" + backends +
                                      "\"}\nfunc @f(%x: f32[6] on cuda:0) {\n"
                                      "%0 = all_reduce(%x) {op = \"sum\", group = @g}\nreturn }")
                                .functions.at(0);
    const runtime::Algorithms algorithms{.table = &table, .asked = asked};
    return lower_collective(graph, 1, 0, algorithms).at(0).call.one_shot_up_to;
  };
  using ir::Algorithm;
  constexpr std::int64_t kMuch = std::int64_t{1} << 40;
  EXPECT_EQ(limit("cuda:nccl", Algorithm::automatic), 65536);
  EXPECT_EQ(limit("cuda:nccl", Algorithm::two_shot), -1);
  EXPECT_GT(limit("cuda:nccl", Algorithm::one_shot), kMuch);
  EXPECT_GT(limit("cuda:shm", Algorithm::automatic), kMuch);
}

// NCCL adds in an order of its own; it moves what kernels combine, as far as that is no large
// tensor from each member.
TEST(LowerCollective, ExactSumsOfFloatsOnGpusAreNoSumsOfNccls) {
  const auto way = [](const std::string& type, const std::string& op, ir::Algorithm asked) {
    const ir::Graph graph =
        ir::parse("group @g = {ranks = [0..3], backends = \"cuda:nccl\"}\nfunc @f(%x: " + type +
                  " on cuda:0) {\n%0 = " + op + "\nreturn }")
            .functions.at(0);
    const LoweredCollective lowered = lower_collective(graph, 1, 0, {.asked = asked}).at(0);
    return std::string(name_of(lowered.call.kind)) + " by " + lowered.engine;
  };
  using ir::Algorithm;
  const std::string sum = "all_reduce(%x) {op = \"sum\", group = @g}";
  EXPECT_EQ(way("f32[6]", sum, Algorithm::exact), "all_gather by nccl");
  EXPECT_EQ(way("bf16[6]", sum, Algorithm::exact), "all_gather by nccl");
  EXPECT_EQ(way("f32[100000000]", sum, Algorithm::exact), "all_reduce by shm");
  EXPECT_EQ(way("f32[6]", sum, Algorithm::automatic), "all_reduce by nccl");
  EXPECT_EQ(way("i32[6]", sum, Algorithm::exact), "all_reduce by nccl");
  EXPECT_EQ(way("f32[6]", "all_gather(%x) {axis = 0, group = @g}", Algorithm::exact),
            "all_gather by nccl");
}

TEST(LowerCollective, MessagesAreCollectivesOfTheirPair) {
  const auto messages = lowered(
      "%0, %1 = batch_send_recv(%x) {to = [2], from = [0, 2], receives = [i32[3], f32[]], group = "
      "@g}");
  ASSERT_EQ(messages.size(), 3U);
  const LoweredCollective& sent = messages[0];
  EXPECT_EQ(sent.call.kind, CollectiveKind::send_recv);
  EXPECT_EQ(*sent.group,
            (ir::Group{.tag = "g [0,1,2] messages", .ranks = {1, 2}, .stride = 2, .timeout = 500}));
  EXPECT_EQ(sent.call.description, "send f32[2,6,5] to rank 2");
  EXPECT_EQ(sent.operands.size(), 1U);
  EXPECT_TRUE(sent.results.empty());
  const LoweredCollective& received = messages[1];
  EXPECT_EQ(*received.group,
            (ir::Group{.tag = "g [0,1,2] messages", .ranks = {0, 1}, .stride = 2, .timeout = 500}));
  EXPECT_EQ(received.call.dtype, DType::i32);
  EXPECT_EQ(received.call.parts.at(0).elements, 3);
  EXPECT_TRUE(received.operands.empty());
  EXPECT_EQ(received.results.size(), 1U);
}

TEST(LowerCollective, RefusesARankWithoutAPartInIt) {
  const auto refuse = [](const std::string& line, std::int64_t rank, const std::string& message) {
    EXPECT_THAT([&] { lowered(line, rank); },
                testing::ThrowsMessage<TypeError>(testing::HasSubstr(message)));
  };
  refuse("barrier() {group = @g}", 3, "a.cpp:1: barrier: rank 3 is in no group of \"g\"");
  refuse("send(%x) {to = 1, group = @g}", 1,
         "a.cpp:1: send: position 1 of group \"g\" is this rank");
  refuse(
      "%0 = all_gather(%x) {axis = 1, group = @g, sizes = [6, 5, 6]}", 1,
      "a.cpp:1: all_gather: axis 1 of f32[2,6,5] is 6, but sizes[1], which is this rank's, is 5");
}

TEST(LowerCollective, ABatchStartsAllItsMessagesBeforeItWaits) {
  const ir::Graph graph = ir::parse(R"(
group @g = {ranks = [0..2]}
func @f(%x: f32[4]) {
  %0 = batch_send_recv(%x, %x) {to = [1, 1], from = [1], receives = [f32[4]], group = @g}
  %1 = all_reduce(%x) {op = "sum", group = @g}
  %2 = wait(%0)
  return %2, %1
})")
                              .functions.at(0);
  EXPECT_TRUE(
      test::matches_golden(print(make_plan(graph, 0)), "codegen/golden/batch_send_recv.plan"));
}

}  // namespace
}  // namespace tutti::codegen::lower_collective_test
