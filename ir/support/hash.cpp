#include <tutti/ir/support/hash.h>

#include <cstring>

namespace tutti {

Hasher& Hasher::add(std::string_view bytes) {
  add(bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = bytes.size() < sizeof(word) ? bytes.size() : sizeof(word);
    std::memcpy(&word, bytes.data(), taken);
    add(word);
    bytes.remove_prefix(taken);
  }
  return *this;
}

std::string Hash128::text() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint64_t word : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(word >> shift) & 15];
  }
  return out;
}

}  // namespace tutti
