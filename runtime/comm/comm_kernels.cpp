#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <algorithm>
#include <array>

namespace tutti::runtime {

namespace {

// Not measured here: what others use between GPUs that NVLink joins.
constexpr std::size_t kMebi = std::size_t{1} << 20;
constexpr std::array kCommKernelLimits = {
    CommKernelLimits{.members = 2, .one_shot = kMebi, .two_shot = kMebi, .multimem = 0},
    CommKernelLimits{
        .members = 4, .one_shot = kMebi / 2, .two_shot = kMebi, .multimem = 32 * kMebi},
    CommKernelLimits{.members = CommKernel::kMostMembers,
                     .one_shot = kMebi / 4,
                     .two_shot = kMebi,
                     .multimem = 32 * kMebi},
};

}  // namespace

const CommKernelLimits& CommKernelLimits::of(int members) {
  return *std::ranges::find_if(
      kCommKernelLimits, [=](const CommKernelLimits& each) { return members <= each.members; });
}

bool is_read_whole(const CollectiveCall& call, int members) {
  if (members < 2 || members > CommKernel::kMostMembers) return false;
  std::size_t bytes = 0;
  for (const TensorPart& part : call.parts) {
    bytes += static_cast<std::size_t>(part.elements * size_of(call.dtype));
  }
  const CommKernelLimits& limits = CommKernelLimits::of(members);
  switch (call.kind) {
    case CollectiveKind::all_reduce:
      return !always_two_shot(call) && (always_one_shot(call) || bytes <= limits.one_shot);
    case CollectiveKind::all_gather:
      return bytes * static_cast<std::size_t>(members) <= limits.two_shot;
    case CollectiveKind::reduce_scatter:
      return bytes <= limits.two_shot;
    default:
      return false;
  }
}

}  // namespace tutti::runtime
