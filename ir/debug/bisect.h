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

// What the ranks of a job run: programs that differ from each other, and which one each rank has.
struct RankPrograms {
  std::vector<Graph> graphs;
  std::vector<std::size_t> of_rank;

  static RankPrograms same(Graph graph, std::size_t ranks);
  // Programs that are equal, also in the names of parameters and in shardings, become one.
  static RankPrograms distinct(const std::vector<Graph>& by_rank);

  std::vector<const Graph*> by_rank() const;
  std::vector<std::int64_t> ranks_of(std::size_t program) const;
};

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
// The same of one array, without its place: "differs at [3, 2]: ...".
std::optional<std::string> difference_of(const Array& expected, const Array& actual,
                                         const Tolerance& tolerance);

// The first pass that changes the results.
struct PassCulprit {
  std::string pass;
  std::string finding;  // what differs, or how the pass or what it made fails
  // Where the pass does it: the program, and the function in it that nodes run, by name. Empty if
  // it is the program itself, or not one place alone.
  std::vector<std::int64_t> ranks;  // that run the program
  std::string function;
  // The program without and with what the pass does there. The same if there is no valid one
  // afterwards.
  Graph before;
  Graph after;
};

// "rank 3", "ranks 0, 2 and 5".
std::string text_of_ranks(const std::vector<std::int64_t>& ranks);
// " on rank 1 in @cell", with as much of it as is known and not obvious.
std::string place_of(const PassCulprit& culprit, const RankPrograms& programs);
// "the pass cse is to blame, for what it does on rank 1 in @cell: after it result 0 on rank 0
// differs at [0]: 2 instead of 1".
std::string blame_of(const PassCulprit& culprit, const RankPrograms& programs);

struct PassBisection {
  std::optional<PassCulprit> culprit;  // none: the passes are innocent
  RankPrograms programs;               // as the last pass left them that was looked at
  RankArrays expected;                 // the results as traced
};

// A pass that is innocent, and whether it changed anything.
struct Innocent {
  const Pass& pass;
  bool changed;
};

// Runs passes one after another, each over all programs, and the programs before the first and
// after each that changed any. Of a pass that is to blame it then finds where: it does its work in
// more and more of the programs and the functions that nodes run, until the results are wrong,
// which takes about log n runs. `looked_at`, if there is one, is told of every innocent pass.
// Throws what the interpreter throws for the programs as traced.
PassBisection bisect_passes(const RankPrograms& traced, std::span<const Pass* const> passes,
                            const RankArrays& inputs,
                            const Tolerance& tolerance = tolerance_of_passes(),
                            const std::function<void(const Innocent&)>& looked_at = {});

// What compiled code computes of programs on the given inputs. May throw an Error, which then is
// what the code does wrong; but an EnvironmentError or UsageError, as for a machine without a GPU,
// ends the search.
using RunCompiled = std::function<RankArrays(const RankPrograms&)>;

// Where compiled code computes something else than the interpreter does of the same programs.
struct CodeCulprit {
  std::string finding;              // what the programs do wrong
  std::string blame;                // on what: a fused kernel, a node, or neither alone
  std::vector<std::int64_t> ranks;  // that run the program where it is; empty if that isn't known
  Graph graph;                      // the program, or the function in it that nodes run
  std::vector<NodeId> nodes;        // of the kernel, or the node; may be empty
};

// For programs after the passes. Kernels, also those of functions that nodes run, are split into
// their nodes, more and more of them, until the results are right: then the last one split is to
// blame. If they never are, it is the first node with a wrong value. Takes about log n runs for n
// kernels.
std::optional<CodeCulprit> bisect_code(const RankPrograms& programs, const RankArrays& inputs,
                                       const RunCompiled& run,
                                       const Tolerance& tolerance = tolerance_of_code());

}  // namespace tutti::ir
