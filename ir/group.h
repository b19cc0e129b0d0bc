#pragma once

#include <tutti/ir/support/location.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir {

// The program's grid of ranks: named dimensions, outermost first. Rank r has the row-major
// coordinates of r in `sizes`. At most eight dimensions.
struct Mesh {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;

  std::int64_t ranks() const;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// Whether a dimension may be called that: attributes list the names of several with commas.
inline bool is_dimension_name(std::string_view name) {
  return !name.empty() && name.find(',') == name.npos;
}

// The set of all dimensions, bit d standing for dimension d.
inline std::uint8_t all_dimensions(const Mesh& mesh) {
  return static_cast<std::uint8_t>((1U << mesh.names.size()) - 1);
}

// A set of mesh dimensions over which all ranks are known to hold the same value. Literals (C++
// scalars, full, iota, and what is computed from them alone) adapt to whatever they meet: they are
// replicated where the other operand is.
struct Replication {
  std::uint8_t dimensions = 0;  // bit d: mesh dimension d
  bool literal = false;
  // Of a literal: no number went into it, only positions (iota), so no rank can have chosen another
  // one. Recording asks for that; it is no part of the type.
  bool positions = false;

  friend bool operator==(const Replication& a, const Replication& b) {
    return a.dimensions == b.dimensions && a.literal == b.literal;
  }
};

// The one rule for all local ops.
constexpr Replication intersect(Replication a, Replication b) {
  if (a.literal && b.literal) return {0, true, a.positions && b.positions};
  if (a.literal) return b;
  if (b.literal) return a;
  return {static_cast<std::uint8_t>(a.dimensions & b.dimensions), false};
}

// One that is no number's: numbers count as the same over the given dimensions.
constexpr Replication known_replication(Replication own, std::uint8_t numbers) {
  return own.literal ? Replication{numbers, false} : own;
}

// How a group's collectives over the host's memory are carried out: as the compiler and the runtime
// find best; without what the compiler plans for it (places in the group's memory, kernels that
// read what peers have); or by one algorithm, whatever the size (runtime/comm/algorithms.h).
// `exact` is for all devices: as is found best, but floats are combined in the order of the
// members.
enum class Algorithm : std::uint8_t { automatic, off, one_shot, two_shot, exact };

inline constexpr std::array<std::string_view, 5> kAlgorithmNames = {"auto", "off", "one_shot",
                                                                    "two_shot", "exact"};
constexpr std::string_view name_of(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}
// Nothing if there is none of that name.
constexpr std::optional<Algorithm> algorithm_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kAlgorithmNames.size(); ++i) {
    if (kAlgorithmNames[i] == name) return static_cast<Algorithm>(i);
  }
  return std::nullopt;
}

// Which ranks communicate: plain data, so that programs are traced, printed and compiled with no
// communicator. `ranks` lists the groups' ranks, one group after another, `stride` ranks each:
// every rank finds its own group in it.
struct Group {
  std::string tag;
  std::vector<std::int64_t> ranks;
  std::int64_t stride = 1;
  // How long a rank waits for its peers in this group's collectives, in milliseconds; 0: as long as
  // its world says.
  std::int64_t timeout = 0;
  // Which engine communicates values of which kind of device, "cpu:shm,cuda:nccl"; empty: the
  // runtime's own.
  std::string backends = {};
  // What the group's collectives are called, in place of their position in the program, when ranks
  // compare whether they mean the same call; empty: nothing.
  std::string name = {};
  // Ranks don't compare that, since each runs a program of its own.
  bool programs_differ = false;
  // None: as the program is compiled.
  std::optional<Algorithm> algorithm = std::nullopt;

  std::int64_t size() const { return stride; }
  // The members of the group that `rank` belongs to; empty if it is in none.
  std::vector<std::int64_t> members_with(std::int64_t rank) const;
  // This rank's position among the members of its group; -1 if it is in none.
  std::int64_t position_of(std::int64_t rank) const;
  // Whether the same ranks number their collectives together, whatever else the two say.
  bool has_ranks_of(const Group& other) const {
    return tag == other.tag && ranks == other.ranks && stride == other.stride;
  }
  // Whether this rank does so, which two lists of groups may say of it.
  bool is_same_for(std::int64_t rank, const Group& other) const {
    return tag == other.tag &&
           (has_ranks_of(other) || members_with(rank) == other.members_with(rank));
  }

  friend bool operator==(const Group&, const Group&) = default;
};
using GroupPtr = std::shared_ptr<const Group>;

// Throws TypeError at `where` unless the group is a non-empty list of different ranks that `stride`
// divides.
void check_group(const Group& group, Location where = {});
// The same, remembered: programs have few groups and many nodes with them.
void check_group(const GroupPtr& group);

// The group of all ranks that differ only in the given mesh dimensions.
Group mesh_group(const Mesh& mesh, std::uint8_t dimensions);

// The names of mesh dimensions, such as "dp,tp".
std::string dimension_names(const Mesh& mesh, std::uint8_t dimensions,
                            std::string_view between = ",");

// The mesh dimensions that a group spans if it is exactly their product; 0 (no dimension: it
// carries no replication) if it is anything else.
std::uint8_t dimensions_of(const Group& group, const Mesh& mesh);
// The same, remembered.
std::uint8_t dimensions_of(const GroupPtr& group, const Mesh& mesh);

}  // namespace tutti::ir
