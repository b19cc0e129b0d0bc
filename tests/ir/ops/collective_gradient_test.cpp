#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/parse/parse.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

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

// Every collective of %v, f64[6], in a group of so many members.
std::vector<std::string> every_collective(const std::string& group, std::int64_t members) {
  const std::string end = "group = " + group + "}";
  const std::string root = "root = " + std::to_string(members - 1) + ", ";
  std::vector<std::string> out;
  for (const std::string op : {"sum", "mean", "max", "min", "product"}) {
    const std::string begin = "(%v) {op = \"" + op + "\", ";
    out.push_back("all_reduce" + begin + end);
    out.push_back("reduce" + begin + root + end);
    out.push_back("reduce_scatter" + begin + "axis = 0, " + end);
  }
  for (const char* const range : {"", ", exclusive = true", ", reverse = true"}) {
    out.push_back("scan_ranks(%v) {op = \"sum\", group = " + group + range + "}");
  }
  out.push_back("all_gather(%v) {axis = 0, " + end);
  out.push_back("gather(%v) {axis = 0, " + root + end);
  out.push_back("scatter(%v) {axis = 0, " + root + end);
  out.push_back("broadcast(%v) {" + root + end);
  out.push_back("all_to_all(%v) {axis = 0, " + end);
  std::string pairs;  // around a ring
  for (std::int64_t i = 0; i < members; ++i) {
    pairs += (i == 0 ? "" : ", ") + std::to_string(i) + ", " + std::to_string((i + 1) % members);
  }
  out.push_back("collective_permute(%v) {pairs = [" + pairs + "], " + end);
  return out;
}

// How a parameter is known to be the same on the ranks, and how it gets to a collective over groups
// that are no product of mesh dimensions.
struct Known {
  const char* type;
  const char* varied;
};
constexpr std::array kKnown = {Known{"", "identity(%x)"},
                               Known{" rep(dp)", "vary(%x) {dimensions = \"dp\"}"},
                               Known{" rep(dp, tp)", "vary(%x) {dimensions = \"dp,tp\"}"}};

// One of these ranks' programs; the loss is each rank's own, or their mean.
Graph program_of(const Known& known, const std::string& collective, bool shared) {
  const std::string lines = R"(
    mesh (dp = 2, tp = 2)
    group @all = mesh(dp = 2, tp = 2).dp.tp
    group @odd = {ranks = [0, 3, 1, 2], stride = 2}
    group @some = {ranks = [3, 0, 2]}
    group @alone = {ranks = [1]}
    func @f(%x: f64[6])" + std::string(known.type) +
                            ") {\n%v = " + known.varied + "\n%s = " + collective + R"(
      %t = wait(%s)
      %square = mul(%t, %t)
      %cube = mul(%square, %t)
      %loss = sum(%cube) {axes = [0]}
)";
  const char* const end =
      shared ? "%a = all_reduce(%loss) {op = \"mean\", group = @all}\n%b = wait(%a)\nreturn %b }"
             : "return %loss }";
  return parse(lines + end).functions.at(0);
}

// Whether a gradient of the gradient is refused.
bool is_product(const std::string& collective) {
  return collective.find("\"product\"") != std::string::npos;
}
void check(const std::vector<Graph>& programs, bool twice) {
  if (twice) {
    test::check_gradient_twice(programs);
  } else {
    test::check_gradient(programs);
  }
}

TEST(CollectiveGradient, OverGroupsThatAreNoProductOfMeshDimensions) {
  for (const std::string& collective : every_collective("@odd", 2)) {
    SCOPED_TRACE(collective);
    for (const Known& known : kKnown) {
      for (const bool shared : {false, true}) {
        const Graph program = program_of(known, collective, shared);
        check(std::vector<Graph>(4, program), !shared && !is_product(collective));
      }
    }
  }
}

// What all have in common is summed up over those outside, too, who make the same of it, in a group
// of their own.
TEST(CollectiveGradient, OverAListOfRanksThatLeavesOneOut) {
  const std::vector<std::string> inside = every_collective("@some", 3);
  const std::vector<std::string> outside = every_collective("@alone", 1);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    SCOPED_TRACE(inside[i]);
    for (const Known& known : kKnown) {
      std::vector<Graph> programs(4, program_of(known, inside[i], true));
      programs[1] = program_of(known, outside[i], true);
      check(programs, !is_product(inside[i]));
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
