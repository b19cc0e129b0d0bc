#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/parse/parse.h>

#include <functional>

#include "tests/ir/derive/gradient_check.h"
#include <gmock/gmock.h>

namespace tutti::ir::gradient_test {
namespace {

// Makes a weighted sum of a value the function's result.
void finish(Builder& builder, Value value) {
  builder.graph().set_results({test::weighted_sum(builder, value)});
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
    test::check_gradient_twice(graph);
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
      [](Builder& b, Value x) {
        using List = std::vector<std::int64_t>;  // one element, however far the next would be
        return b.add(Op::slice, {x}, {List{0, 1}, List{2, 3}, List{1, INT64_MAX}});
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
      [](Builder& b, Value x) { return b.add(Op::prod, {x}, {std::vector<std::int64_t>{0, 1}}); },
      [](Builder& b, Value x) { return b.add(Op::cumsum, {x}, {std::int64_t{1}, true}); },
      [](Builder& b, Value x) { return b.add(Op::cumprod, {x}, {std::int64_t{1}, false}); },
      [](Builder& b, Value x) { return b.add(Op::cumprod, {x}, {std::int64_t{0}, true}); },
      [](Builder& b, Value x) { return b.add(Op::cummax, {x}, {std::int64_t{1}, false}); },
      [](Builder& b, Value x) { return b.add(Op::cummin, {x}, {std::int64_t{0}, true}); },
      [](Builder& b, Value x) { return b.add(Op::sort, {x}, {std::int64_t{1}, true}); },
      [](Builder& b, Value x) { return b.add(Op::topk, {x}, {std::int64_t{2}, std::int64_t{1}}); },
      [](Builder& b, Value x) {
        const std::int64_t starts[] = {5, 1};  // the first is moved
        const Value at = b.constant(Array::from(std::span<const std::int64_t>(starts), {2}));
        const Value part = b.add(Op::dynamic_slice, {x, at}, {std::vector<std::int64_t>{1, 2}});
        return b.add(Op::dynamic_update_slice, {x, b.add(Op::mul, {part, part}), at});
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
      [](Builder& b, Value x) {
        return b.add(Op::logsumexp, {x}, {std::vector<std::int64_t>{0, 1}, true});
      },
      [](Builder& b, Value x) {
        const Value row = b.add(Op::sum, {x}, {std::vector<std::int64_t>{0}});
        return b.add(Op::rms_norm, {x, row});
      },
      [](Builder& b, Value x) {
        const std::int64_t labels[] = {1, 7};  // the second counts as 2
        const Value own = b.constant(Array::from(std::span<const std::int64_t>(labels), {2}));
        return b.add(Op::cross_entropy, {x, own});
      },
      [](Builder& b, Value x) { return b.add(Op::attention, {x, x, x}, {true}); },
      [](Builder& b, Value x) {
        const bool seen[] = {true, false, false, false};  // the second query sees nothing
        const Value mask = b.constant(Array::from(std::span<const bool>(seen), {2, 2}));
        return b.add(Op::attention, {x, x, x, mask});
      },
      [](Builder& b, Value x) {
        using List = std::vector<std::int64_t>;
        return b.add(Op::dot_general, {x, x}, {List{0}, List{0}, List{1}, List{1}});
      },
  };
  for (const auto& write : cases) {
    Graph graph;
    Builder builder(graph);
    const Value x = graph.add_parameter("x", {.dtype = DType::f64, .shape = {2, 3}});
    finish(builder, write(builder, x));
    test::check_gradient_twice(graph);
  }
}

// With paddings, strides, dilations and groups; of the last ones some elements of x are read by
// nobody.
TEST(Gradient, OfConvolutions) {
  using List = std::vector<std::int64_t>;
  struct Case {
    Shape x, weight;
    List stride, low, high, dilation;
    std::int64_t groups;
  };
  const std::vector<Case> cases = {
      {{2, 2, 4}, {3, 2, 2}, {1}, {0}, {0}, {1}, 1},
      {{1, 2, 3}, {2, 2, 3}, {2}, {2}, {1}, {1}, 1},
      {{1, 2, 3}, {2, 1, 3}, {1}, {2}, {1}, {2}, 2},
      {{2, 2, 5}, {4, 1, 2}, {3}, {0}, {0}, {1}, 2},
      {{1, 4, 5}, {6, 2, 2}, {2}, {1}, {0}, {2}, 2},
      {{1, 1, 3, 4}, {2, 1, 2, 2}, {2, 1}, {1, 0}, {0, 2}, {1, 2}, 1},
      {{1, 2, 2}, {1, 2, 1}, {1}, {3}, {2}, {1}, 1},
      // Several groups of several channels, or of one with many results.
      {{2, 4, 5}, {4, 2, 2}, {2}, {1}, {1}, {1}, 2},
      {{2, 2, 5}, {6, 1, 2}, {1}, {0}, {0}, {1}, 2},
      {{2, 4, 3}, {4, 2, 1}, {1}, {0}, {0}, {1}, 2},
      {{2, 4, 3, 3}, {4, 2, 2, 2}, {2, 1}, {1, 0}, {0, 1}, {1, 2}, 2},
      {{1, 4, 2, 3, 2}, {4, 2, 2, 1, 2}, {1, 2, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 2}, 2},
  };
  for (const Case& use : cases) {
    Graph graph;
    Builder builder(graph);
    const Value x = graph.add_parameter("x", {.dtype = DType::f64, .shape = use.x});
    const Value weight = graph.add_parameter("weight", {.dtype = DType::f64, .shape = use.weight});
    finish(builder, builder.add(Op::conv, {x, weight},
                                {use.stride, use.low, use.high, use.dilation, use.groups}));
    test::check_gradient_twice(graph);
  }
}

// Of x with a group's channels for images: strides and dilations have changed places.
TEST(Gradient, OfAWeightOfGroupsIsAConvolutionOfGroups) {
  Graph graph = std::move(parse(R"(func @f(%x: f32[2,8,6,6], %w: f32[12,2,3,3]) {
      %0 = conv(%x, %w) {stride = [2, 2], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 4}
      %1 = sum(%0) {axes = [0, 1, 2, 3]}
      return %1
    })")
                              .functions[0]);
  Builder builder(graph);
  gradient(builder, graph.results()[0], std::vector{graph.parameters()[1].value});
  EXPECT_THAT(print(graph),
              testing::AllOf(testing::HasSubstr("{stride = [1, 1], low = [1, 1], high = [0, 0], "
                                                "dilation = [2, 2], groups = 4} : f32[2,12,3,3]"),
                             testing::Not(testing::HasSubstr("concat")),
                             testing::Not(testing::HasSubstr("matmul"))));
}

TEST(Gradient, IsZeroWhereNothingDepends) {
  test::check_gradient_of(
      "func @f(%x: f64[2], %y: f64[]) {\n%0 = floor(%x)\n%1 = sum(%0) {axes = [0]}\nreturn %1 }");
}

// Numbers adapt to what they meet: what a rule computes from them alone does not vary.
TEST(Gradient, OfReplicatedValuesAndNumbersIsReplicated) {
  Graph graph = std::move(parse(R"(
    mesh (dp = 2, tp = 2)
    func @f(%x: f64[3] rep(dp)) -> (f64[] rep(dp)) {
      %two = constant() {value = f64[] 2} : f64[]
      %three = constant() {value = f64[] 3} : f64[]
      %0 = pow(%x, %three) : f64[3] rep(dp)
      %1 = clamp(%0, %two, %three) : f64[3] rep(dp)
      %2 = div(%three, %1) : f64[3] rep(dp)
      %3 = mod(%2, %two) : f64[3] rep(dp)
      %4 = atan2(%two, %3) : f64[3] rep(dp)
      %5 = sum(%4) {axes = [0]} : f64[] rep(dp)
      return %5
    })")
                              .functions[0]);
  Builder builder(graph);
  const std::vector x = {graph.parameters()[0].value};
  const std::vector<Value> gradients = gradient(builder, graph.results()[0], x);
  EXPECT_EQ(graph.type(gradients[0]).replication, graph.type(x[0]).replication);
}

// Of an axis that is longer than i32 can say, the last number of i32 is an index like others.
TEST(Gradient, OfScatterAddDropsNoIndexOfALongAxis) {
  Graph graph = std::move(parse(R"(func @f(%x: f32[2147483656], %i: i32[1], %u: f32[1]) {
      %0 = scatter_add(%x, %i, %u) {axis = 0} : f32[2147483656]
      %1 = sum(%0) {axes = [0]} : f32[]
      return %1
    })")
                              .functions[0]);
  Builder builder(graph);
  gradient(builder, graph.results()[0], std::vector{graph.parameters()[2].value});
  EXPECT_THAT(print(graph), testing::AllOf(testing::HasSubstr("{value = i32[] 2147483647}"),
                                           testing::HasSubstr("le(%i, ")));
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
  refuse("%0 = sum(%x) {axes = [0]}\n%r = bitcast(%0) {dtype = f32} // model.cpp:9\n",
         "model.cpp:9: bitcast has no gradient");
  Graph graph = std::move(parse("func @f(%i: i32[], %x: f32[]) { return %x }").functions[0]);
  Builder builder(graph);
  EXPECT_THROW(gradient(builder, graph.results()[0], std::vector{graph.parameters()[0].value}),
               TypeError);
}

}  // namespace
}  // namespace tutti::ir::gradient_test
