#include <tutti/ir/debug/bisect.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/pipeline.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/text/print.h>

#include <gmock/gmock.h>

// Where a pass or a kernel is to blame: in the programs of which ranks, in which function.
namespace tutti::ir::bisect_places_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Graph function(const std::string& text) { return parse(text).functions[0]; }

// Both bodies have an exp; only @later runs after what makes results differ.
const std::string kLoops = R"(private func @first(%h: f32[2]) {
  %0 = tanh(%h)
  return %0
}
private func @inner(%h: f32[2]) {
  %0 = exp(%h)
  return %0
}
private func @outer(%h: f32[2]) {
  %0 = scan(%h) {body = @inner, carries = 1, sequences = 0, length = 2}
  %1 = sin(%0)
  return %1
}
func @f(%x: f32[2]) {
  %0 = scan(%x) {body = @first, carries = 1, sequences = 0, length = 3}
  %1 = scan(%0) {body = @outer, carries = 1, sequences = 0, length = 3}
  %2 = cos(%1)
  return %2, %1
})";

// A stage of a pipeline: it takes part in a sum after some work of its own.
std::string stage(const std::string& op) {
  return "group @g = {ranks = [0, 1]}\nprivate func @cell(%h: f32[2]) {\n%0 = " + op +
         "(%h)\nreturn %0 }\nfunc @f(%x: f32[2]) {\n%0 = scan(%x) {body = @cell, carries = 1, "
         "sequences = 0, length = 2}\n%1 = all_reduce(%0) {op = \"sum\", group = @g}\n"
         "%2 = wait(%1)\nreturn %2 }";
}

RankArrays inputs(std::size_t ranks) {
  const std::vector<float> values = {0.5, 1};
  return RankArrays(ranks, {Array::from(std::span<const float>(values), {2})});
}

// A pass that is wrong about one op.
template <Op from, Op to>
bool takes_one_for_another(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (graph.node(id).op != from) return false;
    rewriter.replace(id, rewriter.builder().add(to, rewriter.map_operands(id)));
    return true;
  });
}
// One that fails for it.
bool fails_for_exp(Graph& graph) {
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op == Op::exp) throw InternalError("no idea");
  }
  return false;
}
// One that is right on its own, but not for some ranks only.
bool sums_products(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (graph.node(id).op != Op::all_reduce) return false;
    std::vector<Attribute> attributes = graph.node(id).attributes;
    attributes[0] = std::string("product");
    rewriter.replace(id,
                     rewriter.builder().add(Op::all_reduce, rewriter.map_operands(id), attributes));
    return true;
  });
}

PassCulprit culprit_of(const RankPrograms& programs, bool (*run)(Graph&)) {
  const Pass wrong = {"wrong", run, ""};
  const std::vector<const Pass*> passes = {find_pass("canonicalize"), &wrong};
  const PassBisection found = bisect_passes(programs, passes, inputs(programs.of_rank.size()));
  EXPECT_TRUE(found.culprit);
  return found.culprit.value_or(PassCulprit());
}

TEST(BisectPlaces, NameTheFunctionInsideOfWhichThePassIsWrong) {
  const RankPrograms programs = RankPrograms::same(function(kLoops), 1);
  const PassCulprit inner = culprit_of(programs, takes_one_for_another<Op::exp, Op::expm1>);
  EXPECT_EQ(inner.function, "inner");
  EXPECT_THAT(inner.finding, HasSubstr("result 0 on rank 0 differs"));
  EXPECT_THAT(print(inner.before), HasSubstr("exp(%h)"));
  EXPECT_THAT(print(inner.after), HasSubstr("expm1(%h)"));
  EXPECT_EQ(culprit_of(programs, takes_one_for_another<Op::tanh, Op::sin>).function, "first");
  EXPECT_EQ(culprit_of(programs, takes_one_for_another<Op::sin, Op::tanh>).function, "outer");
  EXPECT_EQ(culprit_of(programs, takes_one_for_another<Op::cos, Op::sin>).function, "");
  EXPECT_EQ(culprit_of(programs, fails_for_exp).function, "inner");
}

// As the compiler does: some passes do something else in functions, or go over them by themselves.
TEST(BisectPlaces, AreThoseWhereTheCompilerRunsThePass) {
  const RankPrograms programs = RankPrograms::same(function(kLoops), 1);
  const auto place = [&](const Pass& wrong) {
    const Pass* const pass = &wrong;
    const PassBisection found = bisect_passes(programs, std::span(&pass, 1), inputs(1));
    EXPECT_TRUE(found.culprit);
    return found.culprit ? found.culprit->function : "none";
  };
  EXPECT_EQ(place({.name = "wrong",
                   .run = takes_one_for_another<Op::exp, Op::expm1>,
                   .does = "",
                   .run_function = takes_one_for_another<Op::sin, Op::tanh>}),
            "outer");
  EXPECT_EQ(place({.name = "wrong",
                   .run =
                       [](Graph& graph) {
                         return change_functions(graph, takes_one_for_another<Op::exp, Op::expm1>);
                       },
                   .does = "",
                   .takes_varying_sizes = true}),
            "");
}

TEST(BisectPlaces, ShowOnlyWhatThePassDoesThere) {
  const std::string twice = R"(private func @a(%h: f32[2]) { %0 = exp(%h) return %0 }
    private func @b(%h: f32[2]) { %0 = exp(%h) %1 = tanh(%0) return %1 }
    func @f(%x: f32[2]) {
      %0 = scan(%x) {body = @a, carries = 1, sequences = 0, length = 1}
      %1 = scan(%x) {body = @b, carries = 1, sequences = 0, length = 1}
      return %1
    })";
  const PassCulprit culprit =
      culprit_of(RankPrograms::same(function(twice), 1), takes_one_for_another<Op::exp, Op::expm1>);
  EXPECT_EQ(culprit.function, "b");
  EXPECT_THAT(print(culprit.before), HasSubstr("expm1(%h)"));
  EXPECT_THAT(print(culprit.before), HasSubstr("= exp(%h)"));
  EXPECT_THAT(print(culprit.after), Not(HasSubstr("= exp(%h)")));
}

TEST(BisectPlaces, NameTheRanksWhoseProgramItIs) {
  const RankPrograms programs =
      RankPrograms::distinct({function(stage("exp")), function(stage("tanh"))});
  const PassCulprit culprit = culprit_of(programs, takes_one_for_another<Op::tanh, Op::sin>);
  EXPECT_THAT(culprit.ranks, ElementsAre(1));
  EXPECT_EQ(culprit.function, "cell");
  // Whose results these are is another matter.
  EXPECT_THAT(culprit.finding, HasSubstr("result 0 on rank 0 differs"));
  EXPECT_THAT(print(culprit.before), HasSubstr("tanh(%h)"));
  EXPECT_THAT(culprit_of(programs, takes_one_for_another<Op::exp, Op::sin>).ranks, ElementsAre(0));
  EXPECT_THAT(culprit_of(programs, fails_for_exp).ranks, ElementsAre(0));
}

TEST(BisectPlaces, AreUnknownIfRanksOnlyFailTogether) {
  const RankPrograms programs =
      RankPrograms::distinct({function(stage("exp")), function(stage("tanh"))});
  const PassCulprit culprit = culprit_of(programs, sums_products);
  EXPECT_THAT(culprit.finding, HasSubstr("result 0 on rank 0 differs"));
  EXPECT_TRUE(culprit.ranks.empty());
  EXPECT_EQ(culprit.function, "");
  EXPECT_THAT(print(culprit.after), HasSubstr("product"));
}

TEST(BisectPlaces, EqualProgramsAreOne) {
  const RankPrograms programs = RankPrograms::distinct(
      {function(stage("exp")), function(stage("tanh")), function(stage("exp"))});
  EXPECT_EQ(programs.graphs.size(), 2U);
  EXPECT_THAT(programs.ranks_of(0), ElementsAre(0, 2));
  EXPECT_THAT(programs.ranks_of(1), ElementsAre(1));
}

TEST(BisectPlaces, ProgramsThatTakeOtherArgumentsAreNotEqual) {
  const auto program = [](const std::string& name, const std::string& sharding) {
    return function("mesh (dp = 2)\nfunc @f(%" + name + ": f32[2]" + sharding + ") { return %" +
                    name + " }");
  };
  const std::string sharded = " {sharding = [[\"dp\"]]}";
  EXPECT_EQ(RankPrograms::distinct({program("x", ""), program("y", "")}).graphs.size(), 2U);
  EXPECT_EQ(RankPrograms::distinct({program("x", ""), program("x", sharded)}).graphs.size(), 2U);
}

TEST(BisectPlaces, ThePassesOfTheCompilerAreInnocentOfLoopsAndOnRanks) {
  EXPECT_FALSE(bisect_passes(RankPrograms::same(function(kLoops), 1), default_pipeline(), inputs(1))
                   .culprit);
  EXPECT_FALSE(
      bisect_passes(RankPrograms::distinct({function(stage("exp")), function(stage("tanh"))}),
                    default_pipeline(), inputs(2))
          .culprit);
}

TEST(BisectPlaces, AreSaidInWords) {
  const auto programs = [](const std::string& first, const std::string& second) {
    return RankPrograms::distinct(
        {function(stage(first)), function(stage(second)), function(stage(first))});
  };
  PassCulprit culprit;
  culprit.pass = "cse";
  culprit.finding = "result 0 on rank 0 differs: 1 instead of 2";
  const auto blame = [&](const RankPrograms& all) { return blame_of(culprit, all); };
  const std::string end = ": after it result 0 on rank 0 differs: 1 instead of 2";
  EXPECT_EQ(blame(programs("sin", "tanh")), "the pass cse is to blame" + end);
  culprit.ranks = {0, 2};
  EXPECT_EQ(blame(programs("sin", "tanh")),
            "the pass cse is to blame, for what it does on ranks 0 and 2" + end);
  culprit.function = "cell";
  EXPECT_EQ(blame(programs("sin", "sin")),
            "the pass cse is to blame, for what it does in @cell" + end);
  culprit.ranks = {1};
  EXPECT_EQ(blame(programs("sin", "tanh")),
            "the pass cse is to blame, for what it does on rank 1 in @cell" + end);
}

// An engine whose kernels of more than one node are wrong if they have a tanh.
bool fuses_tanh(const Graph& graph) {
  for (const FusionGroup& group : fusion_groups(graph)) {
    for (const NodeId node : group.members) {
      if (group.members.size() > 1 && graph.node(node).op == Op::tanh) return true;
    }
  }
  for (const FunctionPtr& inner : all_functions(graph)) {
    if (fuses_tanh(inner->graph())) return true;
  }
  return false;
}
RankArrays wrong_if_tanh_is_fused(const RankPrograms& programs) {
  RankArrays results = interpret(programs.by_rank(), inputs(programs.of_rank.size()));
  for (const Graph& graph : programs.graphs) {
    if (fuses_tanh(graph)) results[0][0].data<float>()[0] += 100;
  }
  return results;
}

TEST(BisectPlaces, NameTheKernelOfALoop) {
  const auto program = [](const std::string& op) {
    Graph graph = function("private func @cell(%h: f32[2]) {\n%0 = neg(%h)\n%1 = " + op +
                           "(%0)\nreturn %1 }\nfunc @f(%x: f32[2]) {\n%0 = exp(%x)\n"
                           "%1 = neg(%0)\n%2 = scan(%1) {body = @cell, carries = 1, sequences = "
                           "0, length = 2}\nreturn %2 }");
    const Pass* const pass = find_pass("fuse");
    run_passes(graph, std::span(&pass, 1));
    return graph;
  };
  const auto culprit = bisect_code(RankPrograms::distinct({program("sin"), program("tanh")}),
                                   inputs(2), wrong_if_tanh_is_fused);
  ASSERT_TRUE(culprit);
  EXPECT_THAT(culprit->blame, HasSubstr("kernel 0 of 1 in @cell: "));
  EXPECT_THAT(culprit->ranks, ElementsAre(1));
  ASSERT_EQ(culprit->nodes.size(), 2U);
  EXPECT_EQ(culprit->graph.node(culprit->nodes[1]).op, Op::tanh);
}

}  // namespace
}  // namespace tutti::ir::bisect_places_test
