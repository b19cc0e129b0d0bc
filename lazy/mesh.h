#pragma once

#include <tutti/ir/group.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {
class RankContext;
}

class World;

// A dimension of a mesh: {"tp", 4}.
struct MeshDimension {
  std::string name;
  std::int64_t size;
};

// A grid of ranks with named dimensions, outermost first. A group is a dimension of it:
//
//   DeviceMesh mesh(world, {{"dp", 2}, {"tp", 4}});
//   all_reduce(x, mesh["tp"]);        // or all_reduce(x, {mesh, "tp"})
//
// Plain data: copies are equal, and nothing is communicated.
class DeviceMesh {
 public:
  // All ranks of the world in row-major order. It becomes the program's mesh, over whose dimensions
  // tensors are known to be the same (see replicated()): a World has one, of one dimension "world"
  // if none is made. Throws UsageError if the sizes do not make up the world's, if the World has
  // another mesh already, or if tensors are known to be the same on all ranks already; TypeError as
  // below. Make it first, on every rank.
  DeviceMesh(const World& world, const std::vector<MeshDimension>& dimensions,
             std::source_location at = std::source_location::current());

  // The same without a World, for groups alone: of ranks 0, 1, ... or of the given ones, row-major.
  // Throws TypeError without dimensions or with more than eight, for a name that is empty or there
  // twice, for a size below 1, and for ranks that are not as many as the sizes say, negative, or
  // there twice.
  explicit DeviceMesh(const std::vector<MeshDimension>& dimensions,
                      std::vector<std::int64_t> ranks = {},
                      std::source_location at = std::source_location::current());

  // The dimensions' names and sizes.
  const std::vector<std::string>& names() const& { return shape_.names; }
  std::vector<std::string> names() && { return std::move(shape_.names); }
  const std::vector<std::int64_t>& sizes() const& { return shape_.sizes; }
  std::vector<std::int64_t> sizes() && { return std::move(shape_.sizes); }
  // Throws TypeError for an unknown name, as all below.
  std::int64_t size(std::string_view name,
                    std::source_location at = std::source_location::current()) const;
  // How many ranks a mesh (of a slice: each of its meshes) has.
  std::int64_t size() const { return shape_.ranks(); }

  // The meshes along some of the dimensions, in the order that is given; each rank finds its own
  // among them.
  DeviceMesh slice(const std::vector<std::string>& names,
                   std::source_location at = std::source_location::current()) const;
  // A name, and the line that says it.
  struct Name {
    template <class Text>
      requires std::convertible_to<const Text&, std::string_view>
    Name(const Text& text,  // NOLINT(google-explicit-constructor)
         std::source_location where = std::source_location::current())
        : name(std::string_view(text)), at(where) {}
    std::string name;
    std::source_location at;
  };
  DeviceMesh operator[](const Name& name) const { return slice({name.name}, name.at); }
  // The same ranks as a mesh of one dimension, by default named like "dp_tp".
  DeviceMesh flatten(std::string name = "") const;

  // The ranks of all its meshes (one, or a slice's), one after another, each row-major.
  const std::vector<std::int64_t>& ranks() const& { return ranks_; }
  std::vector<std::int64_t> ranks() && { return std::move(ranks_); }
  // Of the rank that the calling thread records for: its place along a dimension; -1 if it is in
  // none of the meshes.
  std::int64_t coordinate(std::string_view name,
                          std::source_location at = std::source_location::current()) const;

  friend bool operator==(const DeviceMesh& a, const DeviceMesh& b) {
    return a.shape_ == b.shape_ && a.ranks_ == b.ranks_;
  }

 private:
  friend class Group;
  DeviceMesh() = default;
  std::size_t find(std::string_view name, std::source_location at) const;

  ir::Mesh shape_;
  std::vector<std::int64_t> ranks_;
  std::weak_ptr<detail::RankContext> context_;
};

}  // namespace tutti
