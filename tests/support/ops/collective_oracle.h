#pragma once

#include "tests/support/ops/oracle.h"

// What the collectives give on every rank, in double precision. Attributes are those of the table's
// case: where parts are uneven, they hold what all ranks together have (OpRow::own_case).
namespace tutti::test {

std::vector<Plain> all_reduce_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> scan_ranks_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> rooted_reduce_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> all_gather_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> gather_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> reduce_scatter_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> scatter_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> broadcast_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> all_to_all_oracle(const RankPlains& x, const Attributes& attributes);
std::vector<Plain> collective_permute_oracle(const RankPlains& x, const Attributes& attributes);
// Every rank's operand on the next one.
std::vector<Plain> ring_oracle(const RankPlains& x, const Attributes& attributes);
// Every rank's position in its group.
std::vector<Plain> rank_index_oracle(const RankPlains& x, const Attributes& attributes);
// The sum over all ranks, element by element, and then `finish(sum, own element)`.
std::vector<Plain> over_world(const RankPlains& x,
                              const std::function<double(double, double)>& finish);

}  // namespace tutti::test
