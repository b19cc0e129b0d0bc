#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/stablehlo/translate.h>

// Values that ranks have parts of: shardings in the text, and from parts to wholes and back.
namespace tutti::ir::stablehlo {

// The module's mesh, whose dimensions are Shardy's axes, or such that the tilings of custom calls
// are along them (tiling.h); null: it has none.
std::shared_ptr<const Mesh> mesh_of(const Translator& translator);

// A sharding as Shardy writes it, <@mesh, [{"x"}, {}]>, or a tiling as text. `rank` is the
// tensor's.
AxesOfDimensions axes_from(const Translator& translator, const Attribute& sharding, int rank);

// Whether any dimension is split over ranks.
bool is_split(const AxesOfDimensions& axes);

// The names of the mesh dimensions, as the IR records them.
Sharding names_of(const Mesh& mesh, const AxesOfDimensions& axes);

// The type of a rank's part of a value.
Type part_of(const Translator& translator, Type whole, const AxesOfDimensions& axes,
             std::size_t offset);

// The whole of a value of which ranks have parts, on every rank.
Term gathered(Translator& translator, const Bound& bound);

// This rank's part of a value.
Value part(Translator& translator, const Bound& bound, const AxesOfDimensions& axes,
           std::size_t offset);

// The group of these ranks, `stride` of them after another: under the mesh dimensions' names if it
// is that of some.
GroupPtr group_of(const Translator& translator, std::vector<std::int64_t> ranks,
                  std::int64_t stride);

}  // namespace tutti::ir::stablehlo
