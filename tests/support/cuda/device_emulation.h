#pragma once

// Goes in front of CUDA C++ that is compiled for the host: what the language has of its own, for
// the threads that the emulator makes. `__CUDACC__` is not defined, which is how device texts know
// that they cannot use instructions of a GPU.

#include "emulation_abi.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
// Blocks run one after another on one thread of the host, which is why this is enough. The emulator
// finds all of them in the thread-local memory of the library.
#define __shared__ static thread_local

#define TUTTI_EMULATION_UNTRACKED __attribute__((no_sanitize_thread, noinline))

namespace tutti_emulation {

static thread_local const Host* host;

// The same for the life of a thread: calls may be merged.
__attribute__((const)) TUTTI_EMULATION_UNTRACKED static const Place& here() {
  return *host->place();
}
TUTTI_EMULATION_UNTRACKED static void access(const void* address, unsigned bytes, bool write) {
  if (host != nullptr && host->access != nullptr) host->access(address, bytes, write);
}
TUTTI_EMULATION_UNTRACKED static unsigned long long warp(WarpOp op, unsigned mask,
                                                         unsigned long long value, int source) {
  return host->warp(op, mask, value, source);
}
TUTTI_EMULATION_UNTRACKED static void block_barrier(int site) { host->block_barrier(site); }
TUTTI_EMULATION_UNTRACKED static void fence() { host->fence(); }
TUTTI_EMULATION_UNTRACKED static void before_atomic() { host->atomic(); }

// What device code has instructions for, and no functions: words that other GPUs and the host write
// meanwhile, and waiting for them.
template <class T>
TUTTI_EMULATION_UNTRACKED T load_acquire(const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "words of 4 and 8 bytes");
  return static_cast<T>(host->load_acquire(from, sizeof(T)));
}
template <class T>
TUTTI_EMULATION_UNTRACKED void store_release(T* to, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "words of 4 and 8 bytes");
  host->store_release(to, sizeof(T), static_cast<unsigned long long>(value));
}
TUTTI_EMULATION_UNTRACKED static void pause_in_wait() { host->pause_in_wait(); }
TUTTI_EMULATION_UNTRACKED static unsigned long long nanoseconds() { return host->nanoseconds(); }
TUTTI_EMULATION_UNTRACKED static int multicast(const void* address, void** places) {
  return host->multicast(address, places);
}

static inline int lane() {
  const Place& place = here();
  return static_cast<int>(
      (place.thread.x +
       place.block_size.x * (place.thread.y + place.block_size.y * place.thread.z)) %
      32);
}

template <class T>
T shuffle(unsigned mask, T value, int source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles values of 4 and 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = warp(kShuffle, mask, bits, source);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// The first lane of the group of `width` lanes that a lane belongs to.
static inline int group(int lane, int width) { return lane / width * width; }

template <int...>
struct Numbers {};
template <class... Parameters, int... i>
void call_with(void (*kernel)(Parameters...), void** arguments, Numbers<i...>) {
  kernel(*static_cast<Parameters*>(arguments[i])...);
}

template <class... Parameters>
TUTTI_EMULATION_UNTRACKED void call(void (*kernel)(Parameters...), void** arguments,
                                    const Host* with) {
  host = with;
  call_with(kernel, arguments,
            Numbers<__integer_pack(static_cast<int>(sizeof...(Parameters)))...>());
}

}  // namespace tutti_emulation

// The emulator adds one for each kernel at the end of a text.
#define TUTTI_EMULATION_ENTRY(entry, kernel)                                   \
  extern "C" void entry(void** arguments, const tutti_emulation::Host* host) { \
    tutti_emulation::call(&kernel, arguments, host);                           \
  }

#define threadIdx (tutti_emulation::here().thread)
#define blockIdx (tutti_emulation::here().block)
#define blockDim (tutti_emulation::here().block_size)
#define gridDim (tutti_emulation::here().grid_size)
#define warpSize 32

// ---- Waiting for others ----

#define __syncthreads() tutti_emulation::block_barrier(__LINE__)
static inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  tutti_emulation::warp(tutti_emulation::kSync, mask, 0, 0);
}
static inline void __threadfence_block() {}
static inline void __threadfence() { tutti_emulation::fence(); }
static inline void __threadfence_system() { tutti_emulation::fence(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const int base = tutti_emulation::group(tutti_emulation::lane(), width);
  return tutti_emulation::shuffle(mask, value, base + source % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int difference, int width = 32) {
  const int lane = tutti_emulation::lane();
  const int source = lane ^ difference;
  const bool inside = source < tutti_emulation::group(lane, width) + width;
  return tutti_emulation::shuffle(mask, value, inside ? source : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = tutti_emulation::lane();
  const int source = lane + static_cast<int>(distance);
  const bool inside = source < tutti_emulation::group(lane, width) + width;
  return tutti_emulation::shuffle(mask, value, inside ? source : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = tutti_emulation::lane();
  const int source = lane - static_cast<int>(distance);
  return tutti_emulation::shuffle(mask, value,
                                  source >= tutti_emulation::group(lane, width) ? source : lane);
}
static inline unsigned __ballot_sync(unsigned mask, int condition) {
  return static_cast<unsigned>(
      tutti_emulation::warp(tutti_emulation::kBallot, mask, condition != 0 ? 1 : 0, 0));
}
static inline int __any_sync(unsigned mask, int condition) {
  return __ballot_sync(mask, condition) != 0 ? 1 : 0;
}
static inline int __all_sync(unsigned mask, int condition) {
  return __ballot_sync(mask, condition) == mask ? 1 : 0;
}

// ---- Atomics ----

#define TUTTI_EMULATION_ATOMIC(name, result)                       \
  template <class T>                                               \
  TUTTI_EMULATION_UNTRACKED static T name(T* address, T operand) { \
    tutti_emulation::before_atomic();                              \
    const T old = *address;                                        \
    *address = (result);                                           \
    return old;                                                    \
  }
TUTTI_EMULATION_ATOMIC(atomicAdd, old + operand)
TUTTI_EMULATION_ATOMIC(atomicSub, old - operand)
TUTTI_EMULATION_ATOMIC(atomicExch, operand)
TUTTI_EMULATION_ATOMIC(atomicMin, operand < old ? operand : old)
TUTTI_EMULATION_ATOMIC(atomicMax, old < operand ? operand : old)
TUTTI_EMULATION_ATOMIC(atomicAnd, old& operand)
TUTTI_EMULATION_ATOMIC(atomicOr, old | operand)
TUTTI_EMULATION_ATOMIC(atomicXor, old ^ operand)
TUTTI_EMULATION_ATOMIC(atomicInc, old >= operand ? 0 : old + 1)
#undef TUTTI_EMULATION_ATOMIC
template <class T>
TUTTI_EMULATION_UNTRACKED static T atomicCAS(T* address, T expected, T desired) {
  tutti_emulation::before_atomic();
  const T old = *address;
  if (old == expected) *address = desired;
  return old;
}

// ---- Functions without a header ----
//
// Compiled without builtins: the compiler would compute calls on constants by itself, to other bits
// than the library's.

extern "C" {
#define TUTTI_EMULATION_MATH(name) \
  double name(double);             \
  float name##f(float);
TUTTI_EMULATION_MATH(fabs)
TUTTI_EMULATION_MATH(exp)
TUTTI_EMULATION_MATH(exp2)
TUTTI_EMULATION_MATH(expm1)
TUTTI_EMULATION_MATH(log)
TUTTI_EMULATION_MATH(log2)
TUTTI_EMULATION_MATH(log1p)
TUTTI_EMULATION_MATH(sqrt)
TUTTI_EMULATION_MATH(cbrt)
TUTTI_EMULATION_MATH(sin)
TUTTI_EMULATION_MATH(cos)
TUTTI_EMULATION_MATH(tan)
TUTTI_EMULATION_MATH(tanh)
TUTTI_EMULATION_MATH(erf)
TUTTI_EMULATION_MATH(floor)
TUTTI_EMULATION_MATH(ceil)
TUTTI_EMULATION_MATH(trunc)
TUTTI_EMULATION_MATH(rint)
TUTTI_EMULATION_MATH(nearbyint)
#undef TUTTI_EMULATION_MATH
#define TUTTI_EMULATION_MATH(name) \
  double name(double, double);     \
  float name##f(float, float);
TUTTI_EMULATION_MATH(fmod)
TUTTI_EMULATION_MATH(pow)
TUTTI_EMULATION_MATH(atan2)
TUTTI_EMULATION_MATH(fmin)
TUTTI_EMULATION_MATH(fmax)
TUTTI_EMULATION_MATH(copysign)
#undef TUTTI_EMULATION_MATH
double ldexp(double, int);
float ldexpf(float, int);
double fma(double, double, double);
float fmaf(float, float, float);
}

static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }

template <class To, class From>
To tutti_emulation_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
static inline int __float_as_int(float x) { return tutti_emulation_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return tutti_emulation_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return tutti_emulation_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return tutti_emulation_bits<float>(x); }
static inline long long __double_as_longlong(double x) {
  return tutti_emulation_bits<long long>(x);
}
static inline double __longlong_as_double(long long x) { return tutti_emulation_bits<double>(x); }

// ---- Vector types ----

struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};

// ---- What the compiler calls at every access to memory ----
//
// It believes that it instruments for its own thread sanitizer; the library is linked without it.

extern "C" {
#define TUTTI_EMULATION_ACCESS(bytes)                                          \
  TUTTI_EMULATION_UNTRACKED void __tsan_read##bytes(void* address) {           \
    tutti_emulation::access(address, bytes, false);                            \
  }                                                                            \
  TUTTI_EMULATION_UNTRACKED void __tsan_write##bytes(void* address) {          \
    tutti_emulation::access(address, bytes, true);                             \
  }                                                                            \
  TUTTI_EMULATION_UNTRACKED void __tsan_volatile_read##bytes(void* address) {  \
    tutti_emulation::access(address, bytes, false);                            \
  }                                                                            \
  TUTTI_EMULATION_UNTRACKED void __tsan_volatile_write##bytes(void* address) { \
    tutti_emulation::access(address, bytes, true);                             \
  }
TUTTI_EMULATION_ACCESS(1)
TUTTI_EMULATION_ACCESS(2)
TUTTI_EMULATION_ACCESS(4)
TUTTI_EMULATION_ACCESS(8)
TUTTI_EMULATION_ACCESS(16)
#undef TUTTI_EMULATION_ACCESS
#define TUTTI_EMULATION_ACCESS(bytes)                                           \
  TUTTI_EMULATION_UNTRACKED void __tsan_unaligned_read##bytes(void* address) {  \
    tutti_emulation::access(address, bytes, false);                             \
  }                                                                             \
  TUTTI_EMULATION_UNTRACKED void __tsan_unaligned_write##bytes(void* address) { \
    tutti_emulation::access(address, bytes, true);                              \
  }
TUTTI_EMULATION_ACCESS(2)
TUTTI_EMULATION_ACCESS(4)
TUTTI_EMULATION_ACCESS(8)
TUTTI_EMULATION_ACCESS(16)
#undef TUTTI_EMULATION_ACCESS
TUTTI_EMULATION_UNTRACKED void __tsan_read_range(void* address, unsigned long bytes) {
  tutti_emulation::access(address, static_cast<unsigned>(bytes), false);
}
TUTTI_EMULATION_UNTRACKED void __tsan_write_range(void* address, unsigned long bytes) {
  tutti_emulation::access(address, static_cast<unsigned>(bytes), true);
}

// And by its checker of undefined behaviour, at every access through a pointer whose type asks for
// more alignment than one byte. `data` starts with the file, line and column, then the type; the
// logarithm of the alignment follows.
TUTTI_EMULATION_UNTRACKED void __ubsan_handle_type_mismatch_v1(void* data, void* address) {
  const auto logarithm = static_cast<const unsigned char*>(data)[24];
  const unsigned alignment = 1U << logarithm;
  const bool misaligned = reinterpret_cast<unsigned long long>(address) % alignment != 0;
  if (misaligned) tutti_emulation::host->misaligned(address, alignment);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
}
