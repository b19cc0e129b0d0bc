// The op behind custom_vjp (tests/lazy/custom_vjp_test.cpp): what its text must say, what it gives,
// and what is left of it.

#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <string>

#include <gmock/gmock.h>

namespace tutti::ir::custom_gradient_test {
namespace {

using testing::HasSubstr;

const std::string kText = R"(// tutti ir 1

private func @backward(%r0: f64[2], %g0: f64[2], %c0: f64[]) -> (f64[2]) {
  %0 = mul(%r0, %g0) : f64[2]
  %1 = mul(%0, %c0) : f64[2]
  return %1
}

func @f(%x: f64[2], %w: f64[]) -> (f64[2]) {
  %0 = mul(%x, %x) : f64[2]
  %1 = custom_gradient(%0, %x, %x, %w) {backward = @backward, results = 1, arguments = 1, residuals = 1} : f64[2]
  return %1
}
)";

std::string with(std::string text, const std::string& piece, const std::string& by) {
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, text.npos) << piece;
  return text.replace(at, piece.size(), by);
}

std::string complaint(const std::string& text) {
  try {
    verify(parse(text, "t").functions.at(0));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CustomGradient, IsItsResults) {
  Graph graph = parse(kText, "t").functions.at(0);
  const std::vector<double> x = {2, 3};
  const auto results =
      interpret(graph, {Array::from(std::span<const double>(x), {2}), Array::scalar(10.0)});
  EXPECT_EQ(results[0].at(1), 9);
  EXPECT_EQ(print(parse(kText, "t")), kText);
  decompose(graph);
  dce(graph);
  EXPECT_THAT(print(graph), testing::Not(HasSubstr("custom_gradient")));
}

TEST(CustomGradient, GoesThroughItsFunction) {
  Graph graph = parse(kText, "t").functions.at(0);
  Builder builder(graph);
  const Value x = graph.parameters()[0].value;
  const Value total = builder.add(Op::sum, {graph.results()[0]}, {std::vector<std::int64_t>{0}});
  graph.set_results(gradient(builder, total, std::vector{x}));
  const std::vector<double> values = {2, 3};
  const auto results =
      interpret(graph, {Array::from(std::span<const double>(values), {2}), Array::scalar(10.0)});
  EXPECT_EQ(results[0].at(0), 20);
  EXPECT_EQ(results[0].at(1), 30);
}

TEST(CustomGradient, ItsTextIsChecked) {
  EXPECT_EQ(complaint(kText), "");
  EXPECT_THAT(complaint(with(kText, "results = 1", "results = 0")), HasSubstr("needs a result"));
  EXPECT_THAT(complaint(with(kText, "results = 1", "results = -1")), HasSubstr("results = -1"));
  EXPECT_THAT(complaint(with(kText, "arguments = 1", "arguments = 3")),
              HasSubstr("says more of its operands than there are"));
  EXPECT_THAT(complaint(with(kText, "residuals = 1", "residuals = 2")),
              HasSubstr("takes f64[2] as %g0, not f64[]"));
  EXPECT_THAT(complaint(with(kText, "(%0, %x, %x, %w)", "(%0, %x, %x)")),
              HasSubstr("@backward takes 3 arguments, not 2"));
  EXPECT_THAT(complaint(with(kText, "(%0, %x, %x, %w)", "(%0, %w, %x, %w)")),
              HasSubstr("@backward gives f64[2] as the cotangent of argument 0, which is f64[]"));
  EXPECT_THAT(
      complaint(with(kText, "arguments = 1, residuals = 1", "arguments = 0, residuals = 2")),
      testing::Not(""));
}

}  // namespace
}  // namespace tutti::ir::custom_gradient_test
