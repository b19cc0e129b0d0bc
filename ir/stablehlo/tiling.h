#pragma once

#include <tutti/ir/group.h>
#include <tutti/ir/stablehlo/sharding.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// Shardings in XLA's older notation, "{devices=[2,1,2]<=[4] last_tile_dim_replicate}", which knows
// tiles and devices, but no mesh.
namespace tutti::ir::stablehlo {

// A digit of a rank's number: the ranks 0, stride, 2 * stride, ..., `size` of them.
struct Digit {
  std::int64_t size = 1;
  std::int64_t stride = 1;

  friend bool operator==(const Digit&, const Digit&) = default;
};

struct Tiling {
  bool manual = false;  // the value is a rank's own
  // For each dimension the digits of the rank that say which tile it has, outermost first. None at
  // all: every rank has the whole.
  std::vector<std::vector<Digit>> dimensions;
  std::vector<Digit> rest;  // the digits that change nothing
};

// Throws TypeError for what it can't say: tiles on some devices only, some axes manual.
Tiling read_tiling(std::string_view text, std::int64_t ranks);

// The coarsest mesh whose dimensions all digits consist of, called axis0, axis1, ...; nothing if
// there is none.
std::optional<Mesh> mesh_for(std::span<const Tiling> tilings, std::int64_t ranks);

// The mesh dimensions that the digits consist of. The mesh is one that was made for this tiling.
AxesOfDimensions axes_of(const Tiling& tiling, const Mesh& mesh, int rank);

}  // namespace tutti::ir::stablehlo
