#pragma once

#include <tutti/ir/verify/spmd_calls.h>

#include <string>

// The sentences that say where ranks' programs do not fit together.
namespace tutti::ir {

// `group "dp" [0, 1]`; of messages `messages from rank 0 to rank 1 in group "dp" [0, 1]`. Of many
// members the first ones and the last.
std::string meeting_text(const Meeting& meeting);

// "collective 3" or "message 3", numbered from 1.
std::string number_text(const Meeting& meeting, std::size_t number);

// "rank 0 calls all_reduce sum f32[4] at train.cpp:41"; a side of a message as "sends f32[4]" or
// "receives f32[4]". Without a known line, the node instead. `shown` are attributes to add, as
// positions in the op's definition.
std::string call_text(const RankCall& call, std::int64_t rank,
                      const std::vector<std::size_t>& shown = {});

}  // namespace tutti::ir
