#pragma once

#include <tutti/runtime/comm/group_agreement.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::runtime {

// Of an uneven all_to_all each member says what it sends to each member and what it expects of
// each. What one sends, the other must expect.

// What a member says of a call's uneven exchanges, as one list: for each what it sends to each
// member, then what it expects of each.
std::vector<std::int64_t> exchanged_sizes(const CollectiveCall& call);

// A word of the same. The sum of all members' words is 0 where what they send is what the others
// expect; where it is not, once in 2^32 times.
std::uint32_t exchange_word(const CollectiveCall& call, int position);

// Fails the call for all members where two do not fit together, and names them. `sizes`: by member,
// what it says.
void check_exchanges(const GroupAgreement& agreement, const GroupWork& work,
                     std::span<const std::int64_t* const> sizes);

}  // namespace tutti::runtime
