#include <tutti/kernels/host/copy_past_caches.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

// TSan does not see these stores.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define TUTTI_STREAMING_STORES 1
#include <immintrin.h>
#endif

namespace tutti::kernels {

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef TUTTI_STREAMING_STORES
  constexpr std::size_t kVector = sizeof(__m128i);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % kVector;
  const std::size_t head = misaligned == 0 ? 0 : std::min(bytes, kVector - misaligned);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kVector <= bytes; at += kVector) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

void finish_copies_past_caches() {
#ifdef TUTTI_STREAMING_STORES
  _mm_sfence();
#endif
}

}  // namespace tutti::kernels
