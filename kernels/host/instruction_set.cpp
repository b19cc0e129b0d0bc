#include <tutti/kernels/host/instruction_set.h>

#include <algorithm>
#include <atomic>

namespace tutti::kernels {

namespace {

std::atomic<InstructionSet> limit = InstructionSet::avx512;

InstructionSet detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") &&
                    __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return InstructionSet::avx512;
  }
  if (avx2) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet best = detect();
  return std::min(best, instruction_set_limit());
}

void limit_instruction_set(InstructionSet most) { limit = most; }

InstructionSet instruction_set_limit() { return limit.load(std::memory_order_relaxed); }

}  // namespace tutti::kernels
