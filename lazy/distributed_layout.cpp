#include <tutti/ir/support/error.h>
#include <tutti/lazy/axes.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_layout.h>

#include <algorithm>

namespace tutti::detail {

MeshGroups::MeshGroups(const DeviceMesh& the_mesh, std::source_location at) : mesh(the_mesh) {
  for (std::size_t d = 0; d < mesh.names().size(); ++d) {
    groups.emplace_back(mesh, mesh.names()[d]);
    if (ranks(d) == 1 || spanned(d) != 0) continue;
    throw UsageError("dimension \"" + mesh.names()[d] +
                         "\" of a distributed tensor's mesh is no dimension of the program's mesh, "
                         "so that nothing is known to be the same along it; make a "
                         "DeviceMesh(world, ...) first, and use it or its slices",
                     at);
  }
}

std::int64_t MeshGroups::coordinate(std::size_t dimension) const {
  return groups[dimension].position();
}

Group MeshGroups::along(std::vector<std::size_t> dimensions) const {
  if (dimensions.size() == 1) return groups[dimensions[0]];
  // As the program's mesh has them: only a group that lists its ranks so is known to span them.
  std::ranges::sort(dimensions, {}, [&](std::size_t d) { return spanned(d); });
  std::vector<std::string> names;
  for (const std::size_t d : dimensions) names.push_back(mesh.names()[d]);
  return Group(mesh.slice(names).flatten());
}

std::uint8_t MeshGroups::spanned(std::size_t dimension) const {
  const auto& program = RankContext::current().mesh();
  if (program == nullptr || ranks(dimension) == 1) return 0;
  return ir::dimensions_of(groups[dimension].data(), *program);
}

Part part_of(std::int64_t size, std::int64_t parts, std::int64_t index) {
  const std::int64_t most = (size + parts - 1) / parts;
  const std::int64_t start = std::min(index * most, size);
  return {.start = start, .size = std::min(most, size - start)};
}

Sizes parts_of(std::int64_t size, std::int64_t parts) {
  Sizes out;
  for (std::int64_t i = 0; i < parts; ++i) out.push_back(part_of(size, parts, i).size);
  return out;
}

std::string describe(const MeshGroups& on, const Placements& placements, const Shape& shape) {
  std::string out = shape.text() + " as " + text(placements) + " over ";
  for (std::size_t d = 0; d < on.size(); ++d) {
    out += (d == 0 ? "" : ", ") + on.mesh.names()[d] + "=" + std::to_string(on.ranks(d));
  }
  return out;
}

Placements counted(Placements placements, const MeshGroups& on, const Shape& shape,
                   std::source_location at) {
  if (placements.size() != on.size()) {
    throw TypeError("a distributed tensor " + describe(on, placements, shape) + ": there are " +
                        std::to_string(placements.size()) + " placements for " +
                        std::to_string(on.size()) + " dimensions of the mesh",
                    at);
  }
  for (Placement& placement : placements) {
    if (!placement.is_shard()) continue;
    const std::int64_t rank = shape.rank();
    const std::int64_t axis = placement.axis() < 0 ? placement.axis() + rank : placement.axis();
    if (axis < 0 || axis >= rank) {
      throw TypeError("a distributed tensor " + describe(on, placements, shape) + ": there is no " +
                          "axis " + std::to_string(placement.axis()),
                      at);
    }
    placement = Shard(axis);
  }
  return placements;
}

LayoutPtr Layout::make(MeshGroupsPtr on, Placements placements, const Shape& shape,
                       std::source_location at) {
  auto out = std::make_shared<Layout>();
  out->placements = counted(std::move(placements), *on, shape, at);
  out->shape = shape;
  out->fixed.text = describe(*on, out->placements, shape) + ", ranks";
  for (const std::int64_t rank : on->mesh.ranks()) out->fixed.text += " " + std::to_string(rank);
  for (std::size_t d = 0; d < on->size(); ++d) {
    (out->placements[d].is_replicate() ? out->fixed.same : out->fixed.varying) |= on->spanned(d);
  }
  out->on = std::move(on);
  return out;
}

std::int64_t Layout::size_before(std::int64_t axis, std::size_t dimension) const {
  std::int64_t size = shape[static_cast<int>(axis)];
  for (std::size_t d = 0; d < std::min(dimension, on->size()); ++d) {
    if (placements[d].is_shard(axis)) size = part_of(size, on->ranks(d), on->coordinate(d)).size;
  }
  return size;
}

Shape Layout::local_shape() const {
  std::vector<std::int64_t> sizes;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) sizes.push_back(size_before(axis));
  return Shape(sizes);
}

std::int64_t Layout::parts(std::int64_t axis) const {
  std::int64_t out = 1;
  for (std::size_t d = 0; d < on->size(); ++d) {
    if (placements[d].is_shard(axis)) out *= on->ranks(d);
  }
  return out;
}

}  // namespace tutti::detail
