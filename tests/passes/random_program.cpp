#include "tests/passes/random_program.h"

#include <tutti/ir/builder.h>

#include <algorithm>
#include <limits>
#include <random>

namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

constexpr std::array kDTypes = {DType::f32, DType::f32, DType::bf16,
                                DType::i32, DType::u8,  DType::boolean};
// They broadcast against each other, and some are rows or columns of others.
const std::array<Shape, 8> kShapes = {Shape{},     Shape{3},    Shape{4, 3},    Shape{4, 1},
                                      Shape{1, 3}, Shape{4, 3}, Shape{2, 4, 3}, Shape{3, 3}};

double special_number(std::mt19937_64& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kNumbers = {0.0,       -0.0,       1.0,
                                   -1.0,      0.5,        3.0,
                                   kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  return kNumbers[random() % kNumbers.size()];
}

Array random_array(DType dtype, const Shape& shape, std::mt19937_64& random) {
  Array out(dtype, shape);
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    Cell cell{.integer = static_cast<std::int64_t>(random() % 9) - 4};
    if (is_floating(dtype)) {
      cell.number = random() % 5 == 0 ? special_number(random)
                                      : static_cast<double>(random() % 2001) / 500 - 2;
    }
    const DType from = is_floating(dtype) ? DType::f64 : DType::i64;
    store_cell(dtype, evaluate(ScalarOp::cast, from, {cell}, compute_dtype(dtype)),
               out.bytes().data() + i * size_of(dtype));
  }
  return out;
}

class Generator {
 public:
  Generator(std::uint64_t seed, Graph& graph) : random_(seed), graph_(graph), builder_(graph) {
    for (const Definition& entry : definitions()) {
      if (entry.kind == OpClass::elementwise && entry.attributes.empty()) {
        elementwise_.push_back(entry.op);
      }
      if (entry.kind == OpClass::reduce) reductions_.push_back(entry.op);
    }
  }

  void run(int nodes, bool fusible) {
    for (int i = 0; i < 6; ++i) {
      Type type{.dtype = one_of(kDTypes), .shape = one_of(kShapes)};
      if (fusible) type = {.dtype = DType::f32, .shape = {3, 3}};
      if (graph_.mesh != nullptr) type.replication.dimensions = static_cast<std::uint8_t>(below(4));
      values_.push_back(graph_.add_parameter("x" + std::to_string(i), type, below(2) == 0));
    }
    for (int attempts = 0; attempts < 50 * nodes; ++attempts) {
      if (graph_.node_count() >= static_cast<std::size_t>(nodes)) break;
      builder_.at({"model.cpp", static_cast<std::uint32_t>(attempts)});
      try {
        fusible ? fusible_step() : step();
      } catch (const TypeError&) {
        // Operands that do not fit; another try.
      }
    }
    std::vector<Value> results = {values_.back()};
    for (int i = 0; i < 4; ++i) results.push_back(pick());
    if (!waiting_.empty()) results.push_back(waiting_.back());
    graph_.set_results(std::move(results));
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  template <class Range>
  typename Range::value_type one_of(const Range& range) {
    return range[static_cast<std::size_t>(below(std::ssize(range)))];
  }
  // Rather a late value than an early one, so that chains grow.
  Value pick() {
    const std::int64_t count = std::ssize(values_);
    const std::int64_t at =
        below(2) == 0 ? below(count) : count - 1 - below(std::min<std::int64_t>(4, count));
    return values_[static_cast<std::size_t>(at)];
  }
  Value pick(DType dtype) {
    for (int i = 0; i < 20; ++i) {
      const Value value = pick();
      if (graph_.type(value).dtype == dtype) return value;
    }
    return constant(dtype);
  }
  Value constant(DType dtype) {
    if (below(3) == 0) return builder_.constant(random_array(dtype, one_of(kShapes), random_));
    return builder_.scalar(
        dtype, is_floating(dtype) ? special_number(random_) : static_cast<double>(below(2)));
  }
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  List some_axes(int rank) {
    List axes;
    for (int d = 0; d < rank; ++d) {
      if (below(2) == 0) axes.push_back(d);
    }
    return axes;
  }

  void step() {
    const Value x = pick();
    switch (below(graph_.mesh != nullptr ? 12 : 9)) {
      case 0:
        return keep(Op::cast, {x}, {one_of(kDTypes)});
      case 1:
        return keep(one_of(reductions_), {x}, {some_axes(shape(x).rank()), below(2) == 0});
      case 2:
      case 3:
        return view(x);
      case 4:
        return composite_or_opaque(x);
      case 9:
      case 10:
        return collective(pick(DType::f32));
      case 11:
        return wait();
      default:
        return elementwise(x);
    }
  }

  void fusible_step() {
    constexpr std::array kOps = {Op::add, Op::sub, Op::mul, Op::exp, Op::tanh, Op::neg};
    const std::array<List, 3> axes = {List{0}, List{1}, List{0, 1}};
    const std::array<List, 5> shapes = {List{3, 3}, List{3, 1}, List{1, 3}, List{3}, List{1, 1}};
    const Value x = pick();
    switch (below(graph_.mesh != nullptr ? 17 : 15)) {
      case 0:
      case 1:
        return keep(below(2) == 0 ? Op::sum : Op::max, {x}, {one_of(axes), below(3) != 0});
      case 2:
        return keep(Op::reshape, {x}, {one_of(shapes)});
      case 3:
        return keep(Op::broadcast_to, {x}, {List{3, 3}});
      case 4:
        return below(3) == 0 ? keep(Op::matmul, {x, pick()}) : elementwise(x);
      case 5:
        return keep(Op::identity, {x});
      case 6:
        return below(2) == 0 ? keep(Op::transpose, {x}, {List{1, 0}}) : elementwise(x);
      case 15:
        return collective(x);
      case 16:
        return wait();
      default: {
        const Op op = one_of(kOps);
        if (definition(op).least_operands == 1) return keep(op, {x});
        return keep(op, {x, below(5) == 0 ? builder_.scalar(DType::f32, 0.5) : pick()});
      }
    }
  }

  void wait() {
    if (waiting_.empty()) return;
    const Value async = waiting_.back();
    waiting_.pop_back();
    values_.push_back(builder_.add(Op::wait, {async}));
  }

  void keep(Op op, std::initializer_list<Value> operands, std::vector<Attribute> attributes = {}) {
    values_.push_back(builder_.add(op, operands, std::move(attributes)));
  }

  void elementwise(Value x) {
    const DType dtype = graph_.type(x).dtype;
    const auto other = [&] { return below(3) == 0 ? constant(dtype) : pick(dtype); };
    // Half of the time an op that rules know.
    constexpr std::array kKnown = {Op::neg,         Op::abs,        Op::add,    Op::sub,
                                   Op::mul,         Op::div,        Op::floor,  Op::logical_not,
                                   Op::logical_and, Op::bitwise_or, Op::select, Op::shift_left};
    const Op op = below(2) == 0 ? one_of(kKnown) : one_of(elementwise_);
    const int count = definition(op).least_operands;
    if (op == Op::select) return keep(op, {pick(DType::boolean), x, other()});
    if (count == 1) return keep(op, {x});
    if (count == 2) return below(2) == 0 ? keep(op, {x, other()}) : keep(op, {other(), x});
    keep(op, {x, other(), other()});
  }

  void view(Value x) {
    const List sizes(shape(x).begin(), shape(x).end());
    const int rank = shape(x).rank();
    switch (below(8)) {
      case 0:
        return keep(Op::reshape, {x}, {below(2) == 0 ? List{shape(x).elements()} : sizes});
      case 1: {
        List permutation(sizes.size());
        for (std::size_t d = 0; d < sizes.size(); ++d)
          permutation[d] = static_cast<std::int64_t>(d);
        std::shuffle(permutation.begin(), permutation.end(), random_);
        return keep(Op::transpose, {x}, {permutation});
      }
      case 2: {
        const Shape to = one_of(kShapes);
        return keep(Op::broadcast_to, {x}, {List(to.begin(), to.end())});
      }
      case 3:
        return keep(Op::expand_dims, {x}, {List{below(rank + 1)}});
      case 4:
        return keep(Op::squeeze, {x}, {List{below(rank + 1)}});
      case 5: {
        List start;
        List stop;
        List step;
        for (const std::int64_t size : sizes) {
          start.push_back(below(3) == 0 ? below(size + 1) : 0);
          stop.push_back(below(3) == 0 ? start.back() + below(size - start.back() + 1) : size);
          step.push_back(below(3) == 0 ? 2 : 1);
        }
        return keep(Op::slice, {x}, {start, stop, step});
      }
      case 6:
        return keep(Op::reverse, {x}, {some_axes(rank)});
      default:
        return keep(Op::identity, {x});
    }
  }

  void composite_or_opaque(Value x) {
    const int rank = shape(x).rank();
    switch (below(9)) {
      case 0:
        return keep(Op::softmax, {x}, {std::int64_t{rank - 1}});
      case 1:
        return keep(Op::mean, {x}, {some_axes(rank), below(2) == 0});
      case 2:
        return keep(Op::gelu, {x}, {std::string(below(2) == 0 ? "none" : "tanh")});
      case 3:
        return keep(Op::matmul, {x, pick(graph_.type(x).dtype)});
      case 4:
        return keep(Op::concat, {x, pick(graph_.type(x).dtype)}, {below(rank + 1)});
      case 5: {
        const auto fill = builder_.scalar(graph_.type(x).dtype, 1);
        const List low(static_cast<std::size_t>(rank), below(2));
        const List none(static_cast<std::size_t>(rank), 0);
        return keep(Op::pad, {x, fill}, {low, none, none});
      }
      case 6:
        return keep(Op::take, {x, pick(DType::i32)}, {below(rank + 1)});
      case 7:
        return keep(Op::one_hot, {pick(DType::i32)}, {std::int64_t{3}, DType::f32});
      default:
        return keep(Op::uniform, {builder_.scalar(DType::u64, static_cast<double>(below(2)))},
                    {DType::f32, List{4, 3}});
    }
  }

  void collective(Value x) {
    const auto group = std::make_shared<const Group>(
        mesh_group(*graph_.mesh, static_cast<std::uint8_t>(1 + below(3))));
    switch (below(5)) {
      case 0:
        builder_.node(Op::barrier, {}, {group});
        return;
      case 1: {
        const Value position = builder_.add(Op::rank_index, std::span<const Value>(), {group});
        return keep(Op::cast, {position}, {DType::f32});
      }
      case 2: {
        const NodeId node =
            builder_.node(Op::all_reduce, {x, pick(DType::f32)}, {std::string("sum"), group});
        waiting_.push_back(graph_.result(node, 0));
        waiting_.push_back(graph_.result(node, 1));
        return;
      }
      default: {
        Value async = builder_.add(Op::all_reduce, {x}, {std::string("max"), group});
        if (below(2) == 0) {
          async = builder_.add(Op::reshape, {async}, {List{shape(async).elements()}});
        }
        waiting_.push_back(async);
        return;
      }
    }
  }

  std::mt19937_64 random_;
  Graph& graph_;
  Builder builder_;
  std::vector<Op> elementwise_;
  std::vector<Op> reductions_;
  std::vector<Value> values_;
  std::vector<Value> waiting_;  // async
};

Graph program(std::uint64_t seed, int nodes, bool with_mesh, bool fusible) {
  Graph graph("random");
  if (with_mesh) {
    graph.mesh = std::make_shared<const Mesh>(Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
  }
  Generator(seed, graph).run(nodes, fusible);
  return graph;
}

}  // namespace

Graph random_program(std::uint64_t seed, int nodes, bool with_mesh) {
  return program(seed, nodes, with_mesh, false);
}

Graph fusible_program(std::uint64_t seed, int nodes, bool with_mesh) {
  return program(seed, nodes, with_mesh, true);
}

std::vector<std::vector<Array>> random_arguments(const Graph& graph, std::uint64_t seed) {
  const std::int64_t ranks = graph.mesh == nullptr ? 1 : graph.mesh->ranks();
  std::vector<std::vector<Array>> out;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    std::vector<Array>& arguments = out.emplace_back();
    for (const Parameter& parameter : graph.parameters()) {
      const Type& type = graph.type(parameter.value);
      // The coordinates along replicated dimensions do not count; dimension 0 is the high bit.
      const std::uint8_t replicated = type.replication.dimensions;
      const std::int64_t high = (replicated & 1) != 0 ? 0 : rank / 2;
      const std::int64_t low = (replicated & 2) != 0 ? 0 : rank % 2;
      std::mt19937_64 random(seed * 1000 + parameter.value.id * 4ULL +
                             static_cast<std::uint64_t>(high * 2 + low));
      arguments.push_back(random_array(type.dtype, type.shape, random));
    }
  }
  return out;
}

}  // namespace tutti::ir
