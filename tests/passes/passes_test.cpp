#include <tutti/ir/builder.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/passes/check_fusion.h"
#include "tests/support/golden.h"
#include <gmock/gmock.h>

// Every file in tests/passes/<pass>/ holds a program, a line `// -----`, and what the pass makes of
// it. TUTTI_TEST_BLESS=1 rewrites what is below the line.
namespace tutti::ir::passes_test {
namespace {

constexpr std::string_view kSeparator = "// -----\n";

struct Case {
  std::string pass;
  std::string file;  // without .tutti
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.pass << "/" << one.file; }

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Pass& pass : all_passes()) {
    const auto folder = std::filesystem::path(TUTTI_SOURCE_DIR) / "tests/passes" / pass.name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".tutti") continue;
      out.push_back({std::string(pass.name), entry.path().stem().string()});
    }
  }
  std::ranges::sort(out, {}, [](const Case& one) { return std::pair(one.pass, one.file); });
  return out;
}

class PassFile : public testing::TestWithParam<Case> {};

TEST_P(PassFile, IsWhatThePassMakes) {
  const std::string path = "passes/" + GetParam().pass + "/" + GetParam().file + ".tutti";
  const std::string text = test::read_test_file(path);
  const std::string before = text.substr(0, text.find(kSeparator));
  Module module = parse(before, path);
  const Pass& pass = *find_pass(GetParam().pass);
  for (Graph& graph : module.functions) {
    verify(graph);
    const Graph unchanged = graph;
    const bool changed = pass.run(graph);
    verify(graph);
    if (pass.name == "fuse") check_fusion(graph);
    EXPECT_EQ(changed, !structurally_equal(graph, unchanged)) << graph.name;
    EXPECT_FALSE(pass.run(graph)) << "the second run changes @" << graph.name << " again";
  }
  EXPECT_TRUE(test::matches_golden(before + std::string(kSeparator) + print(module), path));
}

INSTANTIATE_TEST_SUITE_P(Golden, PassFile, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.pass + "_" + one.param.file; });

TEST(Passes, AreFoundByName) {
  EXPECT_EQ(find_pass("cse")->name, "cse");
  EXPECT_EQ(find_pass("no_such_pass"), nullptr);
}

Graph small_graph() {
  Graph graph("small");
  Builder builder(graph);
  const Value x = graph.add_parameter("x", {.shape = {4}});
  builder.add(Op::exp, {x});
  graph.set_results({builder.add(Op::tanh, {builder.add(Op::identity, {x})})});
  return graph;
}

TEST(RunPasses, TellsTheHookAndLeavesOutTheDisabled) {
  Graph graph = small_graph();
  std::vector<std::string> seen;
  int verified = 0;
  const bool changed = run_passes(graph, {.disabled = {"fuse", "cse"},
                                          .verify = [&](const Graph&) { ++verified; },
                                          .after =
                                              [&](const PassReport& report) {
                                                seen.push_back(std::string(report.pass.name) +
                                                               (report.changed ? " changed" : ""));
                                              }});
  EXPECT_TRUE(changed);
  EXPECT_THAT(seen, testing::ElementsAre("bound_sizes", "skip_zeros", "decompose", "fold_constants",
                                         "canonicalize changed", "dce changed", "sum_spreads",
                                         "split_parts", "simplify_loops", "select_parts", "place"));
  EXPECT_EQ(verified, 2);
  EXPECT_EQ(graph.node_count(), 2);
}

TEST(RunPasses, TellsHowLongFunctionsOfLoopsTookInnermostFirst) {
  Graph graph = parse(R"(private func @inner(%h: f32[4]) { %0 = tanh(%h) return %0 }
    private func @outer(%h: f32[4]) {
      %0 = scan(%h) {body = @inner, carries = 1, sequences = 0, length = 2}
      return %0
    }
    func @f(%h: f32[4]) {
      %0 = scan(%h) {body = @outer, carries = 1, sequences = 0, length = 2}
      %1 = scan(%0) {body = @inner, carries = 1, sequences = 0, length = 2}
      return %1
    })")
                    .functions[0];
  std::vector<std::string> seen;
  const Pass* const pass = find_pass("dce");
  run_passes(graph, std::span(&pass, 1),
             {.disabled = {}, .verify = {}, .after = [&](const PassReport& report) {
                std::chrono::nanoseconds sum{};
                for (const FunctionTime& each : report.functions) {
                  seen.push_back(each.function);
                  sum += each.time;
                }
                EXPECT_LE(sum, report.time);
              }});
  EXPECT_THAT(seen, testing::ElementsAre("inner", "outer"));
}

TEST(RunPasses, NamesThePassThatBreaksARule) {
  Graph graph = small_graph();
  const PassOptions options{.disabled = {},
                            .verify = [](const Graph&) { throw VerifyError("broken"); },
                            .after = nullptr};
  EXPECT_THAT([&] { run_passes(graph, options); },
              testing::ThrowsMessage<InternalError>("after pass canonicalize: broken"));
}

// n elementwise nodes, each reading its own parameter if `with_parameters`.
Graph chain(int n, bool with_parameters) {
  Graph graph;
  Builder builder(graph);
  std::vector<Value> parameters;
  for (int i = 0; i < (with_parameters ? n : 1); ++i) {
    parameters.push_back(graph.add_parameter("x" + std::to_string(i), {.shape = {4}}));
  }
  Value x = parameters[0];
  for (int i = 0; i < n; ++i) {
    x = with_parameters ? builder.add(Op::add, {x, parameters[static_cast<std::size_t>(i)]})
                        : builder.add(Op::tanh, {x});
  }
  graph.set_results({x});
  return graph;
}

TEST(Fuse, KeepsGroupsWithinTheLimits) {
  Graph members = chain(100, false);
  fuse(members);
  check_fusion(members);
  EXPECT_EQ(fusion_groups(members).size(), 2);

  Graph inputs = chain(50, true);
  fuse(inputs);
  check_fusion(inputs);
  EXPECT_EQ(fusion_groups(inputs).size(), 3);

  Graph outputs;
  Builder builder(outputs);
  const Value x = builder.add(Op::tanh, {outputs.add_parameter("x", {.shape = {4}})});
  std::vector<Value> results;
  for (int i = 0; i < 30; ++i)
    results.push_back(builder.add(Op::mul, {x, builder.scalar(DType::f32, i)}));
  outputs.set_results(results);
  fuse(outputs);
  check_fusion(outputs);
  EXPECT_LE(fusion_groups(outputs).size(), 16);
}

TEST(Fuse, KeepsTheGroupsOfAFusedGraph) {
  Graph graph = chain(3, false);
  for (NodeId id = 1; id < 4; ++id) graph.set_fusion(id, static_cast<std::int32_t>(id - 1));
  EXPECT_FALSE(fuse(graph));
  EXPECT_EQ(fusion_groups(graph).size(), 3);
}

}  // namespace
}  // namespace tutti::ir::passes_test
