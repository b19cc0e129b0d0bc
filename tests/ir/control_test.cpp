#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <string>

#include "tests/ir/derive/gradient_check.h"
#include <gmock/gmock.h>

namespace tutti::ir::control_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCell = R"(// tutti ir 1

private func @cell(%h: f64[3], %x: f64[3], %w: f64[3]) -> (f64[3], f64[3]) {
  %0 = mul(%h, %w) : f64[3]
  %1 = add(%0, %x) : f64[3]
  %2 = tanh(%1) : f64[3]
  return %2, %1
}
)";

std::string scan_text(bool reverse) {
  return kCell + R"(
func @f(%h: f64[3], %xs: f64[5,3], %w: f64[3]) -> (f64[]) {
  %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 5)" +
         (reverse ? ", reverse = true" : "") + R"(} : f64[3], f64[5,3]
  %2 = mul(%1, %1) : f64[5,3]
  %3 = sum(%2) {axes = [0, 1]} : f64[]
  %4 = sum(%0) {axes = [0]} : f64[]
  %5 = add(%3, %4) : f64[]
  return %5
}
)";
}

const std::string kLoops = R"(// tutti ir 1

private func @is_small(%i: i32[], %n: i32[]) -> (bool[]) {
  %0 = constant() {value = i32[] 100} : i32[]
  %1 = lt(%i, %0) : bool[]
  return %1
}

private func @inner(%i: i32[], %n: i32[]) -> (i32[]) {
  %0 = add(%i, %n) : i32[]
  return %0
}

private func @step(%i: i32[], %n: i32[]) -> (i32[]) {
  %0 = while_loop(%i, %n) {condition = @is_small, body = @inner, carries = 1} : i32[]
  return %0
}

func @loops(%i: i32[], %n: i32[]) -> (i32[]) {
  %0 = conditional(%i, %i, %n) {branches = [@step, @inner]} : i32[]
  return %0
}
)";

std::vector<Array> run(const Graph& graph, std::vector<std::int32_t> inputs) {
  std::vector<Array> arrays;
  for (const std::int32_t input : inputs) arrays.push_back(Array::scalar(input));
  return interpret(graph, arrays);
}

TEST(Control, TextRoundTripsWithItsFunctions) {
  for (const std::string& text : {scan_text(false), scan_text(true), kLoops}) {
    const Module module = parse(text);
    ASSERT_EQ(module.functions.size(), 1U);
    EXPECT_EQ(print(module), text);
    verify(module.functions[0]);
  }
}

TEST(Control, FunctionsOfOneNameGetNamesOfTheirOwn) {
  const Module module = parse(kLoops);
  Module twice{{module.functions[0], parse(kLoops).functions[0]}};
  twice.functions[1].name = "again";
  const std::string text = print(twice);
  EXPECT_THAT(text, HasSubstr("private func @inner_1("));
  EXPECT_THAT(text, HasSubstr("branches = [@step_1, @inner_1]"));
  EXPECT_EQ(print(parse(text)), text);
}

TEST(Control, EqualFunctionsMakeEqualPrograms) {
  const Graph a = parse(kLoops).functions[0];
  const Graph b = parse(kLoops).functions[0];
  EXPECT_TRUE(structurally_equal(a, b));
  EXPECT_EQ(structural_hash(a), structural_hash(b));
  std::string other = kLoops;
  other.replace(other.find("i32[] 100"), 9, "i32[] 101");
  const Graph c = parse(other).functions[0];
  EXPECT_FALSE(structurally_equal(a, c));
  EXPECT_NE(structural_hash(a), structural_hash(c));
}

TEST(Control, LoopsAndBranchesRunTheirFunctions) {
  const Graph graph = parse(kLoops).functions[0];
  EXPECT_EQ(run(graph, {0, 7})[0], Array::scalar(std::int32_t{105}));  // the loop
  EXPECT_EQ(run(graph, {1, 7})[0], Array::scalar(std::int32_t{8}));    // once
  EXPECT_EQ(run(graph, {-5, 7})[0], Array::scalar(std::int32_t{2}));   // no such branch: the last
  EXPECT_EQ(run(graph, {200, 7})[0], Array::scalar(std::int32_t{207}));
}

TEST(Control, AScanOfNoStepsGivesItsCarries) {
  const Graph graph = parse(kCell + R"(
func @f(%h: f64[3], %xs: f64[0,3], %w: f64[3]) {
  %0, %1 = scan(%h, %xs, %w) {body = @cell, carries = 1, sequences = 1, length = 0}
  return %0, %1
}
)")
                          .functions[0];
  const std::vector<double> h = {1, 2, 3};
  const Array array = Array::from<double>(h, {3});
  const std::vector<Array> out = interpret(graph, {array, Array(DType::f64, {0, 3}), array});
  EXPECT_EQ(out[0], array);
  EXPECT_EQ(out[1], Array(DType::f64, {0, 3}));
}

TEST(Control, GradientOfAScan) {
  test::check_gradient_of(scan_text(false));
  test::check_gradient_of(scan_text(true));
}

TEST(Control, GradientOfAConditional) {
  for (const char* const index : {"0", "1"}) {
    test::check_gradient_of(R"(
private func @square(%x: f64[2], %y: f64[2]) { %0 = mul(%x, %x) %1 = add(%0, %y) return %1, %x }
private func @product(%x: f64[2], %y: f64[2]) { %0 = mul(%x, %y) return %0, %y }
func @f(%x: f64[2], %y: f64[2]) {
  %i = constant() {value = i32[] )" +
                            std::string(index) + R"(}
  %0, %1 = conditional(%i, %x, %y) {branches = [@square, @product]}
  %2 = mul(%0, %1)
  %3 = sum(%2) {axes = [0]}
  return %3
}
)");
  }
}

// The gradient's own gradient: sum of the squares of the gradient.
TEST(Control, SecondGradientOfAScan) {
  Graph graph = parse(scan_text(false)).functions[0];
  Builder builder(graph);
  std::vector<Value> wrt;
  for (const Parameter& parameter : graph.parameters()) wrt.push_back(parameter.value);
  const std::vector<Value> first = gradient(builder, graph.results()[0], wrt);
  Value total;
  for (const Value value : first) {
    std::vector<std::int64_t> axes;
    for (int d = 0; d < builder.type(value).shape.rank(); ++d) axes.push_back(d);
    const Value sum = builder.add(Op::sum, {builder.add(Op::mul, {value, value})}, {axes});
    total = total.valid() ? builder.add(Op::add, {total, sum}) : sum;
  }
  graph.set_results({total});
  dce(graph);
  verify(graph);
  test::check_gradient(graph);
}

// The tangent of the result is the gradient times the tangents.
TEST(Control, PushforwardOfAScanAgreesWithItsGradient) {
  Graph graph = parse(scan_text(false)).functions[0];
  Builder builder(graph);
  const std::vector<Value> wrt = {graph.parameters()[0].value, graph.parameters()[2].value};
  const Value output = graph.results()[0];
  const Linear forward = pushforward(builder, graph.results(), wrt);
  const std::vector<double> tangents = {0.5, -1, 2};
  const Value tangent = builder.constant(Array::from<double>(tangents, {3}));
  std::vector<Value> arguments = {tangent, tangent};
  arguments.insert(arguments.end(), forward.captured.begin(), forward.captured.end());
  const std::vector<Value> pushed = inline_into(builder, forward.graph, arguments);
  std::vector<Value> results = {pushed.at(0)};
  for (const Value value : gradient(builder, output, wrt)) {
    results.push_back(builder.add(Op::sum, {builder.add(Op::mul, {value, tangent})},
                                  {std::vector<std::int64_t>{0}}));
  }
  graph.set_results(results);
  verify(graph);
  std::vector<Array> inputs;
  for (const Parameter& parameter : graph.parameters()) {
    Array array(DType::f64, graph.type(parameter.value).shape);
    std::int64_t i = 0;
    for (double& x : array.data<double>()) x = test::some_number(i++);
    inputs.push_back(std::move(array));
  }
  const std::vector<Array> out = interpret(graph, inputs);
  EXPECT_NEAR(out[0].at(0), out[1].at(0) + out[2].at(0), 1e-12);
}

TEST(Control, GradientOfAWhileLoopIsAnError) {
  Graph graph = parse(R"(
private func @less(%x: f64[]) { %0 = constant() {value = f64[] 9} %1 = lt(%x, %0) return %1 }
private func @twice(%x: f64[]) { %0 = add(%x, %x) return %0 }
func @f(%x: f64[]) {
  %0 = while_loop(%x) {condition = @less, body = @twice, carries = 1}
  return %0
}
)")
                    .functions[0];
  Builder builder(graph);
  EXPECT_THAT([&] { gradient(builder, graph.results()[0], {{graph.parameters()[0].value}}); },
              testing::ThrowsMessage<TypeError>(HasSubstr("while_loop has no gradient")));
}

TEST(Control, PassesChangeFunctionsToo) {
  Graph graph = parse(R"(
private func @norm(%x: f32[4]) { %0 = softmax(%x) {axis = 0} %1 = neg(%x) return %0 }
func @f(%x: f32[4]) {
  %0 = scan(%x) {body = @norm, carries = 1, sequences = 0, length = 3}
  return %0
}
)")
                    .functions[0];
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<Array> before = interpret(graph, {Array::from<float>(x, {4})});
  run_passes(graph);
  verify(graph);
  const Function& body = graph.attributes(1).function("body");
  for (NodeId id = 0; id < body.graph().node_count(); ++id) {
    EXPECT_NE(body.graph().node(id).op, Op::softmax);
    EXPECT_NE(body.graph().node(id).op, Op::neg);
  }
  EXPECT_EQ(interpret(graph, {Array::from<float>(x, {4})}), before);
}

struct Mistake {
  const char* text;
  const char* message;
};

TEST(Control, MistakesAreNamed) {
  const Mistake mistakes[] = {
      {"%0 = scan(%x) {body = @next, carries = 1, sequences = 0, length = 2}",
       "there is no 'private func @next' above"},
      {"%0 = scan(%x) {body = @public, carries = 1, sequences = 0, length = 2}",
       "@public is not private"},
      {"%0 = scan(%x) {body = @twice, carries = 2, sequences = 0, length = 2}",
       "carries = 2, with 1 operand"},
      {"%0 = scan(%x, %x) {body = @twice, carries = 1, sequences = 0, length = 2}",
       "@twice takes 1 argument, but gets 2"},
      {"%0 = scan(%y) {body = @twice, carries = 1, sequences = 0, length = 2}",
       "@twice takes f32[2] as %x, not f32[3]"},
      {"%0 = scan(%x) {body = @twice, carries = 1, sequences = 0, length = -1}", "length = -1"},
      {"%0 = scan(%x) {body = @twice, carries = 0, sequences = 1, length = 3}",
       "not length = 3 steps along its first axis"},
      {"%0 = scan(%x) {body = @shrink, carries = 1, sequences = 0, length = 2}",
       "@shrink takes %x: f32[2] but gives f32[1] for the next step"},
      {"%0 = while_loop(%x) {condition = @twice, body = @twice, carries = 1}",
       "the condition @twice gives one bool[]"},
      {"%0 = conditional(%x, %x) {branches = [@twice]}", "the index of a branch is i32[]"},
      {"%0 = conditional(%i, %x) {branches = []}", "needs one branch at least"},
      {"%0 = conditional(%i, %x) {branches = [@twice, @shrink]}",
       "result 0 is f32[2] of @twice, but f32[1] of @shrink"},
      {"%0, %1 = scan(%x) {body = @under_way, carries = 1, sequences = 0, length = 2}",
       "result 1 of @under_way is under way; what a function gives is waited for in it"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string text = R"(
private func @twice(%x: f32[2]) { %0 = add(%x, %x) return %0 }
private func @shrink(%x: f32[2]) {
  %0 = slice(%x) {start = [0], stop = [1], step = [1]}
  return %0
}
private func @under_way(%x: f32[2]) {
  %0 = all_reduce(%x) {op = "sum", tag = "g", ranks = [0], stride = 1}
  return %x, %0
}
func @public(%x: f32[2]) { return %x }
func @f(%x: f32[2], %y: f32[3], %i: i32[]) {
  )" + std::string(mistake.text) +
                             "\n  return %0\n}\n";
    EXPECT_THAT([&] { parse(text); },
                testing::ThrowsMessage<ParseError>(HasSubstr(mistake.message)))
        << mistake.text;
  }
}

// Each runs the one before twice: in text it is short, but it must not be walked path by path.
TEST(Control, DeeplyNestedFunctionsAreRefusedInGoodTime) {
  std::string text = "private func @f0(%x: f32[]) { return %x }\n";
  for (int level = 1; level < 100; ++level) {
    const std::string before = "@f" + std::to_string(level - 1);
    text += "private func @f" + std::to_string(level) +
            "(%x: f32[]) { %0 = constant() {value = i32[] 0} %1 = conditional(%0, %x) "
            "{branches = [" +
            before + ", " + before + "]} return %1 }\n";
  }
  EXPECT_THAT([&] { parse(text); },
              testing::ThrowsMessage<ParseError>(HasSubstr("nested more than 32 deep")));
  const std::string most =
      text.substr(0, text.find("private func @f32(")) +
      "func @f(%x: f32[]) { %0 = constant() {value = i32[] 0} %1 = conditional(%0, %x) "
      "{branches = [@f31, @f31]} return %1 }\n";
  Graph graph = parse(most).functions[0];
  verify(graph);
  EXPECT_EQ(print(parse(print(graph))), print(graph));
  run_passes(graph);
}

}  // namespace
}  // namespace tutti::ir::control_test
