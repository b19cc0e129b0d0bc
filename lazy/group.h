#pragma once

#include <tutti/ir/group.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

class RankContext;

// A number in a list of ranks. A class, since a list of lists would be one of numbers as well where
// each has one number: {{0}, {1}}.
struct Rank {
  template <std::integral T>
  Rank(T number)
      : value(static_cast<std::int64_t>(number)) {}  // NOLINT(google-explicit-constructor)
  std::int64_t value;
};

// A group's tag. Not std::string itself, which a list of numbers in braces can become: {2, 3}.
struct GroupTag {
  template <std::convertible_to<std::string> T>
  GroupTag(T&& tag) : text(std::forward<T>(tag)) {}  // NOLINT(google-explicit-constructor)
  std::string text;
};

}  // namespace detail

class DeviceMesh;
class World;

// The ranks that communicate: a World (all of them), a list of ranks, a partition (each rank finds
// its own list in it), a mesh of one dimension, or a dimension of a mesh. All become the same plain
// data, which needs no World: programs are recorded, printed and compiled without one.
//
//   all_reduce(x, world);
//   all_reduce(x, {0, 1});                     // a list
//   all_reduce(x, {{0, 1}, {2, 3}});           // a partition
//   all_reduce(x, {{{0, 1}, {2, 3}}, "half"})  // with a tag
//
// Throws TypeError for a list without ranks, with a rank twice or a negative one, for a partition
// into lists of different lengths, and for a mesh of several dimensions.
class Group {
 public:
  Group(const World& world);  // NOLINT(google-explicit-constructor)
  Group(std::initializer_list<detail::Rank> ranks, detail::GroupTag tag = "",  // NOLINT
        std::source_location at = std::source_location::current());
  Group(std::vector<std::int64_t> ranks, detail::GroupTag tag = "",  // NOLINT
        std::source_location at = std::source_location::current());
  Group(std::initializer_list<std::initializer_list<std::int64_t>> partition,  // NOLINT
        detail::GroupTag tag = "", std::source_location at = std::source_location::current());
  Group(const std::vector<std::vector<std::int64_t>>& partition,  // NOLINT
        detail::GroupTag tag = "", std::source_location at = std::source_location::current());
  Group(const DeviceMesh& mesh,  // NOLINT
        std::source_location at = std::source_location::current());
  // Each rank's group along that dimension of the mesh; the tag is the dimension's name.
  Group(const DeviceMesh& mesh, std::string_view dimension,
        std::source_location at = std::source_location::current());

  // Groups of the same ranks and tag are one: their collectives have one order.
  const std::string& tag() const { return data_->tag; }
  // How many members each rank's group has.
  std::int64_t size() const { return data_->size(); }
  // Of this rank's own group: its members in the order of addition and concatenation (empty if it
  // is in none), and this rank's place among them (-1). "This rank" is the one that the calling
  // thread records for.
  std::vector<std::int64_t> ranks() const;
  std::int64_t position() const;

  // The same group, in whose collectives a rank waits at most so long for its peers: for all that
  // are given this group, or for one call, all_reduce(x, group.with_timeout(2s)). Throws UsageError
  // unless it is positive.
  Group with_timeout(std::chrono::milliseconds timeout,
                     std::source_location at = std::source_location::current()) const;

  // The same group, whose collectives the named engines carry out, by the kind of device that a
  // tensor lies on: "shm", or "cpu:my_engine,cuda:shm" (see runtime/comm/engine.h for engines of
  // your own). Nothing is opened before it is used. Throws UsageError for a text that is no such
  // list or that names an engine there is not.
  Group with_backends(std::string_view backends,
                      std::source_location at = std::source_location::current()) const;
  // Which they are, "cpu:shm,cuda:nccl".
  std::string backends() const;

  // Ranks that meet in a collective compare where their programs call it: a position in the source,
  // to the column, or a name that is given in its place. The same group, for calls that go by this
  // name: all_reduce(x, group.named("w1")) in two branches are one call, and two calls of one line
  // that bear different names are two. Throws UsageError for an empty name.
  Group named(std::string_view name,
              std::source_location at = std::source_location::current()) const;

  // The same group, whose collectives over the host's memory are carried out so: "auto", as the
  // compiler and the runtime find best; "off", so, but not at places that the compiler plans, nor
  // by its kernels; "one_shot", each rank computes its own result, or "two_shot", the ranks share
  // the work, whatever the size. All members say the same. Results are the same in every bit. Of
  // values on GPUs they are not, since NCCL adds in an order of its own: "exact", as "auto", but
  // floats are combined in the order of the members, by a kernel, or where they are large by way of
  // the host's memory. For a whole program: TUTTI_SET=algorithm=...; where the limits of "auto"
  // come from: TUTTI_COLLECTIVES. Throws UsageError for another word.
  Group with_algorithm(std::string_view algorithm,
                       std::source_location at = std::source_location::current()) const;

  // The same group, for ranks that run programs of their own, each with its own position for a call
  // that they share: nothing of the kind is compared. All members say so, or the calls don't match.
  // For all groups of a world: InitOptions::programs_differ.
  Group programs_differ() const;

  // Ends the use of this group on this rank: issues and completes what was recorded, and destroys
  // what serves the group, whoever else holds a copy of it. A peer that waits for what this rank
  // did not call gets a CommError; using the group again here, also in functions compiled before,
  // is a UsageError. Make another with another tag. Throws what completing throws.
  void close(std::source_location at = std::source_location::current()) const;

  // Frees every rank that is stuck in this group with a CommError that gives the reason, on every
  // rank; the group can't be used any more, others can. From any thread: for the World in which the
  // group was made. Throws UsageError if it was made without one.
  void abort(const std::string& reason,
             std::source_location at = std::source_location::current()) const;

  const ir::GroupPtr& data() const { return data_; }

 private:
  Group with(ir::Group data) const;

  ir::GroupPtr data_;
  std::weak_ptr<detail::RankContext> context_;
};

}  // namespace tutti
