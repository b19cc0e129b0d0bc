#include <tutti/runtime/comm/comm_kernels.h>

#include <cstdint>

namespace tutti::runtime {

std::int64_t limited_bytes(const CollectiveCall& call, int members) {
  std::int64_t elements = 0;
  for (const TensorPart& part : call.parts) elements += part.elements;
  return elements * size_of(call.dtype) * (call.kind == CollectiveKind::all_gather ? members : 1);
}

bool is_read_whole(const CollectiveCall& call, const AlgorithmTable& table, int members) {
  if (members < 2 || members > CommKernel::kMostMembers) return false;
  const std::int64_t most =
      table.rule(call.kind, call.reduction, call.dtype, members).between_gpus.one_shot;
  const bool fits = limited_bytes(call, members) <= most;
  switch (call.kind) {
    case CollectiveKind::all_reduce:
      return !always_two_shot(call) && (always_one_shot(call) || fits);
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return fits;
    default:
      return false;
  }
}

}  // namespace tutti::runtime
