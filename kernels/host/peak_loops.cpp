#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/peak_loops.h>

namespace tutti::kernels {

namespace {

// Enough to keep two units of four to five cycles' latency busy.
constexpr int kChains = 12;

template <class T, int kBytes>
struct Register {
  using Type [[gnu::vector_size(kBytes)]] = T;
};

// The compiler leaves multiplications and additions apart (see cmake/TuttiCompiler.cmake); where
// the machine can do both at once, that is its limit, so the instruction is written out.
template <bool fused, class V>
[[gnu::always_inline]] inline void step(V& chain, const V& factor, const V& summand) {
#if defined(__x86_64__)
  if constexpr (fused) {
    if constexpr (sizeof(chain[0]) == sizeof(float)) {
      asm volatile("vfmadd213ps %2, %1, %0" : "+x"(chain) : "x"(factor), "x"(summand));
    } else {
      asm volatile("vfmadd213pd %2, %1, %0" : "+x"(chain) : "x"(factor), "x"(summand));
    }
    return;
  }
#endif
  chain = chain * factor + summand;
}

template <class T, int kBytes, bool fused>
[[gnu::always_inline]] inline std::int64_t run_chains(std::int64_t rounds) {
  using V = typename Register<T, kBytes>::Type;
  const V factor = V{} + static_cast<T>(0.999);
  const V summand = V{} + static_cast<T>(0.001);
  // Every loop over the chains is unrolled, or they would be kept in memory.
  V chains[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) chains[i] = V{};
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) step<fused>(chains[i], factor, summand);
  }
  V sum{};
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sum += chains[i];
  [[maybe_unused]] const volatile T result = sum[0];
  return std::int64_t{2} * kChains * static_cast<std::int64_t>(kBytes / sizeof(T));
}

bool has_fused_multiply_add() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

void triad(float* a, const float* b, const float* c, std::int64_t count) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    for (std::int64_t i = 0; i < count; ++i) a[i] = b[i] + 3.0F * c[i];
  });
}

template <class T>
std::int64_t multiply_adds(std::int64_t rounds) {
  std::int64_t flops = 0;
  const bool fused = has_fused_multiply_add();
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    // Only these come with the instruction.
    if constexpr (kBytes > 16) {
      if (fused) {
        flops = run_chains<T, kBytes, true>(rounds);
        return;
      }
    }
    flops = run_chains<T, kBytes, false>(rounds);
  });
  return flops;
}

template std::int64_t multiply_adds<float>(std::int64_t rounds);
template std::int64_t multiply_adds<double>(std::int64_t rounds);

}  // namespace tutti::kernels
