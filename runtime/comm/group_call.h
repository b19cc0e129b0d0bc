#pragma once

#include <tutti/kernels/host/collective_boxes.h>
#include <tutti/runtime/comm/backend.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::runtime {

// Numbers that only the member itself knows follow its table (GroupCall::has_table).
inline bool is_uneven_exchange(const CollectiveCall& call, const TensorPart& part) {
  return call.kind == CollectiveKind::all_to_all && !part.sizes.empty();
}

// What a GroupCommunicator knows of a call before it starts.
class GroupCall final : public PreparedCall {
 public:
  // Throws TypeError (check_call).
  GroupCall(const Communicator& by, CollectiveCall call);

  const Communicator* const made_by;  // to be compared with, not used
  const std::uint64_t fingerprint;
  const std::uint32_t site;                // 0: not compared
  const bool compares_positions;           // of a run, where this call's own is another
  const ProgramCalls program;              // none where that is not compared
  std::vector<kernels::PartShape> shapes;  // by part
  std::vector<std::size_t> operand_bytes;  // by part, as the next
  std::vector<std::size_t> result_bytes;
  bool gives = false;  // whether somebody reads this rank's operands
  bool gets = false;   // whether it has results; what nothing arrives at is zero, but a result
  // As far as is known beforehand: not of an uneven all_to_all, which counts as large.
  bool one_shot = false;
  bool uneven = false;  // some part is an uneven exchange
  // Of a list, and of uneven exchanges, the record holds a table's place: a PartPlace for each
  // part, then the numbers of uneven exchanges.
  bool has_table = false;
  std::size_t table_bytes = 0;
  // The results are common to all members, if the caller has no place for any.
  bool common_results = false;
};

}  // namespace tutti::runtime
