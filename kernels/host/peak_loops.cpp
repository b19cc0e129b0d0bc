#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/peak_loops.h>

namespace tutti::kernels {

namespace {

// Enough to keep two units of four to five cycles' latency busy.
constexpr int kChains = 12;
// Of a step: chain * factor + summand.
constexpr double kFactor = 0.999;
constexpr double kSummand = 0.001;

template <class T, int kBytes>
struct Register {
  using Type [[gnu::vector_size(kBytes)]] = T;
};

template <class T, int kBytes>
[[gnu::always_inline]] inline void run_chains(std::int64_t rounds) {
  using V = typename Register<T, kBytes>::Type;
  const V factor = V{} + static_cast<T>(kFactor);
  const V summand = V{} + static_cast<T>(kSummand);
  // Every loop over the chains is unrolled, or they would be kept in memory.
  // NOLINTBEGIN(modernize-loop-convert)
  V chains[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) chains[i] = V{};
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * factor + summand;
  }
  V sum{};
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sum += chains[i];
  // NOLINTEND(modernize-loop-convert)
  [[maybe_unused]] const volatile T result = sum[0];
}

#if defined(__x86_64__)

// The same chains with multiplications and additions at once, which is what the machine can do but
// the compiler leaves apart (see cmake/TuttiCompiler.cmake). In registers "ymm" or "zmm", of type
// "s" or "d": Clang takes operands that wide only in functions that are compiled for such machines,
// so the registers are named here.
// clang-format off
#define TUTTI_RUN_FUSED_CHAINS(registers, type)                                                   \
  asm volatile(                                                                                   \
      "vbroadcasts" type " %[factor], %%" registers "12\n"                                        \
      "vbroadcasts" type " %[summand], %%" registers "13\n"                                       \
      ".irp chain, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"                                        \
      "  vxorps %%xmm\\chain, %%xmm\\chain, %%xmm\\chain\n"                                       \
      ".endr\n"                                                                                   \
      "1:\n"                                                                                      \
      ".irp chain, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n"                                        \
      "  vfmadd213p" type " %%" registers "13, %%" registers "12, %%" registers "\\chain\n"        \
      ".endr\n"                                                                                   \
      "dec %[rounds]\n"                                                                           \
      "jnz 1b\n"                                                                                  \
      "vzeroupper"                                                                                \
      : [rounds] "+r"(rounds)                                                                     \
      : [factor] "m"(factor), [summand] "m"(summand)                                              \
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
// clang-format on

template <class T>
void run_fused_chains(bool wide, std::int64_t rounds) {
  static_assert(kChains == 12);
  if (rounds <= 0) return;
  const T factor = static_cast<T>(kFactor);
  const T summand = static_cast<T>(kSummand);
  if constexpr (sizeof(T) == sizeof(float)) {
    if (wide) {
      TUTTI_RUN_FUSED_CHAINS("zmm", "s");
    } else {
      TUTTI_RUN_FUSED_CHAINS("ymm", "s");
    }
  } else if (wide) {
    TUTTI_RUN_FUSED_CHAINS("zmm", "d");
  } else {
    TUTTI_RUN_FUSED_CHAINS("ymm", "d");
  }
}

#undef TUTTI_RUN_FUSED_CHAINS

bool has_fused_multiply_add() {
  __builtin_cpu_init();
  return instruction_set() != InstructionSet::baseline && __builtin_cpu_supports("fma");
}

#endif

template <class T>
std::int64_t flops_of_round(std::int64_t bytes) {
  return std::int64_t{2} * kChains * bytes / static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

void triad(float* a, const float* b, const float* c, std::int64_t count) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    for (std::int64_t i = 0; i < count; ++i) a[i] = b[i] + 3.0F * c[i];
  });
}

template <class T>
std::int64_t multiply_adds(std::int64_t rounds) {
#if defined(__x86_64__)
  if (has_fused_multiply_add()) {
    const bool wide = instruction_set() == InstructionSet::avx512;
    run_fused_chains<T>(wide, rounds);
    return flops_of_round<T>(wide ? 64 : 32);
  }
#endif
  std::int64_t flops = 0;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    run_chains<T, kBytes>(rounds);
    flops = flops_of_round<T>(kBytes);
  });
  return flops;
}

template std::int64_t multiply_adds<float>(std::int64_t rounds);
template std::int64_t multiply_adds<double>(std::int64_t rounds);

}  // namespace tutti::kernels
