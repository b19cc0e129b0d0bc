#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/entry.h>

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>

namespace tutti::runtime::entry_test {
namespace {

constexpr Hash128 kKey{0x0123456789abcdef, 0xfedcba9876543210};

std::vector<std::byte> bytes(std::size_t count) {
  std::vector<std::byte> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(i * 37 + 1);
  return out;
}

TEST(CacheEntry, GivesBackWhatWasPutIn) {
  for (const std::size_t size : {0, 1, 15, 16, 17, 1000}) {
    const CacheEntry entry = decode_entry(encode_entry(kKey, "mul_add", "LLVM 22", bytes(size)));
    EXPECT_EQ(entry.key, kKey);
    EXPECT_EQ(entry.name, "mul_add");
    EXPECT_EQ(entry.origin, "LLVM 22");
    EXPECT_TRUE(std::ranges::equal(entry.data(), bytes(size)));
    EXPECT_EQ(entry.data_offset % 16, 0U);
  }
}

TEST(CacheEntry, NoBitMayFlip) {
  auto file = encode_entry(kKey, "mul_add", "LLVM 22", bytes(100));
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    file[bit / 8] ^= mask;
    EXPECT_THROW(decode_entry(file), ParseError) << "bit " << bit;
    file[bit / 8] ^= mask;
  }
  EXPECT_NO_THROW(decode_entry(file));
}

TEST(CacheEntry, HasToBeWhole) {
  auto file = encode_entry(kKey, "mul_add", "LLVM 22", bytes(100));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(decode_entry({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}),
                 ParseError);
  }
  file.push_back(std::byte{0});
  EXPECT_THROW(decode_entry(file), ParseError);
}

TEST(CacheEntry, LengthsThatOverflowAreRefused) {
  const auto file = encode_entry(kKey, "mul_add", "LLVM 22", bytes(100));
  for (std::size_t at = 40; at < 64; at += 8) {
    for (const std::uint64_t length : {~std::uint64_t{0}, ~std::uint64_t{0} - 63,
                                       ~std::uint64_t{0} - 15, std::uint64_t{1} << 63}) {
      auto damaged = file;
      std::memcpy(damaged.data() + at, &length, sizeof(length));
      EXPECT_THROW(decode_entry(damaged), ParseError) << at << " " << length;
    }
  }
}

}  // namespace
}  // namespace tutti::runtime::entry_test
