#pragma once

#include <tutti/ir/support/hash.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The form of an entry of the disk cache: bytes under a key, with a checksum of all of it.
namespace tutti::runtime {

struct CacheEntry {
  Hash128 key;
  std::string name;    // for people: of the kernel or plan
  std::string origin;  // for people: what the code was made by and for
  std::vector<std::byte> file;
  std::size_t data_offset = 0;  // a multiple of 16

  std::span<const std::byte> data() const { return std::span(file).subspan(data_offset); }
};

// A file with these parts.
std::vector<std::byte> encode_entry(const Hash128& key, std::string_view name,
                                    std::string_view origin, std::span<const std::byte> data);

// The parts of a file. Throws ParseError that says what is damaged when it is not, bit for bit,
// what encode_entry() made.
CacheEntry decode_entry(std::vector<std::byte> file);

}  // namespace tutti::runtime
