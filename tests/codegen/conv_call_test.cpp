// Convolutions that are calls on the host, and their gradients, which are such calls, too.

#include <tutti/ir/builder.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/verify/verify.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/run_graph.h"
#include <gtest/gtest.h>

namespace tutti::codegen::conv_call_test {
namespace {

using List = std::vector<std::int64_t>;

struct Case {
  Shape x, weight;
  List stride, low, high, dilation;
  std::int64_t groups;
};

// Whole numbers, so that sums are the same in any order.
ir::Array small_numbers(const Shape& shape, std::size_t apart) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * apart % 31 % 7) - 3);
  }
  return ir::Array::from(std::span<const float>(values), shape);
}

// Of f32 with respect to f32, but for what is in between.
ir::Graph gradients_of(const Case& use, DType dtype) {
  ir::Graph graph;
  ir::Builder builder(graph);
  const std::vector<ir::Value> wrt = {
      graph.add_parameter("x", {.dtype = DType::f32, .shape = use.x}),
      graph.add_parameter("weight", {.dtype = DType::f32, .shape = use.weight})};
  const auto as = [&](DType to, ir::Value value) {
    return builder.type(value).dtype == to ? value : builder.add(ir::Op::cast, {value}, {to});
  };
  const ir::Value convolved =
      builder.add(ir::Op::conv, {as(dtype, wrt[0]), as(dtype, wrt[1])},
                  {use.stride, use.low, use.high, use.dilation, use.groups});
  const std::vector<ir::Value> outputs = {as(DType::f32, convolved)};
  const std::vector<ir::Value> cotangents = {
      builder.constant(small_numbers(builder.type(outputs[0]).shape, 5))};
  graph.set_results(vjp(builder, outputs, cotangents, wrt));
  verify(graph);
  return graph;
}

// Of one to three dimensions; large enough for the host's own ways, which the interpreter does not
// take.
TEST(ConvCall, GradientsOfGroupsAreWhatTheInterpreterComputes) {
  const std::vector<Case> cases = {
      {{6, 8, 40}, {12, 4, 5}, {1}, {2}, {2}, {1}, 2},
      {{4, 12, 10, 12}, {18, 4, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, 3},
      {{2, 6, 16, 14}, {12, 2, 3, 2}, {1, 1}, {2, 0}, {0, 1}, {2, 1}, 3},
      {{2, 4, 5, 6, 7}, {4, 2, 3, 3, 2}, {1, 1, 2}, {1, 1, 0}, {1, 1, 1}, {1, 1, 1}, 2},
      {{2, 6, 16, 16}, {6, 3, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 2},
      {{2, 3, 24, 24}, {3, 1, 9, 9}, {1, 1}, {4, 4}, {4, 4}, {1, 1}, 3},  // depthwise
  };
  for (const Case& use : cases) {
    const std::vector<ir::Array> inputs = {small_numbers(use.x, 3), small_numbers(use.weight, 11)};
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      EXPECT_TRUE(test::modes_agree(gradients_of(use, dtype), inputs))
          << use.weight.text() << " of " << name_of(dtype);
    }
  }
}

}  // namespace
}  // namespace tutti::codegen::conv_call_test
