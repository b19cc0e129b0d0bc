#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/random/facts.h"
#include "tests/support/random/random_program.h"

namespace tutti::test {

// A way of running a program, which must give what the interpreter gives.
struct Way {
  std::string name;
  std::function<RankArrays(const RandomProgram&)> run;
};

// On the host: compiled by every mode of this build, with fused kernels and with a kernel for
// every node, the steps walked and as native code.
std::span<const Way> host_ways();
// On a GPU (gpu.h), from a copy of the program that lies there. Of programs of one rank.
const Way& gpu_way();

// A program with one of its results or all of them computed wrongly: which way, and what it gave.
struct Difference {
  Way way;
  std::string message;
};

// The first way that does not give what the interpreter gives; nothing if all do. What a way throws
// is a difference, too.
std::optional<Difference> first_difference(const RandomProgram& program, std::span<const Way> ways);

// The same program with everything on one device.
ir::Graph on_device(const ir::Graph& graph, Device device);

}  // namespace tutti::test
