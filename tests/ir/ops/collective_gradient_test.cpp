#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/parse/parse.h>

#include <functional>

#include "tests/ir/derive/gradient_check.h"
#include <gmock/gmock.h>

// Gradients of collectives, and through them.
namespace tutti::ir::collective_gradient_test {
namespace {

// A program over mesh (dp = 2, tp = 2) with lines that make %r, an f64[2], from %x, which varies,
// and %w, replicated over both dimensions; the groups are @dp and @odd, which is no product of
// them.
void check_collective(const std::string& lines, bool replicated_result) {
  test::check_gradient_of(
      R"(
    mesh (dp = 2, tp = 2)
    group @dp = mesh(dp = 2, tp = 2).dp
    group @all = mesh(dp = 2, tp = 2).dp.tp
    group @odd = {ranks = [0, 3, 1, 2], stride = 2}
    func @f(%x: f64[2], %w: f64[2] rep(dp, tp)) {
)" + lines +
      R"(
      %weights = constant() {value = f64[2] [0.7, -1.3]}
      %product = mul(%r, %weights)
      %loss = sum(%product) {axes = [0]}
)" +
      (replicated_result
           ? "%a = all_reduce(%loss) {op = \"mean\", group = @all}\n%b = wait(%a)\nreturn %b }"
           : "return %loss }"));
}

TEST(CollectiveGradient, OfCollectives) {
  for (const std::string group : {"@dp", "@odd"}) {
    for (const std::string op : {"sum", "mean", "max", "min"}) {
      // Results over @dp are replicated over it: made to vary for a loss that does.
      const std::string vary =
          group == "@dp" ? "%r = vary(%t) {dimensions = \"dp\"}" : "%r = identity(%t)";
      check_collective("%s = all_reduce(%x) {op = \"" + op + "\", group = " + group +
                           "}\n%u = wait(%s)\n%t = mul(%u, %u)\n" + vary,
                       false);
    }
    const std::string vary =
        group == "@dp" ? "%t = vary(%u) {dimensions = \"dp\"}" : "%t = identity(%u)";
    check_collective("%s = all_gather(%x) {axis = 0, group = " + group + "}\n%u = wait(%s)\n" +
                         vary +
                         "\n%q = mul(%t, %t)\n%r = slice(%q) {start = [1], stop = [3], step = [1]}",
                     false);
    check_collective("%s = broadcast(%x) {root = 1, group = " + group + "}\n%u = wait(%s)\n" +
                         vary + "\n%r = mul(%t, %t)",
                     false);
    for (const std::string op : {"sum", "mean"}) {
      check_collective(
          "%s = reduce_scatter(%x) {op = \"" + op + "\", axis = 0, group = " + group +
              "}\n%t = wait(%s)\n%q = mul(%t, %t)\n%r = broadcast_to(%q) {shape = [2]}",
          false);
    }
  }
}

TEST(CollectiveGradient, OfReplicatedParametersIsTheGlobalMeans) {
  check_collective("%v = vary(%w) {dimensions = \"dp,tp\"}\n%t = mul(%v, %x)\n%r = tanh(%t)", true);
  check_collective("%v = vary(%w) {dimensions = \"dp,tp\"}\n%t = mul(%v, %x)\n%r = tanh(%t)",
                   false);
}

// A program for each of three ranks, in which rank `r` has r + 1 of 6 parts.
void check_uneven(const std::function<std::string(int)>& lines) {
  std::vector<Graph> programs;
  for (int rank = 0; rank < 3; ++rank) {
    programs.push_back(parse(R"(
      group @all = {ranks = [0..3]}
      func @f(%x: f64[)" + std::to_string(rank + 1) +
                             R"(,2], %y: f64[2,6]) {
)" + lines(rank) + R"(
        %t = wait(%s)
        %c = mul(%t, %t)
        %d = mul(%c, %t)
        %loss = sum(%d) {axes = [0, 1]}
        return %loss
      })")
                           .functions.at(0));
  }
  test::check_gradient(programs);
}

TEST(CollectiveGradient, OfUnevenParts) {
  const std::string part = ", group = @all, sizes = [1, 2, 3], part = ";
  check_uneven(
      [](int) { return "%s = all_gather(%x) {axis = 0, group = @all, sizes = [1, 2, 3]}"; });
  check_uneven(
      [](int) { return "%s = gather(%x) {axis = 0, root = 1, group = @all, sizes = [1, 2, 3]}"; });
  for (const std::string op : {"sum", "mean"}) {
    check_uneven([&](int rank) {
      return "%s = reduce_scatter(%y) {op = \"" + op + "\", axis = 1" + part +
             std::to_string(rank + 1) + "}";
    });
  }
  check_uneven([&](int rank) {
    return "%s = scatter(%y) {axis = 1, root = 2" + part + std::to_string(rank + 1) + "}";
  });
  check_uneven([](int rank) {
    const char* const send[] = {"[1, 0, 5]", "[2, 2, 2]", "[0, 6, 0]"};
    const char* const receive[] = {"[1, 2, 0]", "[0, 2, 6]", "[5, 2, 0]"};
    return std::string("%s = all_to_all(%y) {axis = 1, group = @all, send_sizes = ") + send[rank] +
           ", receive_sizes = " + receive[rank] + "}";
  });
}

// With a mesh the result is known to be the same on all ranks: the own part, looked up by position.
TEST(CollectiveGradient, OfAnUnevenAllGatherThatIsReplicated) {
  std::vector<Graph> programs;
  for (int rank = 0; rank < 2; ++rank) {
    programs.push_back(parse(R"(
      mesh (dp = 2)
      group @all = {ranks = [0..2]}
      func @f(%x: f64[)" + std::to_string(3 - 2 * rank) +
                             R"(]) {
        %0 = all_gather(%x) {axis = 0, group = @all, sizes = [3, 1]}
        %1 = wait(%0)
        %2 = mul(%1, %1)
        %3 = mul(%2, %1)
        %4 = sum(%3) {axes = [0]}
        return %4
      })")
                           .functions.at(0));
  }
  test::check_gradient(programs);
}

// On every rank, whatever it was compiled with.
TEST(CollectiveGradient, OfAProductMakesItsCallsInOneOrder) {
  Graph graph = parse(R"(
    group @g = {ranks = [0..2]}
    func @f(%x: f32[]) {
      %0 = all_reduce(%x) {op = "product", group = @g}
      %1 = wait(%0)
      return %1
    })")
                    .functions[0];
  Builder builder(graph);
  gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value});
  std::vector<bool> reverse;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op != Op::scan_ranks) continue;
    reverse.push_back(graph.attributes(id).flag("reverse"));
  }
  EXPECT_THAT(reverse, testing::ElementsAre(false, true));
}

void refuse(const std::string& lines, const std::string& message) {
  Graph graph =
      parse("group @g = {ranks = [0..2]}\nfunc @f(%x: f32[]) {\n" + lines + "}").functions[0];
  Builder builder(graph);
  EXPECT_THAT(
      [&] { gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value}); },
      testing::ThrowsMessage<TypeError>(testing::HasSubstr(message)));
}

TEST(CollectiveGradient, IsRefusedWhereADerivativeLeavesTheRank) {
  refuse("%y = exp(%x)\nsend(%y) {to = 1, group = @g} // stage.cpp:7\n%r = exp(%y)\nreturn %r",
         "stage.cpp:7: send has no gradient here");
  refuse(
      "%0 = recv() {dtype = f32, shape = [], from = 1, group = @g}\n%1 = wait(%0)\n"
      "%r = mul(%1, %x)\nreturn %r",
      "recv has no gradient here: what it moves leaves one rank's program for another's. It has "
      "one straight in a function that grad differentiates on both ranks; in loops, branches, "
      "checkpoints, vjp and jvp use collective_permute, or take a vjp of each pipeline stage");
  refuse(
      "%0 = batch_send_recv(%x) {to = [1], from = [1], receives = [f32[]], group = @g}\n"
      "%1 = wait(%0)\n%r = mul(%1, %x)\nreturn %r",
      "batch_send_recv has no gradient");
}

// A pipeline stage: what comes and goes around the differentiated part does not count.
TEST(CollectiveGradient, OfAStageBetweenMessages) {
  Graph graph = parse(R"(
    group @g = {ranks = [0..3]}
    func @stage(%w: f32[2]) {
      %0 = recv() {dtype = f32, shape = [2], from = 0, group = @g}
      %x = wait(%0)
      %y = mul(%x, %w)
      send(%y) {to = 2, group = @g}
      %1 = recv() {dtype = f32, shape = [2], from = 2, group = @g}
      %g = wait(%1)
      return %y, %g, %x
    })")
                    .functions[0];
  Builder builder(graph);
  const std::vector<Value> results = graph.results();
  const std::vector<Value> wrt = {graph.parameters()[0].value, results[2]};
  EXPECT_EQ(vjp(builder, std::span(&results[0], 1), std::span(&results[1], 1), wrt).size(), 2U);
}

}  // namespace
}  // namespace tutti::ir::collective_gradient_test
