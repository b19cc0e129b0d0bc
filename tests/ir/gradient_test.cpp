#include <tutti/ir/gradient.h>
#include <tutti/ir/interpret.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/verify.h>

#include <cmath>
#include <functional>

#include <gmock/gmock.h>

namespace tutti::ir {
namespace {

using Inputs = std::vector<std::vector<Array>>;  // [rank][parameter]

// The i-th of a list of irregular numbers between 0.3 and 0.9.
double some_number(std::int64_t i) {
  return 0.6 + 0.3 * std::sin(static_cast<double>(i) * 12.9898);
}

// Different on every rank, except for what is replicated over all.
Inputs some_inputs(const Graph& graph, std::int64_t ranks) {
  Inputs inputs(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::int64_t i = 0;
    for (const Parameter& parameter : graph.parameters()) {
      const Type& type = graph.type(parameter.value);
      Array array(type.dtype, type.shape);
      for (double& x : array.data<double>()) {
        x = some_number(i++ + (type.replication.dimensions != 0 ? 0 : 100 * rank));
      }
      inputs[static_cast<std::size_t>(rank)].push_back(std::move(array));
    }
  }
  return inputs;
}

// The sum over ranks of a varying scalar, or a replicated scalar itself.
double total(const Graph& graph, const Inputs& inputs) {
  const auto results = interpret(graph, inputs);
  if (graph.type(graph.results()[0]).replication.dimensions != 0) return results[0][0].at(0);
  double sum = 0;
  for (const auto& rank : results) sum += rank[0].at(0);
  return sum;
}

// Compares the gradient of a function's result, an f64[], with respect to all of its parameters
// with finite differences, on every rank.
void check_gradient(Graph graph) {
  verify(graph);
  const std::int64_t ranks = graph.mesh == nullptr ? 1 : graph.mesh->ranks();
  const Inputs inputs = some_inputs(graph, ranks);
  std::vector<Value> wrt;
  for (const Parameter& parameter : graph.parameters()) wrt.push_back(parameter.value);
  Graph backward = graph;
  Builder builder(backward);
  backward.set_results(gradient(builder, graph.results()[0], wrt));
  ASSERT_NO_THROW(verify(backward)) << print(backward);
  const auto gradients = interpret(backward, inputs);

  const double step = 1e-6;
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    for (std::size_t p = 0; p < wrt.size(); ++p) {
      const bool replicated = graph.type(wrt[p]).replication.dimensions != 0;
      if (replicated && rank != 0) continue;
      EXPECT_EQ(backward.type(backward.results()[p]).shape, graph.type(wrt[p]).shape);
      for (std::int64_t i = 0; i < inputs[rank][p].elements(); ++i) {
        const auto moved = [&](double by) {
          Inputs there = inputs;
          for (std::size_t r = 0; r < there.size(); ++r) {
            if (r == rank || replicated)
              there[r][p].data<double>()[static_cast<std::size_t>(i)] += by;
          }
          return total(graph, there);
        };
        const double wanted = (moved(step) - moved(-step)) / (2 * step);
        EXPECT_NEAR(gradients[rank][p].at(i), wanted, 1e-6 * (1 + std::abs(wanted)))
            << "element " << i << " of parameter " << p << " on rank " << rank << " of\n"
            << print(graph);
      }
    }
  }
}

void check_text(const std::string& text) { check_gradient(std::move(parse(text).functions.at(0))); }

// Adds sum(value * irregular weights) and makes it the function's result.
void finish(Builder& builder, Value value) {
  const Type& type = builder.type(value);
  Array weights(DType::f64, type.shape);
  std::int64_t i = 1000;
  for (double& x : weights.data<double>()) x = some_number(i++);
  const Value product = builder.add(Op::mul, {value, builder.constant(weights)});
  std::vector<std::int64_t> axes;
  for (int d = 0; d < type.shape.rank(); ++d) axes.push_back(d);
  builder.graph().set_results({builder.add(Op::sum, {product}, {axes})});
}

TEST(Gradient, OfEveryElementwiseOp) {
  for (const Definition& entry : definitions()) {
    if (entry.kind != OpClass::elementwise || entry.op == Op::select || !entry.attributes.empty())
      continue;
    Graph graph{std::string(entry.name)};
    Builder builder(graph);
    std::vector<Value> operands;  // broadcast against each other
    const Shape shapes[] = {{2, 3}, {3}, {2, 1}};
    for (int i = 0; i < entry.least_operands; ++i) {
      operands.push_back(graph.add_parameter("x", {.dtype = DType::f64, .shape = shapes[i]}));
    }
    try {
      const Value y = builder.add(entry.op, operands);
      if (!is_floating(builder.type(y).dtype)) continue;
      finish(builder, y);
    } catch (const TypeError&) {
      continue;  // not an op on floating-point numbers
    }
    check_gradient(graph);
  }
}

TEST(Gradient, OfStructuredOps) {
  const std::vector<std::function<Value(Builder&, Value)>> cases = {
      [](Builder& b, Value x) {
        const Value smaller = b.add(Op::lt, {x, b.scalar(DType::f64, 0.55)});
        return b.add(Op::select, {smaller, b.add(Op::mul, {x, x}), b.add(Op::neg, {x})});
      },
      [](Builder& b, Value x) {
        return b.add(Op::reshape, {x}, {std::vector<std::int64_t>{3, 2}});
      },
      [](Builder& b, Value x) {
        return b.add(Op::transpose, {x}, {std::vector<std::int64_t>{1, 0}});
      },
      [](Builder& b, Value x) {
        return b.add(Op::broadcast_to, {x}, {std::vector<std::int64_t>{4, 2, 3}});
      },
      [](Builder& b, Value x) {
        return b.add(Op::expand_dims, {x}, {std::vector<std::int64_t>{1}});
      },
      [](Builder& b, Value x) {
        using List = std::vector<std::int64_t>;
        return b.add(Op::slice, {x}, {List{0, 1}, List{2, 3}, List{1, 2}});
      },
      [](Builder& b, Value x) { return b.add(Op::reverse, {x}, {std::vector<std::int64_t>{1}}); },
      [](Builder& b, Value x) {
        using List = std::vector<std::int64_t>;
        const Value fill = b.add(Op::sum, {x}, {List{0, 1}});
        return b.add(Op::pad, {x, fill}, {List{1, 0}, List{0, 2}, List{0, 1}});
      },
      [](Builder& b, Value x) { return b.add(Op::concat, {x, x}, {std::int64_t{0}}); },
      [](Builder& b, Value x) { return b.add(Op::sum, {x}, {std::vector<std::int64_t>{1}, true}); },
      [](Builder& b, Value x) { return b.add(Op::max, {x}, {std::vector<std::int64_t>{0}}); },
      [](Builder& b, Value x) { return b.add(Op::min, {x}, {std::vector<std::int64_t>{0, 1}}); },
      [](Builder& b, Value x) {
        const Value t = b.add(Op::transpose, {x}, {std::vector<std::int64_t>{1, 0}});
        return b.add(Op::matmul, {t, x});
      },
      [](Builder& b, Value x) {
        const Value t = b.add(Op::transpose, {x}, {std::vector<std::int64_t>{1, 0}});
        const Value batch = b.add(Op::broadcast_to, {x}, {std::vector<std::int64_t>{4, 2, 3}});
        return b.add(Op::matmul, {b.add(Op::mul, {batch, batch}), t});
      },
      [](Builder& b, Value x) {
        const std::int64_t rows[] = {1, 0, 1, 7};
        const Value indices = b.constant(Array::from(std::span<const std::int64_t>(rows), {4}));
        return b.add(Op::take, {x, indices}, {std::int64_t{0}});
      },
      [](Builder& b, Value x) {
        const std::int64_t columns[] = {2, 0, 1, 1};
        const Value indices =
            b.constant(Array::from(std::span<const std::int64_t>(columns), {2, 2}));
        return b.add(Op::take_along_axis, {x, indices}, {std::int64_t{1}});
      },
      [](Builder& b, Value x) {
        const std::int64_t rows[] = {1, 9};  // the second is dropped
        const Value indices = b.constant(Array::from(std::span<const std::int64_t>(rows), {2}));
        return b.add(Op::scatter_add, {x, indices, b.add(Op::mul, {x, x})}, {std::int64_t{0}});
      },
      [](Builder& b, Value x) { return b.add(Op::mean, {x}, {std::vector<std::int64_t>{1}}); },
      [](Builder& b, Value x) { return b.add(Op::logsumexp, {x}, {std::vector<std::int64_t>{1}}); },
      [](Builder& b, Value x) { return b.add(Op::softmax, {x}, {std::int64_t{1}}); },
      [](Builder& b, Value x) { return b.add(Op::log_softmax, {x}, {std::int64_t{0}}); },
      [](Builder& b, Value x) {
        const Value row = b.add(Op::sum, {x}, {std::vector<std::int64_t>{0}});
        return b.add(Op::layer_norm, {x, row, row});
      },
      [](Builder& b, Value x) { return b.add(Op::gelu, {x}); },
      [](Builder& b, Value x) { return b.add(Op::gelu, {x}, {std::string("tanh")}); },
  };
  for (const auto& write : cases) {
    Graph graph;
    Builder builder(graph);
    const Value x = graph.add_parameter("x", {.dtype = DType::f64, .shape = {2, 3}});
    finish(builder, write(builder, x));
    check_gradient(graph);
  }
}

// A program over mesh (dp = 2, tp = 2) with lines that make %r, an f64[2], from %x, which varies,
// and %w, replicated over both dimensions; the groups are @dp and @odd, which is no product of
// them.
void check_collective(const std::string& lines, bool replicated_result) {
  check_text(
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

TEST(Gradient, OfCollectives) {
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

TEST(Gradient, OfReplicatedParametersIsTheGlobalMeans) {
  check_collective("%v = vary(%w) {dimensions = \"dp,tp\"}\n%t = mul(%v, %x)\n%r = tanh(%t)", true);
  check_collective("%v = vary(%w) {dimensions = \"dp,tp\"}\n%t = mul(%v, %x)\n%r = tanh(%t)",
                   false);
}

TEST(Gradient, IsZeroWhereNothingDepends) {
  check_text(
      "func @f(%x: f64[2], %y: f64[]) {\n%0 = floor(%x)\n%1 = sum(%0) {axes = [0]}\nreturn %1 }");
}

TEST(Gradient, RefusesWhatHasNone) {
  const auto refuse = [](const std::string& lines, const std::string& message) {
    Graph graph = std::move(
        parse("func @f(%x: f32[2], %i: i32[2]) {\n" + lines + "return %r }").functions[0]);
    Builder builder(graph);
    EXPECT_THAT(
        [&] { gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value}); },
        testing::ThrowsMessage<TypeError>(testing::HasSubstr(message)));
  };
  refuse("%r = identity(%x)\n", "the gradient is taken of a floating-point scalar, not of f32[2]");
  refuse("%r = prod(%x) {axes = [0]} // model.cpp:9\n", "model.cpp:9: prod has no gradient");
  Graph graph = std::move(parse("func @f(%i: i32[], %x: f32[]) { return %x }").functions[0]);
  Builder builder(graph);
  EXPECT_THROW(gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value}),
               TypeError);
}

}  // namespace
}  // namespace tutti::ir
