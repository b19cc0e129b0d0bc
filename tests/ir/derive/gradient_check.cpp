#include "tests/ir/derive/gradient_check.h"

#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>

#include <gtest/gtest.h>

namespace tutti::test {

namespace {

using ir::Array;
using ir::Graph;
using Inputs = std::vector<std::vector<Array>>;  // [rank][parameter]

// Different on every rank, except for what is replicated over all.
Inputs some_inputs(const std::vector<Graph>& programs) {
  Inputs inputs(programs.size());
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    std::int64_t i = 0;
    for (const ir::Parameter& parameter : programs[rank].parameters()) {
      const ir::Type& type = programs[rank].type(parameter.value);
      Array array(type.dtype, type.shape);
      const bool replicated = type.replication.dimensions != 0;
      for (double& x : array.data<double>()) {
        x = some_number(i++ + (replicated ? 0 : 100 * static_cast<std::int64_t>(rank)));
      }
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
  const Graph& first = programs[0];
  if (first.type(first.results()[0]).replication.dimensions != 0) return results[0][0].at(0);
  double sum = 0;
  for (const auto& rank : results) sum += rank[0].at(0);
  return sum;
}

std::vector<ir::Value> parameters_of(const Graph& graph) {
  std::vector<ir::Value> out;
  for (const ir::Parameter& parameter : graph.parameters()) out.push_back(parameter.value);
  return out;
}

}  // namespace

double some_number(std::int64_t i) {
  return 0.6 + 0.3 * std::sin(static_cast<double>(i) * 12.9898);
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
      const bool replicated = programs[rank].type(wrt[p]).replication.dimensions != 0;
      if (replicated && rank != 0) continue;
      EXPECT_EQ(gradients[rank][p].shape(), programs[rank].type(wrt[p]).shape);
      for (std::int64_t i = 0; i < inputs[rank][p].elements(); ++i) {
        const auto moved = [&](double by) {
          Inputs there = inputs;
          for (std::size_t r = 0; r < there.size(); ++r) {
            if (r == rank || replicated)
              there[r][p].data<double>()[static_cast<std::size_t>(i)] += by;
          }
          return total(programs, there);
        };
        const double wanted = (moved(step) - moved(-step)) / (2 * step);
        EXPECT_NEAR(gradients[rank][p].at(i), wanted, 1e-6 * (1 + std::abs(wanted)))
            << "element " << i << " of parameter " << p << " on rank " << rank << " of\n"
            << print(programs[rank]);
      }
    }
  }
}

void check_gradient(const Graph& graph) {
  const std::int64_t ranks = graph.mesh == nullptr ? 1 : graph.mesh->ranks();
  check_gradient(std::vector<Graph>(static_cast<std::size_t>(ranks), graph));
}

void check_gradient_of(const std::string& text) { check_gradient(ir::parse(text).functions.at(0)); }

}  // namespace tutti::test
