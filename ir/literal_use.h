#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <vector>

// Numbers and literals take the side of what they meet: with a replicated value they count as the
// same on all ranks. Whether that is true no rank knows alone, so what went into a collective's
// operands in that way is hashed, and the ranks of the collective compare the hashes.
namespace tutti::ir {

struct LiteralUse {
  // Which ops on which lines used literals, and which values these had; both 0: none. Ranks whose
  // programs differ have different structures, and then their values say nothing; with one
  // structure they must have the same values.
  std::uint32_t structure = 0;
  std::uint32_t values = 0;
  Location where = {};  // of the first use

  bool any() const { return structure != 0; }
  friend bool operator==(const LiteralUse&, const LiteralUse&) = default;
};

// Masks of mesh dimensions that are looked after: all sets of up to three dimensions' meshes; of
// others each dimension, and all together.
std::vector<std::uint8_t> literal_masks(const Mesh& mesh);

// For every collective of the graph, in program order: what its operands were computed from by way
// of values that are replicated over `dimensions`, if its group spans exactly these; else none.
// `parameters`: for a parameter that is a literal a hash of its value, for others their own uses,
// as `values` gave them; missing ones have none. `values`, if not null, gets those of all values,
// by id.
std::vector<LiteralUse> literal_uses(const Graph& graph, std::uint8_t dimensions,
                                     std::span<const LiteralUse> parameters,
                                     std::vector<LiteralUse>* values = nullptr);

}  // namespace tutti::ir
