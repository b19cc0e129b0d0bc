#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/reduce_elements.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace tutti::kernels {

namespace {

// Elements combined at a time: the running totals stay in the first-level cache.
constexpr std::size_t kBlock = 1024;

// condition ? a : b in bits. Compilers turn this into vector code where they leave a conditional
// over floats, which might trap, a branch.
template <class U>
TUTTI_INLINE inline U choose(bool condition, U a, U b) {
  const U mask = static_cast<U>(U{0} - static_cast<U>(condition));
  return (a & mask) | (b & ~mask);
}

struct SumOf {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
  }
};

struct ProductOf {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else if constexpr (sizeof(T) < 4) {  // int, to which they promote, could overflow
      return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    } else {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    }
  }
};

// min or max of floats: a NaN propagates and -0 is smaller than 0, as in ir/scalar.h. Floats that
// compare equal differ at most in the sign of zero, which min sets if either has it, max if both.
template <bool kMinimum, class T>
TUTTI_INLINE inline T extreme(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const U first = std::bit_cast<U>(a);
  const U second = std::bit_cast<U>(b);
  const U same = kMinimum ? first | second : first & second;
  const U ordered = choose(kMinimum ? b < a : a < b, second, first);
  const U number = choose(a == b, same, ordered);
  return std::bit_cast<T>(choose((a != a) | (b != b), std::bit_cast<U>(a + b), number));
}

struct MinimumOf {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return extreme<true>(a, b);
    } else {
      return b < a ? b : a;
    }
  }
};

struct MaximumOf {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return extreme<false>(a, b);
    } else {
      return a < b ? b : a;
    }
  }
};

struct BitAnd {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  TUTTI_INLINE static inline T combine(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// Calls body(i) for i below `count`. A full block's constant length makes it vector code at -O2
// too.
template <class Body>
TUTTI_INLINE inline void for_each(std::size_t count, Body body) {
  if (count == kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) body(i);
  } else {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
}

// A block in the type that it is computed with: widened into `scratch` if that is not its own.
template <class C, class T>
TUTTI_INLINE inline const C* computable(const T* block, C* scratch, std::size_t count) {
  if constexpr (is_narrow_float<T>) {
    widen(block, scratch, static_cast<std::int64_t>(count));
    return scratch;
  } else {
    return block;
  }
}

// TSan does not see a short copy that gcc expands in place. Without it the call would cost dearly:
// gcc would no longer know that the running totals are nobody else's, and leave the loops scalar.
#ifdef __SANITIZE_THREAD__
[[gnu::noinline]]
#else
TUTTI_INLINE inline
#endif
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

template <class T, class Operation, bool kMean>
TUTTI_INLINE inline void reduce(const void* const* operands, int members, void* const* results,
                                int result_count, std::int64_t elements) {
  using C = std::conditional_t<is_narrow_float<T>, float, T>;
  alignas(64) C totals[kBlock];
  alignas(64) C widened[is_narrow_float<T> ? kBlock : 1];
  alignas(64) T narrowed[is_narrow_float<T> ? kBlock : 1];
  const auto all = static_cast<std::size_t>(elements);
  for (std::size_t begin = 0; begin < all; begin += kBlock) {
    const std::size_t count = std::min(kBlock, all - begin);
    const auto operand = [&](int member) {
      return static_cast<const T*>(operands[member]) + begin;
    };
    const C* first = computable<C>(operand(0), totals, count);
    if (members == 1) {
      std::memmove(totals, first, count * sizeof(C));
    } else {
      const C* second = computable<C>(operand(1), widened, count);
      for_each(count, [&](std::size_t i) { totals[i] = Operation::combine(first[i], second[i]); });
    }
    for (int member = 2; member < members; ++member) {
      const C* next = computable<C>(operand(member), widened, count);
      for_each(count, [&](std::size_t i) { totals[i] = Operation::combine(totals[i], next[i]); });
    }
    if constexpr (kMean) {
      const auto divisor = static_cast<C>(members);
      for_each(count, [&](std::size_t i) { totals[i] /= divisor; });
    }
    // Not before all operands of the block are read: a result may be an operand.
    const void* block = totals;
    if constexpr (is_narrow_float<T>) {
      narrow(totals, narrowed, static_cast<std::int64_t>(count));
      block = narrowed;
    }
    for (int result = 0; result < result_count; ++result) {
      copy_bytes(static_cast<T*>(results[result]) + begin, block, count * sizeof(T));
    }
  }
}

template <class T, class Operation, bool kMean>
void reduce_baseline(const void* const* operands, int members, void* const* results,
                     int result_count, std::int64_t elements) {
  reduce<T, Operation, kMean>(operands, members, results, result_count, elements);
}

template <class T, class Operation, bool kMean>
TUTTI_TARGET_AVX2 void reduce_avx2(const void* const* operands, int members, void* const* results,
                                   int result_count, std::int64_t elements) {
  reduce<T, Operation, kMean>(operands, members, results, result_count, elements);
}

// Wider vectors than AVX2's would wait for memory all the same.
template <class T, class Operation, bool kMean = false>
ReduceElements for_this_machine() {
  if (instruction_set() == InstructionSet::baseline) return reduce_baseline<T, Operation, kMean>;
  return reduce_avx2<T, Operation, kMean>;
}

template <class T>
ReduceElements select(Reduction reduction) {
  constexpr bool kFloating = is_floating(dtype_of<T>);
  if constexpr (!std::is_same_v<T, bool>) {
    if (reduction == Reduction::sum) return for_this_machine<T, SumOf>();
    if (reduction == Reduction::product) return for_this_machine<T, ProductOf>();
    if (reduction == Reduction::min) return for_this_machine<T, MinimumOf>();
    if (reduction == Reduction::max) return for_this_machine<T, MaximumOf>();
  }
  if constexpr (kFloating) {
    if (reduction == Reduction::mean) return for_this_machine<T, SumOf, true>();
  } else {
    if (reduction == Reduction::bit_and) return for_this_machine<T, BitAnd>();
    if (reduction == Reduction::bit_or) return for_this_machine<T, BitOr>();
    if (reduction == Reduction::bit_xor) return for_this_machine<T, BitXor>();
  }
  return nullptr;
}

}  // namespace

ReduceElements reduce_elements(Reduction reduction, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) { return select<T>(reduction); });
}

}  // namespace tutti::kernels
