#include "tests/support/random_graph.h"

#include <tutti/ir/builder.h>

#include <random>

namespace tutti::test {

namespace {

using ir::Attribute;
using ir::Op;
using ir::Value;

class Generator {
 public:
  Generator(std::uint64_t seed, ir::Graph& graph) : random_(seed), graph_(graph), builder_(graph) {}

  void run(int nodes) {
    parameters();
    for (int i = 0; i < nodes; ++i) {
      builder_.at(below(3) == 0 ? Location()
                                : Location("some/folder/model.cpp", static_cast<std::uint32_t>(i)));
      if (graph_.mesh != nullptr && below(6) == 0) {
        collective();
      } else {
        local();
      }
    }
    graph_.set_results({pick(), pick()});
  }

 private:
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  void parameters() {
    for (int i = 0; i < 4; ++i) {
      ir::Type type{.dtype = DType::f32, .shape = {2, 3}};
      if (graph_.mesh != nullptr) type.replication.dimensions = static_cast<std::uint8_t>(below(4));
      values_.push_back(graph_.add_parameter("x" + std::to_string(i), type, below(2) == 0));
    }
  }

  // All values are f32[2,3] here.
  Value pick() { return values_[static_cast<std::size_t>(below(std::ssize(values_)))]; }

  void local() {
    const Value x = pick();
    switch (below(8)) {
      case 0:
        return keep(builder_.add(Op::tanh, {x}));
      case 1:
        return keep(builder_.add(Op::mul, {x, pick()}));
      case 2:
        return keep(builder_.add(Op::select, {builder_.add(Op::lt, {x, pick()}), x, pick()}));
      case 3:
        return keep(builder_.add(Op::add, {x, builder_.scalar(DType::f32, 0.1)}));
      case 4: {
        const Value total = builder_.add(Op::sum, {x}, {std::vector<std::int64_t>{below(2)}, true});
        return keep(builder_.add(Op::sub, {pick(), total}));
      }
      case 5: {
        const Value flipped = builder_.add(Op::transpose, {x}, {std::vector<std::int64_t>{1, 0}});
        const Value square = builder_.add(Op::matmul, {pick(), flipped});
        return keep(builder_.add(Op::matmul, {square, pick()}));
      }
      case 6:
        return keep(builder_.add(Op::softmax, {x}, {std::int64_t{1}}));
      default: {
        const Value half = builder_.add(Op::cast, {x}, {DType::bf16});
        return keep(builder_.add(Op::cast, {half}, {DType::f32}));
      }
    }
  }

  void collective() {
    const auto group = std::make_shared<const ir::Group>(
        mesh_group(*graph_.mesh, static_cast<std::uint8_t>(1 + below(3))));
    const ir::NodeId node =
        builder_.node(Op::all_reduce, {pick(), pick()}, {std::string("sum"), group});
    if (below(4) != 0) keep(builder_.add(Op::wait, {graph_.result(node, 0)}));
    if (below(4) == 0) builder_.node(Op::barrier, {}, {group});
  }

  void keep(Value value) { values_.push_back(value); }

  std::mt19937_64 random_;
  ir::Graph& graph_;
  ir::Builder builder_;
  std::vector<Value> values_;
};

}  // namespace

ir::Graph random_graph(std::uint64_t seed, int nodes, bool with_mesh) {
  ir::Graph graph("random");
  if (with_mesh) {
    graph.mesh = std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
  }
  Generator(seed, graph).run(nodes);
  return graph;
}

}  // namespace tutti::test
