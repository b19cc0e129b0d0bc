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
  // An operand of the same type stands for the result; for that of a wait, an operand of the
  // collective. Of a parameter: the first one of its type.
  operand,
  zero,  // a constant stands for the results; not of a parameter, which stays
};

struct Edit {
  std::vector<Fate> fates = {};                     // [node]; empty: all stay
  std::vector<bool> dropped = {};                   // [result of the function]; empty: none
  std::map<std::int64_t, std::int64_t> sizes = {};  // in shapes: what becomes of sizes
  bool without_mesh = false;                        // nor replication; groups stay
  bool two_ranks = false;                           // in every group: 0 and 1
};

// The changed program, without what nobody needs any more, collectives included. Types are inferred
// anew. None if it would break a rule of the IR.
std::optional<Graph> edited(const Graph& graph, const Edit& edit);

}  // namespace tutti::ir
