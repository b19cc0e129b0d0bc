#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/world.h>

#include <algorithm>
#include <numeric>

namespace tutti {

namespace {

constexpr std::size_t kMostDimensions = 8;

ir::Mesh shape_of(const std::vector<MeshDimension>& dimensions, Location where) {
  if (dimensions.empty()) throw TypeError("a mesh has at least one dimension", where);
  if (dimensions.size() > kMostDimensions) {
    throw TypeError(
        "a mesh of " + std::to_string(dimensions.size()) + " dimensions; eight are the most",
        where);
  }
  ir::Mesh shape;
  for (const MeshDimension& dimension : dimensions) {
    if (!ir::is_dimension_name(dimension.name)) {
      throw TypeError(
          "a dimension of a mesh has a name, without commas, not \"" + dimension.name + "\"",
          where);
    }
    if (std::ranges::find(shape.names, dimension.name) != shape.names.end()) {
      throw TypeError("the mesh has two dimensions \"" + dimension.name + "\"", where);
    }
    if (dimension.size < 1 || dimension.size > INT32_MAX / shape.ranks()) {
      throw TypeError("dimension \"" + dimension.name + "\" of a mesh has size " +
                          std::to_string(dimension.size),
                      where);
    }
    shape.names.push_back(dimension.name);
    shape.sizes.push_back(dimension.size);
  }
  return shape;
}

}  // namespace

DeviceMesh::DeviceMesh(const std::vector<MeshDimension>& dimensions,
                       std::vector<std::int64_t> ranks, std::source_location at)
    : shape_(shape_of(dimensions, at)),
      ranks_(std::move(ranks)),
      context_(detail::RankContext::find_current()) {
  if (ranks_.empty()) {
    ranks_.resize(static_cast<std::size_t>(shape_.ranks()));
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }
  if (std::ssize(ranks_) != shape_.ranks()) {
    throw TypeError("a mesh of " + std::to_string(shape_.ranks()) + " ranks is given " +
                        std::to_string(ranks_.size()),
                    at);
  }
  ir::check_group({.tag = "of a mesh", .ranks = ranks_, .stride = shape_.ranks()}, at);
}

DeviceMesh::DeviceMesh(const World& world, const std::vector<MeshDimension>& dimensions,
                       std::source_location at)
    : DeviceMesh(dimensions, {}, at) {
  if (size() != world.size()) {
    throw UsageError("a mesh of " + std::to_string(size()) + " ranks in a world of " +
                         std::to_string(world.size()),
                     at);
  }
  context_ = world.context();
  world.context()->set_mesh(std::make_shared<const ir::Mesh>(shape_), at);
}

std::size_t DeviceMesh::find(std::string_view name, std::source_location at) const {
  const auto found = std::ranges::find(shape_.names, name);
  if (found != shape_.names.end()) return static_cast<std::size_t>(found - shape_.names.begin());
  const std::vector<std::string_view> names(shape_.names.begin(), shape_.names.end());
  throw TypeError("the mesh has no dimension \"" + std::string(name) + "\"" +
                      ir::suggestion_or_all(name, names),
                  at);
}

std::int64_t DeviceMesh::size(std::string_view name, std::source_location at) const {
  return shape_.sizes[find(name, at)];
}

DeviceMesh DeviceMesh::slice(const std::vector<std::string>& names, std::source_location at) const {
  DeviceMesh out;
  out.context_ = context_;
  const std::size_t count = shape_.names.size();
  std::vector<std::int64_t> strides(count, 1);
  for (std::size_t d = count - 1; d-- > 0;) strides[d] = strides[d + 1] * shape_.sizes[d + 1];
  std::vector<bool> chosen(count, false);
  std::vector<std::int64_t> inner = {0};  // offsets within a mesh, of one of the new meshes
  const auto extend = [&](std::vector<std::int64_t>& offsets, std::size_t d) {
    std::vector<std::int64_t> extended;
    for (const std::int64_t offset : offsets) {
      for (std::int64_t i = 0; i < shape_.sizes[d]; ++i) {
        extended.push_back(offset + i * strides[d]);
      }
    }
    offsets = std::move(extended);
  };
  if (names.empty()) throw TypeError("a slice of a mesh names at least one dimension", at);
  for (const std::string& name : names) {
    const std::size_t d = find(name, at);
    if (chosen[d]) throw TypeError("a slice names dimension \"" + name + "\" twice", at);
    chosen[d] = true;
    extend(inner, d);
    out.shape_.names.push_back(shape_.names[d]);
    out.shape_.sizes.push_back(shape_.sizes[d]);
  }
  std::vector<std::int64_t> outer = {0};  // where each of the new meshes begins
  for (std::size_t d = 0; d < count; ++d) {
    if (!chosen[d]) extend(outer, d);
  }
  for (std::int64_t mesh = 0; mesh < std::ssize(ranks_); mesh += size()) {
    for (const std::int64_t begin : outer) {
      for (const std::int64_t offset : inner) {
        out.ranks_.push_back(ranks_[static_cast<std::size_t>(mesh + begin + offset)]);
      }
    }
  }
  return out;
}

DeviceMesh DeviceMesh::flatten(std::string name) const {
  DeviceMesh out = *this;
  if (name.empty()) {
    for (const std::string& part : shape_.names) name += (name.empty() ? "" : "_") + part;
  }
  out.shape_ = {.names = {std::move(name)}, .sizes = {size()}};
  return out;
}

std::int64_t DeviceMesh::coordinate(std::string_view name, std::source_location at) const {
  const std::size_t dimension = find(name, at);
  const std::int64_t rank = detail::RankContext::current().runtime().rank();
  const auto found = std::ranges::find(ranks_, rank);
  if (found == ranks_.end()) return -1;
  std::int64_t place = (found - ranks_.begin()) % size();
  for (std::size_t d = shape_.sizes.size() - 1; d > dimension; --d) place /= shape_.sizes[d];
  return place % shape_.sizes[dimension];
}

}  // namespace tutti
