#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::interpret_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Graph function(const std::string& text) {
  Graph graph = std::move(parse(text).functions.at(0));
  verify(graph);
  return graph;
}

template <class T>
Array array(std::vector<T> values, const Shape& shape) {
  return Array::from(std::span<const T>(values), shape);
}

// The body's result, for a text of its lines after which %r is returned.
Array result(const std::string& lines) {
  return interpret(function("func @f() {\n" + lines + "\nreturn %r\n}\n"), std::vector<Array>())[0];
}

template <class T>
void expect_result(const std::string& lines, const std::vector<T>& values, const Shape& shape) {
  EXPECT_EQ(result(lines), array(values, shape)) << lines;
}

const std::string kX = "%x = constant() {value = f32[2,3] [[1, 2, 3], [4, 5, 6]]}\n";

TEST(Interpret, Elementwise) {
  expect_result<float>(kX + "%y = constant() {value = f32[3] [10, 20, 30]}\n%r = add(%x, %y)",
                       {11, 22, 33, 14, 25, 36}, {2, 3});
  expect_result<float>("%x = constant() {value = f32[4] [nan, -1, 0, 2]}\n%r = relu(%x)",
                       {NAN, 0, 0, 2}, {4});
  expect_result<Float16>("%x = constant() {value = f16[] 60000}\n%r = add(%x, %x)",
                         {Float16(HUGE_VALF)}, {});
  // One rounding of the result, not one of each step.
  expect_result<float>(
      "%x = constant() {value = bf16[] 256}\n%y = constant() {value = bf16[] 1}\n"
      "%s = add(%x, %y)\n%r = cast(%s) {dtype = f32}",
      {256}, {});
}

TEST(Interpret, Views) {
  expect_result<float>(kX + "%r = transpose(%x) {permutation = [1, 0]}", {1, 4, 2, 5, 3, 6},
                       {3, 2});
  expect_result<float>(kX + "%r = slice(%x) {start = [0, 0], stop = [2, 3], step = [1, 2]}",
                       {1, 3, 4, 6}, {2, 2});
  expect_result<float>(kX + "%r = reverse(%x) {axes = [1]}", {3, 2, 1, 6, 5, 4}, {2, 3});
  expect_result<float>(kX + "%z = constant() {value = f32[] 0}\n"
                            "%r = pad(%x, %z) {low = [0, 1], high = [0, 0], interior = [1, 0]}",
                       {0, 1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6}, {3, 4});
  expect_result<float>(kX + "%r = concat(%x, %x) {axis = 1}", {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6},
                       {2, 6});
}

TEST(Interpret, Reductions) {
  expect_result<float>(kX + "%r = sum(%x) {axes = [0]}", {5, 7, 9}, {3});
  expect_result<float>(kX + "%r = max(%x) {axes = [1], keepdims = true}", {3, 6}, {2, 1});
  expect_result<std::int64_t>(kX + "%r = argmax(%x) {axis = 1}", {2, 2}, {2});
  expect_result<float>("%x = constant() {value = f32[2,0] []}\n%r = sum(%x) {axes = [1]}", {0, 0},
                       {2});
  expect_result<float>("%x = constant() {value = f32[3] [1, nan, 3]}\n%r = max(%x) {axes = [0]}",
                       {NAN}, {});
  expect_result<std::uint64_t>(
      "%x = constant() {value = u64[2] [18446744073709551615, 18446744073709551614]}\n"
      "%r = min(%x) {axes = [0]}",
      {UINT64_MAX - 1}, {});
}

TEST(Interpret, RunningSums) {
  expect_result<float>(kX + "%r = cumsum(%x) {axis = 1}", {1, 3, 6, 4, 9, 15}, {2, 3});
  expect_result<float>(kX + "%r = cumsum(%x) {axis = 0, reverse = true}", {5, 7, 9, 4, 5, 6},
                       {2, 3});
  // One rounding of each result: 256 + 1 is a tie in bf16, 256 + 1 + 1 is none.
  expect_result<float>(
      "%x = constant() {value = bf16[3] [256, 1, 1]}\n%s = cumsum(%x) {axis = 0}\n"
      "%r = cast(%s) {dtype = f32}",
      {256, 256, 258}, {3});
  expect_result<std::uint8_t>(
      "%x = constant() {value = u8[3] [200, 100, 1]}\n%r = cumsum(%x) {axis = 0}", {200, 44, 45},
      {3});
}

TEST(Interpret, Order) {
  const std::string x = "%x = constant() {value = f32[5] [2, nan, -1, 2, -0]}\n";
  expect_result<float>(x + "%r, %i = sort(%x) {axis = 0}", {-1, -0.0F, 2, 2, NAN}, {5});
  expect_result<std::int64_t>(x + "%v, %r = sort(%x) {axis = 0}", {2, 4, 0, 3, 1}, {5});
  expect_result<std::int64_t>(x + "%v, %r = sort(%x) {axis = 0, descending = true}",
                              {1, 0, 3, 4, 2}, {5});
  expect_result<std::int64_t>(x + "%v, %r = topk(%x) {k = 2, axis = 0, largest = false}", {2, 4},
                              {2});
  expect_result<float>(kX + "%r, %i = topk(%x) {k = 1, axis = 1}", {3, 6}, {2, 1});
}

TEST(Interpret, PartsThatBeginWhereDataSays) {
  const std::string starts = "%s = constant() {value = i32[2] [-3, 2]}\n";
  expect_result<float>(kX + starts + "%r = dynamic_slice(%x, %s) {sizes = [1, 2]}", {2, 3}, {1, 2});
  expect_result<float>(kX + starts +
                           "%u = constant() {value = f32[2,1] [[7], [8]]}\n"
                           "%r = dynamic_update_slice(%x, %u, %s)",
                       {1, 2, 7, 4, 5, 8}, {2, 3});
}

TEST(Interpret, Matmul) {
  expect_result<float>(kX + "%t = transpose(%x) {permutation = [1, 0]}\n%r = matmul(%x, %t)",
                       {14, 32, 32, 77}, {2, 2});
}

TEST(Interpret, IndicesOutOfRange) {
  const std::string indices = "%i = constant() {value = i32[3] [-5, 1, 9]}\n";
  expect_result<float>(kX + indices + "%r = take(%x, %i) {axis = 1}", {1, 2, 3, 4, 5, 6}, {2, 3});
  expect_result<float>("%z = constant() {value = f32[2] [0, 0]}\n" + indices +
                           "%u = constant() {value = f32[3] [1, 2, 4]}\n"
                           "%r = scatter_add(%z, %i, %u) {axis = 0}",
                       {0, 2}, {2});
}

TEST(Interpret, Composites) {
  expect_result<float>(kX + "%r = mean(%x) {axes = [0, 1]}", {3.5}, {});
  expect_result<float>(
      "%i = constant() {value = i32[2] [1, 0]}\n%r = one_hot(%i) {depth = 2, dtype = f32}",
      {0, 1, 1, 0}, {2, 2});
  // -56 is no position, though 200 wraps to it in i8.
  const Array wide =
      result("%i = constant() {value = i8[1] [-56]}\n%r = one_hot(%i) {depth = 256, dtype = i32}");
  EXPECT_EQ(wide, Array(DType::i32, {1, 256}));
  const Array softmax = result(kX + "%r = softmax(%x) {axis = 1}");
  EXPECT_NEAR(softmax.at(0) + softmax.at(1) + softmax.at(2), 1, 1e-6);
  EXPECT_NEAR(softmax.at(1) / softmax.at(0), std::exp(1.0), 1e-5);
}

// Runs on as many ranks as there are inputs.
std::vector<std::vector<Array>> on_ranks(const std::string& text,
                                         const std::vector<std::vector<Array>>& inputs) {
  return interpret(function(text), inputs);
}

TEST(Interpret, CollectivesOverGroups) {
  const std::string text = R"(
    mesh (dp = 2, tp = 2)
    group @dp = mesh(dp = 2, tp = 2).dp
    func @f(%x: f32[2]) {
      %0 = all_reduce(%x) {op = "sum", group = @dp}
      %1 = wait(%0)
      %2 = all_gather(%x) {axis = 0, group = @dp}
      %3 = wait(%2)
      %4 = reduce_scatter(%x) {op = "max", axis = 0, group = @dp}
      %5 = wait(%4)
      %6 = broadcast(%x) {root = 1, group = @dp}
      %7 = wait(%6)
      %8 = rank_index() {group = @dp}
      return %1, %3, %5, %7, %8
    })";
  std::vector<std::vector<Array>> inputs;
  for (int rank = 0; rank < 4; ++rank) {
    const auto x = static_cast<float>(rank);
    inputs.push_back({array<float>({x, 10 * x}, {2})});
  }
  const auto results = on_ranks(text, inputs);  // groups 0, 2 and 1, 3
  EXPECT_EQ(results[0][0], array<float>({2, 20}, {2}));
  EXPECT_EQ(results[3][0], array<float>({4, 40}, {2}));
  EXPECT_EQ(results[1][1], array<float>({1, 10, 3, 30}, {4}));
  EXPECT_EQ(results[1][2], array<float>({3}, {1}));
  EXPECT_EQ(results[3][2], array<float>({30}, {1}));
  EXPECT_EQ(results[0][3], array<float>({2, 20}, {2}));
  EXPECT_EQ(results[1][4], Array::scalar(std::int64_t{0}));
  EXPECT_EQ(results[3][4], Array::scalar(std::int64_t{1}));
}

TEST(Interpret, ReplicatedValuesAreTheSameOnAllTheirRanks) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto [graph, inputs] = test::random_program(seed, {.mesh = test::mesh_of_four()});
    std::vector<Value> values;
    for (std::uint32_t id = 0; id < graph.value_count(); ++id) values.push_back({id});
    graph.set_results(values);
    const auto results = interpret(graph, inputs);
    for (const Value value : values) {
      const unsigned replicated = graph.type(value).replication.dimensions;
      const std::size_t partner = (replicated & 1) != 0 ? 2 : 0;
      const std::size_t neighbour = (replicated & 2) != 0 ? 1 : 0;
      for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(results[rank][value.id], results[rank ^ partner][value.id]);
        EXPECT_EQ(results[rank][value.id], results[rank ^ neighbour][value.id]);
      }
    }
  }
}

TEST(Interpret, RefusesInputsThatDoNotFit) {
  const Graph graph = function("func @f(%x: f32[2]) { return %x }");
  EXPECT_THAT([&] { interpret(graph, std::vector<Array>()); },
              ThrowsMessage<TypeError>(HasSubstr("@f takes 1 arguments, not 0")));
  EXPECT_THAT([&] { interpret(graph, {Array(DType::f64, {2})}); },
              ThrowsMessage<TypeError>(HasSubstr("argument %x of @f is f64[2], not f32[2]")));
  const Graph two =
      function("group @g = {ranks = [0, 1]}\nfunc @f() { barrier() {group = @g}\nreturn }");
  EXPECT_THROW(interpret(two, std::vector<Array>()), TypeError);
  const Graph mesh = function("mesh (dp = 2)\nfunc @f() { return }");
  EXPECT_THROW(interpret(mesh, std::vector<Array>()), TypeError);
}

// A rank outside of a collective's group has no result of it.
TEST(Interpret, RefusesRanksWithoutAGroup) {
  EXPECT_THROW(
      on_ranks("group @g = {ranks = [0, 1]}\nfunc @f(%x: f32[]) {\n"
               "%0 = all_reduce(%x) {op = \"sum\", group = @g}\n%1 = wait(%0)\nreturn %1 }",
               std::vector<std::vector<Array>>(3, {Array::scalar(1.0F)})),
      TypeError);
}

}  // namespace
}  // namespace tutti::ir::interpret_test
