#pragma once

#include <tutti/kernels/host/instruction_set.h>

namespace tutti::kernels {

// sum += a * b, rounded once where vectors have such an instruction. For vectors of GCC's kind, in
// functions that run_vectorised() runs.
template <class V>
TUTTI_INLINE inline void add_product(V& sum, const V& a, const V& b) {
#if defined(__x86_64__) && defined(__clang__)
  if constexpr (sizeof(V) >= 32) {
    sum = __builtin_elementwise_fma(a, b, sum);
    return;
  }
#elif defined(__x86_64__)
  if constexpr (sizeof(V) >= 32) {
    V out = sum;  // or the compiler would keep all sums in memory
    if constexpr (sizeof(sum[0]) == 4) {
      asm("vfmadd231ps %2, %1, %0" : "+v"(out) : "v"(a), "v"(b));
    } else {
      asm("vfmadd231pd %2, %1, %0" : "+v"(out) : "v"(a), "v"(b));
    }
    sum = out;
    return;
  }
#endif
  sum += a * b;
}

}  // namespace tutti::kernels
