#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

// What the text of a program or plan does not say, and that no test goes without it.
namespace tutti::codegen::verify_text_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kProgram = R"(
func @f(%x: f32[4]) {
  %0 = exp(%x)
  %1 = sum(%0) {axes = [0]}
  return %1
}
)";

ir::Graph program() { return ir::parse(kProgram).functions.at(0); }

// A program with a type that nobody would infer, so that its text is refused.
ir::Graph unreadable() {
  ir::Graph graph = program();
  const ir::Value first = graph.parameters()[0].value;
  const ir::Type wrong{.dtype = DType::i64, .shape = {4}};
  const ir::NodeId node =
      graph.append(ir::Op::tanh, {&first, 1}, {}, {&wrong, 1}, Location("train.cpp", 7));
  graph.set_results({graph.result(node)});
  return graph;
}

Plan plan_of(ir::Graph graph) {
  ir::run_passes(graph);
  return make_plan(graph, 0);
}

// A plan with a constant that no buffer names, so that its text lacks it.
Plan untold() {
  Plan plan = plan_of(program());
  plan.constants.push_back(ir::share(ir::Array::scalar(2.0F)));
  return plan;
}

template <class Program>
std::string complaint(const Program& program) {
  try {
    verify_text(program);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(VerifyText, NamesTheLineThatIsRefused) {
  EXPECT_EQ(complaint(program()), "");
  EXPECT_THAT(complaint(unreadable()),
              AllOf(StartsWith("a program can't be told by its text: its text:6:"),
                    HasSubstr("%2 = tanh(%x) : i64[4]")));
}

TEST(VerifyText, NamesTheNodeThatDiffers) {
  ir::Graph graph = program();
  graph.set_fusion(1, -5);
  EXPECT_THAT(complaint(graph), HasSubstr("the kernel of exp(%x) : f32[4] is -5 in A and -1 in B"));
}

TEST(VerifyText, NamesThePartOfAPlanThatTheTextLacks) {
  EXPECT_EQ(complaint(plan_of(program())), "");
  EXPECT_THAT(complaint(untold()),
              StartsWith("a plan can't be told by its text: read back (B) it differs: constant 0"));
}

// The main of this program (tests/support/main.cpp) hears of all that is built. What is expected to
// fail is a call, since it becomes a part of another function.
void run_no_passes(ir::Graph graph) { ir::run_passes(graph, {}, {}); }

bool spoil(ir::Graph& graph) {
  graph = unreadable();
  return true;
}

void run_spoiling_pass() {
  constexpr ir::Pass kPass{.name = "spoil", .run = spoil, .does = "what no pass should"};
  const ir::Pass* const pass = &kPass;
  ir::Graph graph = program();
  ir::run_passes(graph, std::span(&pass, 1));
}

void interpret_on_zeros(const ir::Graph& graph) {
  ir::interpret(graph, std::vector<ir::Array>(1, ir::Array(DType::f32, {4})));
}

ir::Graph oddly_fused() {
  ir::Graph graph = program();
  graph.set_fusion(1, -5);
  return graph;
}

ir::Graph oddly_sharded() {
  ir::Graph graph = program();
  graph.set_parameter_sharding(0, {{"no such dimension"}});
  return graph;
}

TEST(TestHook, SeesWhatIsGivenToThePasses) {
  EXPECT_NONFATAL_FAILURE(run_no_passes(unreadable()), "%2 = tanh(%x) : i64[4]");
}

TEST(TestHook, SeesWhatPassesLeave) {
  EXPECT_NONFATAL_FAILURE(run_spoiling_pass(), "%2 = tanh(%x) : i64[4]");
}

TEST(TestHook, SeesWhatIsInterpreted) {
  EXPECT_NONFATAL_FAILURE(interpret_on_zeros(oddly_fused()), "the kernel of exp(%x)");
}

TEST(TestHook, SeesWhatIsVerified) {
  EXPECT_NONFATAL_FAILURE(ir::verify(oddly_sharded()), "no such dimension");
}

TEST(TestHook, SeesPlans) { EXPECT_NONFATAL_FAILURE(check(untold()), "constant 0"); }

}  // namespace
}  // namespace tutti::codegen::verify_text_test
