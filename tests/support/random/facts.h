#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <string>
#include <vector>

#include "tests/support/run_graph.h"

// How far two right computations of a value may be apart: found out by interpreting a program
// twice, the second time with other roundings.
namespace tutti::test {

// What is known of a value once the interpreter has run what it is computed by.
struct Facts {
  std::vector<Array> values;  // [rank]
  // The same with other roundings, [rank]; empty where there is only one right result, bit for bit.
  std::vector<Array> otherwise;
  // Why the value cannot be compared: what it is computed by takes small differences for large ones
  // (a comparison of rounded numbers), or leaves the range of useful numbers. Empty if it can.
  std::string misfit;

  bool exact() const { return otherwise.empty() && misfit.empty(); }
  // The largest distance between an element and the one with other roundings.
  double noise() const;
};

// The facts of a node's results from those of its operands, on all ranks at once.
std::vector<Facts> facts_of(ir::Op op, std::span<const ir::Attribute> attributes,
                            std::span<const Facts* const> operands, std::size_t ranks);

// Adds the facts of what the nodes from `first` on give to those of what stands before them.
void append_facts(const ir::Graph& graph, ir::NodeId first, std::vector<Facts>& facts,
                  std::size_t ranks);

// The facts of all values of a program that is run with `inputs`.
std::vector<Facts> facts_of(const ir::Graph& graph, const RankArrays& inputs);

// Whether a result is what it should be: the same bits where there is one right result, else within
// what roundings explain. What cannot be compared is always right.
testing::AssertionResult agrees(const Array& actual, const Facts& expected, std::size_t rank);

}  // namespace tutti::test
