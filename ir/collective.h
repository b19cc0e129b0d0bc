#pragma once

#include <tutti/ir/op.h>
#include <tutti/ir/support/location.h>

#include <string_view>
#include <vector>

// What collectives mean to one rank. Type inference knows no rank; whoever runs or lowers a rank's
// program asks here.
namespace tutti::ir {

// One tensor that goes from one rank to another, as one of the two sees it.
struct Message {
  GroupPtr pair;      // of two ranks: sender, receiver
  bool sent;          // else received
  std::size_t index;  // of the operand that is sent, or of the result that arrives
};

// Whether an op's tensors go from one rank to another, as messages (send, recv, batch_send_recv).
bool is_point_to_point(Op op);

// The messages of such an op in the order in which `rank`, a member of its group, starts them:
// sends and receives in turn. Messages of one pair meet in the order in which each side starts
// them, whatever ops they come from and whatever else the group does.
std::vector<Message> messages(Op op, const Attributes& attributes, std::int64_t rank);

// What a reduction combines elements by: "sum" and "mean" by add, "product" by mul, "min", "max",
// "and", "or" and "xor" by the op of that name.
ScalarOp combination_of(std::string_view reduction);

// Throws TypeError, naming the line, if a member of the group has another part in a collective than
// the attributes say (`sizes`), or if it sends to itself. A rank in no group has no part at all.
void check_on_rank(Op op, std::span<const Type> operands, const Attributes& attributes,
                   std::int64_t rank, Location where);

}  // namespace tutti::ir
