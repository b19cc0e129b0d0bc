#include <tutti/ir/group.h>

#include <algorithm>
#include <set>

#include <tutti/ir/support/error.h>

namespace tutti::ir {

std::int64_t Mesh::ranks() const {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

std::vector<std::int64_t> Group::members_with(std::int64_t rank) const {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  if (found == ranks.end()) return {};
  const auto first = ranks.begin() + (found - ranks.begin()) / stride * stride;
  return {first, first + stride};
}

std::int64_t Group::position_of(std::int64_t rank) const {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? -1 : (found - ranks.begin()) % stride;
}

void check_group(const Group& group) {
  const std::string name = "group \"" + group.tag + "\"";
  if (group.ranks.empty()) throw TypeError(name + " has no ranks");
  if (group.stride < 1 || static_cast<std::int64_t>(group.ranks.size()) % group.stride != 0) {
    throw TypeError(name + ": stride " + std::to_string(group.stride) + " does not divide its " +
                    std::to_string(group.ranks.size()) + " ranks");
  }
  std::set<std::int64_t> seen;
  for (const std::int64_t rank : group.ranks) {
    if (rank < 0) throw TypeError(name + " has a negative rank, " + std::to_string(rank));
    if (!seen.insert(rank).second) {
      throw TypeError(name + " has rank " + std::to_string(rank) + " twice");
    }
  }
}

Group mesh_group(const Mesh& mesh, std::uint8_t dimensions) {
  Group group;
  group.stride = 1;
  // Row-major over the kept dimensions first (which group), then over the spanned ones (who in it).
  std::vector<std::int64_t> order(static_cast<std::size_t>(mesh.ranks()));
  std::vector<std::pair<std::int64_t, std::int64_t>> keyed;
  for (std::int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    std::int64_t rest = rank;
    std::int64_t outer = 0;
    std::int64_t scale = 1;
    for (int d = static_cast<int>(mesh.sizes.size()) - 1; d >= 0; --d) {
      const std::int64_t size = mesh.sizes[static_cast<std::size_t>(d)];
      if ((dimensions >> d & 1) == 0) {
        outer += rest % size * scale;
        scale *= size;
      }
      rest /= size;
    }
    keyed.emplace_back(outer, rank);
  }
  std::sort(keyed.begin(), keyed.end());
  for (const auto& [outer, rank] : keyed) group.ranks.push_back(rank);
  for (std::size_t d = 0; d < mesh.sizes.size(); ++d) {
    if ((dimensions >> d & 1) == 0) continue;
    group.stride *= mesh.sizes[d];
    group.tag += (group.tag.empty() ? "" : "_") + mesh.names[d];
  }
  return group;
}

std::uint8_t dimensions_of(const Group& group, const Mesh& mesh) {
  if (static_cast<std::int64_t>(group.ranks.size()) != mesh.ranks()) return 0;
  for (unsigned dimensions = 1; dimensions < (1U << mesh.sizes.size()); ++dimensions) {
    const Group candidate = mesh_group(mesh, static_cast<std::uint8_t>(dimensions));
    if (candidate.stride == group.stride && candidate.ranks == group.ranks) {
      return static_cast<std::uint8_t>(dimensions);
    }
  }
  return 0;
}

}  // namespace tutti::ir
