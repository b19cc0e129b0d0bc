#pragma once

#include <cstdint>
#include <utility>

namespace tutti::kernels {

// The vector units that the hot loops are compiled for beside the baseline of the build.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

// The best one that this machine has, up to the limit.
InstructionSet instruction_set();
// Lets all code for the host of this process, other libraries' and compiled code included, use no
// better one, as if the machine had none. To be called before anything of it is made.
void limit_instruction_set(InstructionSet most);
// Avx512 where nobody set a limit.
InstructionSet instruction_set_limit();

#if defined(__x86_64__)
#define TUTTI_TARGET_AVX2 [[gnu::target("avx2,f16c,fma")]]
#define TUTTI_TARGET_AVX512 [[gnu::target("avx2,f16c,fma,avx512f,avx512bw,avx512dq,avx512vl")]]
#else
#define TUTTI_TARGET_AVX2
#define TUTTI_TARGET_AVX512
#endif

// Marks a function (or a lambda, after its parameters) that has to become part of its caller, so
// that it is compiled for the caller's instruction set.
#define TUTTI_INLINE __attribute__((always_inline))

namespace detail {

template <class F>
TUTTI_TARGET_AVX2 void run_as_avx2(F& f) {
  f.template operator()<32>();
}
template <class F>
TUTTI_TARGET_AVX512 void run_as_avx512(F& f) {
  f.template operator()<64>();
}

}  // namespace detail

// Calls f.operator()<bytes of a vector register>(), compiled for the machine's instruction set: `f`
// is a lambda `[&]<int kBytes>() TUTTI_INLINE {...}`. Since nothing is compiled with contraction to
// FMA, all of them give the same bits where the lambda does not ask for it.
template <class F>
void run_vectorised(F&& f) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return detail::run_as_avx512(f);
    case InstructionSet::avx2:
      return detail::run_as_avx2(f);
    case InstructionSet::baseline:
      return f.template operator()<16>();
  }
}

}  // namespace tutti::kernels
