#include <tutti/runtime/comm/comm_kernels.h>

#include <cstdint>

namespace tutti::runtime {

bool is_read_whole(const CollectiveCall& call, const AlgorithmTable& table, int members) {
  if (members < 2 || members > CommKernel::kMostMembers) return false;
  std::int64_t bytes = 0;
  for (const TensorPart& part : call.parts) bytes += part.elements * size_of(call.dtype);
  const std::int64_t most =
      table.rule(call.kind, call.reduction, call.dtype, members).between_gpus.one_shot;
  switch (call.kind) {
    case CollectiveKind::all_reduce:
      return !always_two_shot(call) && (always_one_shot(call) || bytes <= most);
    case CollectiveKind::all_gather:
      return bytes * members <= most;
    case CollectiveKind::reduce_scatter:
      return bytes <= most;
    default:
      return false;
  }
}

}  // namespace tutti::runtime
