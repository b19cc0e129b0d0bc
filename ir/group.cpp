#include <tutti/ir/group.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <unordered_map>

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

void check_group(const Group& group, Location where) {
  const std::string name = group.tag.empty() ? "a group" : "group \"" + group.tag + "\"";
  if (group.ranks.empty()) throw TypeError(name + " has no ranks", where);
  if (group.stride < 1 || static_cast<std::int64_t>(group.ranks.size()) % group.stride != 0) {
    throw TypeError(name + ": stride " + std::to_string(group.stride) + " does not divide its " +
                        std::to_string(group.ranks.size()) + " ranks",
                    where);
  }
  std::vector<std::int64_t> sorted = group.ranks;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0) {
    throw TypeError(name + " has a negative rank, " + std::to_string(sorted.front()), where);
  }
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw TypeError(name + " has rank " + std::to_string(*twice) + " twice", where);
  }
}

std::string dimension_names(const Mesh& mesh, std::uint8_t dimensions, std::string_view between) {
  std::string out;
  for (std::size_t d = 0; d < mesh.names.size(); ++d) {
    if ((dimensions >> d & 1) == 0) continue;
    if (!out.empty()) out += between;
    out += mesh.names[d];
  }
  return out;
}

Group mesh_group(const Mesh& mesh, std::uint8_t dimensions) {
  Group group{.tag = dimension_names(mesh, dimensions, "_"), .ranks = {}, .stride = 1};
  // Row-major over the kept dimensions first (which group), then over the spanned ones (who in it).
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
  }
  return group;
}

std::uint8_t dimensions_of(const Group& group, const Mesh& mesh) {
  const auto count = static_cast<std::int64_t>(group.ranks.size());
  if (count != mesh.ranks() || group.stride < 1 || count % group.stride != 0) return 0;
  // The first group of a product holds rank 0 and its neighbour along each spanned dimension.
  const auto begin = group.ranks.begin();
  unsigned dimensions = 0;
  unsigned of_one_rank = 0;
  std::int64_t neighbour = 1;
  for (int d = static_cast<int>(mesh.sizes.size()) - 1; d >= 0; --d) {
    const std::int64_t size = mesh.sizes[static_cast<std::size_t>(d)];
    if (size == 1) {
      of_one_rank = 1U << d;
    } else if (std::find(begin, begin + group.stride, neighbour) != begin + group.stride) {
      dimensions |= 1U << d;
    }
    neighbour *= size;
  }
  // Groups of one rank each span a dimension of one rank, if there is one.
  if (dimensions == 0) dimensions = of_one_rank;
  if (dimensions == 0) return 0;
  const Group candidate = mesh_group(mesh, static_cast<std::uint8_t>(dimensions));
  const bool same = candidate.stride == group.stride && candidate.ranks == group.ranks;
  return same ? static_cast<std::uint8_t>(dimensions) : std::uint8_t{0};
}

namespace {

// What was found out about a group. Its weak pointer keeps the address from being given to another.
struct GroupFacts {
  std::weak_ptr<const Group> group;
  bool checked = false;
  Mesh mesh;  // that `dimensions` belongs to; without names: none yet
  std::uint8_t dimensions = 0;
};

// The main thread's variables go before static ones, of which one may be a World.
constinit thread_local bool thread_ends = false;

struct KnownGroups : std::unordered_map<const Group*, GroupFacts> {
  KnownGroups() = default;
  KnownGroups(const KnownGroups&) = delete;
  KnownGroups& operator=(const KnownGroups&) = delete;
  ~KnownGroups() { thread_ends = true; }
};

// Null where nothing is remembered any more.
GroupFacts* facts_of(const GroupPtr& group) {
  constexpr std::size_t kMost = 1024;
  if (thread_ends) return nullptr;
  thread_local KnownGroups known;
  if (known.size() == kMost && !known.contains(group.get())) known.clear();
  GroupFacts& facts = known[group.get()];
  const bool same = !facts.group.owner_before(group) && !group.owner_before(facts.group);
  if (!same) facts = {.group = group, .checked = false, .mesh = {}, .dimensions = 0};
  return &facts;
}

}  // namespace

void check_group(const GroupPtr& group) {
  GroupFacts* const facts = facts_of(group);
  if (facts != nullptr && facts->checked) return;
  check_group(*group);
  if (facts != nullptr) facts->checked = true;
}

std::uint8_t dimensions_of(const GroupPtr& group, const Mesh& mesh) {
  if (mesh.names.empty()) return 0;
  GroupFacts* const facts = facts_of(group);
  if (facts == nullptr) return dimensions_of(*group, mesh);
  if (facts->mesh != mesh) {
    facts->dimensions = dimensions_of(*group, mesh);
    facts->mesh = mesh;
  }
  return facts->dimensions;
}

}  // namespace tutti::ir
