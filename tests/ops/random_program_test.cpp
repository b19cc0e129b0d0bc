#include <tutti/ir/builder.h>
#include <tutti/ir/gradient.h>

#include <random>

#include "tests/support/run_graph.h"

// Random programs of smooth ops on f64, whose shapes are as odd and as long as it takes to reach
// every part of the compiler: rests of vectors, blocks, divided reductions, views of views, rows
// and columns. Compiled, they give what the interpreter gives; so do their gradients.
namespace tutti::test {
namespace {

using ir::Attribute;
using ir::Op;
using ir::Value;
using List = std::vector<std::int64_t>;

constexpr std::int64_t kMostElements = 50000;

class Generator {
 public:
  Generator(std::uint64_t seed, ir::Graph& graph) : random_(seed), builder_(graph), graph_(graph) {
    constexpr std::int64_t kSizes[] = {1, 2, 3, 5, 16, 17, 33, 64, 130};
    do {
      for (std::int64_t& size : sizes_) size = kSizes[below(std::ssize(kSizes))];
    } while (sizes_[0] * sizes_[1] * sizes_[2] > kMostElements);
  }

  void run(int nodes) {
    for (int i = 0; i < 4; ++i) {
      const Value x = graph_.add_parameter("x" + std::to_string(i),
                                           {.dtype = DType::f64, .shape = some_shape()});
      parameters_.push_back(x);
      values_.push_back(x);
    }
    while (nodes-- > 0) {
      try {
        values_.push_back(step(pick()));
      } catch (const TypeError&) {
        // Shapes that do not fit; another one.
      }
    }
    std::vector<Value> results = {values_.back()};
    for (int i = 0; i < 3; ++i) results.push_back(pick());
    graph_.set_results(results);
  }

  // Makes the results the gradients of a weighted sum of what they were.
  void differentiate() {
    Value total = builder_.scalar(DType::f64, 0);
    for (const Value result : std::vector<Value>(graph_.results())) {
      const Value weighted = add(Op::mul, {result, add(Op::cos, {result})});
      total = add(Op::add, {total, add(Op::sum, {weighted}, {all_axes(weighted)})});
    }
    graph_.set_results(ir::gradient(builder_, total, parameters_));
  }

  std::vector<Array> arguments() {
    std::vector<Array> out;
    for (const Value parameter : parameters_) {
      Array& array = out.emplace_back(DType::f64, graph_.type(parameter).shape);
      for (double& x : array.data<double>()) x = std::uniform_real_distribution<>(-1, 1)(random_);
    }
    return out;
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  Value add(Op op, std::initializer_list<Value> operands, std::vector<Attribute> attributes = {}) {
    std::vector<ir::Type> types;
    for (const Value operand : operands) types.push_back(graph_.type(operand));
    ir::complete_attributes(ir::definition(op), attributes);
    if (ir::infer_types(op, types, attributes, nullptr)[0].shape.elements() > kMostElements) {
      throw TypeError("larger than it needs to be");
    }
    return builder_.add(op, operands, std::move(attributes));
  }
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  List list(const Shape& shape) const { return {shape.begin(), shape.end()}; }
  List all_axes(Value value) const {
    List axes;
    for (int d = 0; d < shape(value).rank(); ++d) axes.push_back(d);
    return axes;
  }
  // The program's three sizes, or 1 in their place, with some left out.
  Shape some_shape() {
    List out;
    for (std::size_t d = static_cast<std::size_t>(below(3)); d < sizes_.size(); ++d) {
      out.push_back(below(5) == 0 ? 1 : sizes_[d]);
    }
    return Shape(out);
  }
  Value pick() {
    const std::int64_t count = std::ssize(values_);
    const std::int64_t late = count - 1 - below(std::min<std::int64_t>(5, count));
    return values_[static_cast<std::size_t>(below(3) == 0 ? below(count) : late)];
  }

  Value step(Value x) {
    switch (below(10)) {
      case 0:
        return add(Op::tanh, {x});
      case 1:
        return add(Op::sin, {x});
      case 2:
        return add(Op::mul, {x, pick()});
      case 3:
        return add(Op::sub, {x, pick()});
      case 4:
        return add(Op::select, {add(Op::lt, {x, pick()}), x, add(Op::neg, {x})});
      case 5:
      case 6:
        return reduced(x);
      case 7:
      case 8:
        return seen_otherwise(x);
      default:
        return opaque(x);
    }
  }

  Value reduced(Value x) {
    List axes;
    for (const std::int64_t axis : all_axes(x)) {
      if (below(2) == 0) axes.push_back(axis);
    }
    const bool keepdims = below(2) == 0;
    switch (below(5)) {
      case 0:
        return add(Op::max, {x}, {axes, keepdims});
      case 1:
        return add(Op::tanh, {add(Op::sum, {x}, {axes, keepdims})});
      case 2:
        return add(Op::softmax, {x}, {std::int64_t{shape(x).rank() - 1}});
      case 3:
        return add(Op::log_softmax, {x}, {below(std::max(shape(x).rank(), 1))});
      default:
        return add(Op::mean, {x}, {axes, keepdims});
    }
  }

  Value seen_otherwise(Value x) {
    List sizes = list(shape(x));
    switch (below(6)) {
      case 0: {
        List permutation = all_axes(x);
        std::shuffle(permutation.begin(), permutation.end(), random_);
        return add(Op::transpose, {x}, {permutation});
      }
      case 1: {
        List start;
        List step;
        for (const std::int64_t size : sizes) {
          start.push_back(below(2) == 0 ? 0 : below(size));
          step.push_back(1 + below(2) * below(3));
        }
        return add(Op::slice, {x}, {start, sizes, step});
      }
      case 2: {
        List axes;
        for (const std::int64_t axis : all_axes(x)) {
          if (below(2) == 0) axes.push_back(axis);
        }
        return add(Op::reverse, {x}, {axes});
      }
      case 3:
        return add(Op::reshape, {x}, {List{shape(x).elements()}});
      case 4: {
        const Shape to = some_shape();
        return add(Op::broadcast_to, {x}, {list(to)});
      }
      default: {
        if (shape(x).elements() % 2 == 0)
          return add(Op::reshape, {x}, {List{2, shape(x).elements() / 2}});
        return add(Op::expand_dims, {x}, {List{below(shape(x).rank() + 1)}});
      }
    }
  }

  Value opaque(Value x) {
    const int rank = shape(x).rank();
    switch (below(5)) {
      case 0:
        return add(Op::tanh, {add(Op::matmul, {x, pick()})});
      case 1:
        return add(Op::concat, {x, pick()}, {below(std::max(rank, 1))});
      case 2: {
        const List low(static_cast<std::size_t>(rank), below(2));
        const List interior(static_cast<std::size_t>(rank), below(4) == 0 ? 1 : 0);
        return add(Op::pad, {x, builder_.scalar(DType::f64, 0.5)}, {low, low, interior});
      }
      case 3: {
        Array indices(DType::i32, {3});
        for (std::int32_t& index : indices.data<std::int32_t>())
          index = static_cast<std::int32_t>(below(8)) - 1;
        return add(Op::take, {x, builder_.constant(indices)}, {below(std::max(rank, 1))});
      }
      default: {
        const Shape row = {rank == 0 ? 1 : shape(x)[rank - 1]};
        const Value half = builder_.scalar(DType::f64, 0.5);
        const Value scale = add(Op::broadcast_to, {half}, {list(row)});
        return add(Op::layer_norm, {x, scale, add(Op::cos, {scale})});
      }
    }
  }

  std::mt19937_64 random_;
  ir::Builder builder_;
  ir::Graph& graph_;
  std::array<std::int64_t, 3> sizes_{};
  std::vector<Value> parameters_;
  std::vector<Value> values_;
};

TEST(RandomProgram, CompiledGivesWhatTheInterpreterGives) {
  constexpr std::uint64_t kSeeds = 60;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ir::Graph graph("random");
    Generator generator(seed, graph);
    generator.run(25);
    ASSERT_TRUE(engines_agree(graph, generator.arguments())) << "seed " << seed;
  }
}

TEST(RandomProgram, SoDoTheGradients) {
  constexpr std::uint64_t kSeeds = 40;
  for (std::uint64_t seed = 1000; seed < 1000 + kSeeds; ++seed) {
    ir::Graph graph("random");
    Generator generator(seed, graph);
    generator.run(12);
    generator.differentiate();
    ASSERT_TRUE(engines_agree(graph, generator.arguments(), 100)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tutti::test
