#pragma once

#include <tutti/ir/group.h>

#include "tests/support/ops/table.h"

// What the rows of collectives are made from.
namespace tutti::test {

// What the rows are made for: a number of ranks, all of them in order, and groups out of order that
// are no product of mesh dimensions.
struct RankGroups {
  std::int64_t count;
  ir::GroupPtr world;
  ir::GroupPtr turned;

  explicit RankGroups(std::int64_t ranks);
  static std::int64_t last(const ir::GroupPtr& group) { return group->size() - 1; }
  // A size along an axis that every group divides.
  std::int64_t even(std::int64_t parts) const { return parts * count; }
};

using SizeList = std::vector<std::int64_t>;

// A list of the members' sizes along an axis, zeros among them, and their sum.
SizeList uneven_sizes(const ir::GroupPtr& group);
std::int64_t total(const SizeList& sizes);
// How much every member sends to every other, a sender's row after another's.
SizeList exchange_matrix(const ir::GroupPtr& group);
// Pairs of a ring, and of a shift that leaves out an end.
SizeList ring_pairs(const ir::GroupPtr& group);
SizeList shift_pairs(const ir::GroupPtr& group);

// The group of an op's attributes, for the user's functions.
Group group_of(const Attributes& attributes);

// Rows of messages around the ring of all ranks, each with a program of its own; of barriers, and
// of the local ops about ranks.
void add_message_rows(std::vector<OpRow>& rows, const RankGroups& ranks);
void add_rank_rows(std::vector<OpRow>& rows, const RankGroups& ranks);

}  // namespace tutti::test
