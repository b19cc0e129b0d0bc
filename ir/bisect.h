#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/passes/passes.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Which part of the compiler makes a program compute something else. The judge is the reference
// interpreter, on given inputs: what differs is wrong for sure, what agrees is right for these.
namespace tutti::ir {

using RankArrays = std::vector<std::vector<Array>>;  // [rank][parameter or result]

// How far floating-point results may be apart (see array_difference).
using Tolerance = std::function<double(DType)>;
// What sums in another order, or one rounding more, may do.
Tolerance tolerance_of_passes();
// The same, and functions such as exp by another formula.
Tolerance tolerance_of_code();

// "result 1 on rank 0 differs at [3, 2]: 0.5 instead of 0.25; so do 11 more of its 64 elements", of
// the first rank and result that differ; nothing if none does.
std::optional<std::string> result_difference(const RankArrays& expected, const RankArrays& actual,
                                             const Tolerance& tolerance);

// The first pass that changes the results.
struct PassCulprit {
  std::string pass;
  std::string finding;  // what differs, or how the pass or what it made fails
  Graph before;
  Graph after;  // the same as before if there is no valid one
};

struct PassBisection {
  std::optional<PassCulprit> culprit;  // none: the passes are innocent
  Graph graph;                         // as the last pass left it that was looked at
  RankArrays expected;                 // the results as traced
};

// Runs passes one after another, and the program before the first and after each that changed it.
// `looked_at`, if there is one, is told of every innocent pass. Throws what the interpreter throws
// for the program as traced.
PassBisection bisect_passes(const Graph& traced, std::span<const Pass* const> passes,
                            const RankArrays& inputs,
                            const Tolerance& tolerance = tolerance_of_passes(),
                            const std::function<void(const PassReport&)>& looked_at = {});

// What compiled code computes of a program on the given inputs. May throw an Error, which then is
// what the code does wrong; but an EnvironmentError or UsageError, as for a machine without a GPU,
// ends the search.
using RunCompiled = std::function<RankArrays(const Graph&)>;

// Where compiled code computes something else than the interpreter does of the same graph.
struct CodeCulprit {
  std::string finding;        // what the whole program does wrong
  std::string blame;          // on what: a fused kernel, a node, or neither alone
  std::vector<NodeId> nodes;  // of the kernel, or the node; may be empty
};

// For a graph after the passes. Kernels are split into their nodes, more and more of them, until
// the results are right: then the last one split is to blame. If they never are, it is the first
// node with a wrong value. Takes about log n runs for n kernels.
std::optional<CodeCulprit> bisect_code(const Graph& graph, const RankArrays& inputs,
                                       const RunCompiled& run,
                                       const Tolerance& tolerance = tolerance_of_code());

}  // namespace tutti::ir
