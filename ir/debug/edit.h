#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

// Changes that make a program smaller and another one: what `reduce` consists of.
namespace tutti::ir {

// What becomes of a node.
enum class Fate : std::uint8_t {
  stays,
  // Goes. Results that are still needed become parameters, of their types; operands that nobody
  // else needs become results of the function, so that what comes before stays. A collective goes
  // with its wait, and the other way around. Of a parameter: goes if it is unused.
  cut,
  // An operand of the same type stands for each result, that in its place if it can; for that of a
  // wait, an operand of the collective. Of a parameter: the first one of its type.
  operand,
  zero,  // a constant stands for the results; not of a parameter, which stays
};

// The same for a function that nodes run. What it takes and gives stays, and so:
// - `cut` is only of nodes that nobody needs;
// - `zero` may be of a parameter, for those that use it.
struct FunctionEdit {
  std::vector<Fate> fates = {};  // [node]; empty: all stay
  // [result]; empty: none. The parameter in its place, if that has its type, or zeros stand for it.
  std::vector<bool> replaced = {};
  // Its nodes come in the place of those that run it: of a loop one step, of branches this one.
  bool inlined = false;
  // [parameter]; empty: none. What stays, though nobody needs it, if loops are trimmed.
  std::vector<bool> kept = {};
  bool alone = false;  // a node that chooses among branches has this one alone
};

// Where results of a function are those of a node with several.
enum class Among : std::uint8_t { own, first, last };

struct Edit {
  std::vector<Fate> fates = {};    // [node]; empty: all stay
  std::vector<bool> dropped = {};  // [result of the function]; empty: none
  Among among = Among::own;        // of a node's results which one the function's are
  std::map<std::int64_t, std::int64_t> sizes = {};  // in shapes and numbers of steps
  bool without_mesh = false;                        // nor replication; groups stay
  bool two_ranks = false;                           // in every group: 0 and 1
  // [of all_functions()]; empty: none changes. If any does, equal functions become one.
  std::vector<FunctionEdit> functions = {};
  bool trims = false;  // loops and branches lose what nobody needs of what they take and give
};

// The changed program, without what nobody needs any more, collectives included. Types are inferred
// anew. None if it would break a rule of the IR.
std::optional<Graph> edited(const Graph& graph, const Edit& edit);

// So many nodes the changed program has at most if functions are inlined: shared functions that run
// shared functions may become very many, so this is for asking first.
double most_nodes_after(const Graph& graph, const Edit& edit);

}  // namespace tutti::ir
