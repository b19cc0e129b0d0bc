#include "tests/ir/derive/gradient_check.h"

#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

namespace tutti::test {

namespace {

using ir::Array;
using ir::Graph;
using Inputs = std::vector<std::vector<Array>>;  // [rank][parameter]

// The ranks on which a value of a rank's program is the same, that rank among them.
std::vector<std::int64_t> ranks_alike(const Graph& program, ir::Value value, std::size_t rank) {
  const std::uint8_t dimensions = program.type(value).replication.dimensions;
  const auto own = static_cast<std::int64_t>(rank);
  if (dimensions == 0) return {own};
  return mesh_group(*program.mesh, dimensions).members_with(own);
}
// Whether the rank is the first of those.
bool stands_for_all(const Graph& program, ir::Value value, std::size_t rank) {
  return std::cmp_equal(ranks_alike(program, value, rank)[0], rank);
}

// Different on every rank, except for what is replicated.
Inputs some_inputs(const std::vector<Graph>& programs) {
  Inputs inputs(programs.size());
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    std::int64_t i = 0;
    for (const ir::Parameter& parameter : programs[rank].parameters()) {
      const ir::Type& type = programs[rank].type(parameter.value);
      Array array(type.dtype, type.shape);
      const std::int64_t first = ranks_alike(programs[rank], parameter.value, rank)[0];
      for (double& x : array.data<double>()) x = some_number(i++ + 100 * first);
      inputs[rank].push_back(std::move(array));
    }
  }
  return inputs;
}

Inputs run(const std::vector<Graph>& programs, const Inputs& inputs) {
  std::vector<const Graph*> pointers;
  for (const Graph& program : programs) pointers.push_back(&program);
  return ir::interpret(pointers, inputs);
}

// The sum over ranks of a varying scalar, or a replicated scalar itself.
double total(const std::vector<Graph>& programs, const Inputs& inputs) {
  const Inputs results = run(programs, inputs);
  double sum = 0;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    if (stands_for_all(programs[rank], programs[rank].results()[0], rank)) {
      sum += results[rank][0].at(0);
    }
  }
  return sum;
}

std::vector<ir::Value> parameters_of(const Graph& graph) {
  std::vector<ir::Value> out;
  for (const ir::Parameter& parameter : graph.parameters()) out.push_back(parameter.value);
  return out;
}

// The same one for every rank of its mesh.
std::vector<Graph> programs_of(const Graph& graph) {
  const std::int64_t ranks = graph.mesh == nullptr ? 1 : graph.mesh->ranks();
  return std::vector<Graph>(static_cast<std::size_t>(ranks), graph);
}

// The program of a weighted sum of the gradient.
Graph of_gradient(const Graph& program) {
  Graph out = program;
  ir::Builder builder(out);
  ir::Value sum;
  for (const ir::Value slope : gradient(builder, out.results()[0], parameters_of(out))) {
    const ir::Value own = weighted_sum(builder, slope);
    sum = sum.valid() ? builder.add(ir::Op::add, {sum, own}) : own;
  }
  out.set_results({sum});
  return out;
}

}  // namespace

double some_number(std::int64_t i) {
  return 0.6 + 0.3 * std::sin(static_cast<double>(i) * 12.9898);
}

ir::Value weighted_sum(ir::Builder& builder, ir::Value value) {
  const Shape shape = builder.type(value).shape;
  Array weights(DType::f64, shape);
  std::int64_t i = 1000;
  for (double& x : weights.data<double>()) x = some_number(i++);
  const ir::Value product = builder.add(ir::Op::mul, {value, builder.constant(weights)});
  std::vector<std::int64_t> axes;
  for (int d = 0; d < shape.rank(); ++d) axes.push_back(d);
  return builder.add(ir::Op::sum, {product}, {axes});
}

void check_gradient(const std::vector<Graph>& programs) {
  std::vector<Graph> backward = programs;
  for (Graph& program : backward) {
    verify(program);
    ir::Builder builder(program);
    program.set_results(gradient(builder, program.results()[0], parameters_of(program)));
    ASSERT_NO_THROW(verify(program)) << print(program);
  }
  const Inputs inputs = some_inputs(programs);
  const Inputs gradients = run(backward, inputs);

  const double step = 1e-6;
  for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
    const std::vector<ir::Value> wrt = parameters_of(programs[rank]);
    for (std::size_t p = 0; p < wrt.size(); ++p) {
      if (!stands_for_all(programs[rank], wrt[p], rank)) continue;
      const std::vector<std::int64_t> alike = ranks_alike(programs[rank], wrt[p], rank);
      for (std::int64_t i = 0; i < inputs[rank][p].elements(); ++i) {
        const auto moved = [&](double by) {
          Inputs there = inputs;
          for (const std::int64_t r : alike) {
            there[static_cast<std::size_t>(r)][p].data<double>()[static_cast<std::size_t>(i)] += by;
          }
          return total(programs, there);
        };
        const double wanted = (moved(step) - moved(-step)) / (2 * step);
        for (const std::int64_t r : alike) {
          const Array& found = gradients[static_cast<std::size_t>(r)][p];
          ASSERT_EQ(found.shape(), programs[rank].type(wrt[p]).shape);
          EXPECT_NEAR(found.at(i), wanted, 1e-6 * (1 + std::abs(wanted)))
              << "element " << i << " of parameter " << p << " on rank " << r << " of\n"
              << print(programs[rank]);
        }
      }
    }
  }
}

void check_gradient(const Graph& graph) { check_gradient(programs_of(graph)); }

void check_gradient_of(const std::string& text) { check_gradient(ir::parse(text).functions.at(0)); }

void check_gradient_twice(const std::vector<Graph>& programs) {
  check_gradient(programs);
  std::vector<Graph> gradients;
  for (const Graph& program : programs) gradients.push_back(of_gradient(program));
  check_gradient(gradients);
}

void check_gradient_twice(const Graph& graph) { check_gradient_twice(programs_of(graph)); }

}  // namespace tutti::test
