#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti {

// A 128-bit hash: wide enough that a hit may be taken for equality (debug builds compare).
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  // 32 lower-case hexadecimal digits.
  std::string text() const;
};

struct Hash128Hasher {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

// Feeds words one after another into two independently seeded multiply-xorshift lanes (the
// finaliser of MurmurHash3, public domain). Not cryptographic.
class Hasher {
 public:
  Hasher& add(std::uint64_t word) {
    low_ = mix(low_ ^ (word * 0x9E3779B97F4A7C15ULL));
    high_ = mix(high_ + (word ^ 0xD6E8FEB86659FD93ULL) * 0xC2B2AE3D27D4EB4FULL);
    return *this;
  }
  Hasher& add(std::string_view bytes);
  Hasher& add(const Hash128& hash) { return add(hash.high).add(hash.low); }
  Hash128 finish() const { return {mix(high_), mix(low_)}; }

 private:
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDULL;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53ULL;
    x ^= x >> 33;
    return x;
  }

  std::uint64_t high_ = 0x243F6A8885A308D3ULL;
  std::uint64_t low_ = 0x13198A2E03707344ULL;
};

}  // namespace tutti
