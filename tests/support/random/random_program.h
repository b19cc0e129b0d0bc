#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/run_graph.h"

// Random programs, of every op that the IR has: the same seed and options give the same program.
//
// An op is drawn with operands that the program has and attributes drawn by their names
// (draw_attribute.h), or as one of the cases of its row in the table of ops (tests/support/ops),
// with operands brought to the case's shapes and dtypes. So a new op takes part once it has its
// row.
namespace tutti::test {

struct ProgramOptions {
  // What the values are good for, whatever the inputs.
  enum class Values : std::uint8_t {
    any,    // all numbers and all ops: nothing is known about how closely modes agree
    exact,  // there is one right result of everything, bit for bit
    close,  // rounded numbers as well, as far as right results stay close to each other
    // The same, with few ops that are not smooth, so that gradients can be compared.
    smooth
  };
  Values values = Values::any;
  int nodes = 20;                    // about
  std::vector<DType> dtypes = {};    // of parameters and what is made from nothing; empty: all
  std::vector<ir::Op> ops = {};      // that are drawn; empty: all
  std::vector<Shape> shapes = {};    // of parameters; empty: of few sizes that the seed decides
  std::int64_t most_elements = 400;  // of a value
  std::shared_ptr<const ir::Mesh> mesh = nullptr;
  std::vector<Device> devices = {Device::cpu()};
  bool control = false;  // loops and branches, too
};

// A program and what it is run with: [rank][parameter]. Replicated parameters get the same on all
// ranks concerned.
struct RandomProgram {
  ir::Graph graph;
  RankArrays inputs;
};

RandomProgram random_program(std::uint64_t seed, const ProgramOptions& options = {});

// A mesh of 2 x 2 ranks, dp and tp.
std::shared_ptr<const ir::Mesh> mesh_of_four();

// Appends the gradients of a weighted sum of all floating-point results with respect to all
// floating-point parameters, and makes them the results. Throws TypeError where an op on the way
// has no gradient.
void differentiate(ir::Graph& graph);

}  // namespace tutti::test
