#pragma once

#include <tutti/ir/shape.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/placement.h>
#include <tutti/lazy/tree_walk.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

// How the parts of a distributed tensor lie on a mesh: what DistributedTensor and its ops share.
namespace tutti::detail {

// A mesh with the group along each of its dimensions.
struct MeshGroups {
  // Throws UsageError if a dimension of more than one rank is no dimension (or several) of the
  // program's mesh.
  MeshGroups(const DeviceMesh& mesh, std::source_location at);

  std::size_t size() const { return groups.size(); }
  std::int64_t ranks(std::size_t dimension) const { return mesh.sizes()[dimension]; }
  // This rank's place along a dimension.
  std::int64_t coordinate(std::size_t dimension) const;
  // The group along several dimensions, in any order.
  Group along(std::vector<std::size_t> dimensions) const;
  // The dimensions of the program's mesh that the group spans; 0 for a group of one rank.
  std::uint8_t spanned(std::size_t dimension) const;

  DeviceMesh mesh;
  std::vector<Group> groups;
};
using MeshGroupsPtr = std::shared_ptr<const MeshGroups>;

// A part of an axis.
struct Part {
  std::int64_t start;
  std::int64_t size;
};
// The index-th of so many parts: ceil(size / parts) each, the last ones smaller or empty.
Part part_of(std::int64_t size, std::int64_t parts, std::int64_t index);
// The sizes of all parts.
Sizes parts_of(std::int64_t size, std::int64_t parts);

struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

// A mesh, a placement for each of its dimensions, and the shape of the whole tensor.
struct Layout {
  // Throws TypeError for too many or too few placements and for an axis that the shape lacks.
  static LayoutPtr make(MeshGroupsPtr on, Placements placements, const Shape& shape,
                        std::source_location at);

  // How large the axis is on this rank after the shards of the dimensions before `dimension` (by
  // default of all).
  std::int64_t size_before(std::int64_t axis, std::size_t dimension = SIZE_MAX) const;
  // The shape of this rank's part.
  Shape local_shape() const;
  // Into how many parts an axis is divided.
  std::int64_t parts(std::int64_t axis) const;
  // Whether all parts of an axis are equal.
  bool is_even(std::int64_t axis) const { return shape[static_cast<int>(axis)] % parts(axis) == 0; }

  MeshGroupsPtr on;
  Placements placements;
  Shape shape;
  FixedText fixed;  // all of it, for signatures and files
};

// The placements with axes counted from 0; throws as Layout::make.
Placements counted(Placements placements, const MeshGroups& on, const Shape& shape,
                   std::source_location at);

// "[8,4] as [Shard(0), Replicate] over dp=2, tp=2".
std::string describe(const MeshGroups& on, const Placements& placements, const Shape& shape);

}  // namespace tutti::detail
