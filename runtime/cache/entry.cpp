#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/entry.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::runtime {

namespace {

// Reads backwards on a machine of the other byte order. Another form has another number.
constexpr std::uint64_t kForm = 0x3130'6943'7474'7554;  // "TuttCi01"
constexpr std::size_t kSectionAlignment = 16;

// Followed by the name, the origin, zeros up to a multiple of kAlignment, and the data.
struct Header {
  std::uint64_t form = kForm;
  Hash128 checksum;  // of the file, as if this field were zero
  Hash128 key;
  std::uint64_t name_bytes = 0;
  std::uint64_t origin_bytes = 0;
  std::uint64_t data_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 64);

constexpr std::size_t aligned(std::size_t size) {
  return (size + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

// Hasher's steps are invertible, so that damage within eight bytes never goes unnoticed; all other
// damage does once in 2^128.
Hash128 checksum_of(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof(header));
  header.checksum = {};
  const auto text = [](const void* start, std::size_t size) {
    return std::string_view(static_cast<const char*>(start), size);
  };
  return Hasher()
      .add(text(&header, sizeof(header)))
      .add(text(file.data() + sizeof(header), file.size() - sizeof(header)))
      .finish();
}

}  // namespace

std::vector<std::byte> encode_entry(const Hash128& key, std::string_view name,
                                    std::string_view origin, std::span<const std::byte> data) {
  Header header;
  header.key = key;
  header.name_bytes = name.size();
  header.origin_bytes = origin.size();
  header.data_bytes = data.size();
  const std::size_t offset = aligned(sizeof(header) + name.size() + origin.size());
  std::vector<std::byte> file(offset + data.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::ranges::copy(std::as_bytes(std::span(name)), file.begin() + sizeof(header));
  std::ranges::copy(std::as_bytes(std::span(origin)),
                    file.begin() + static_cast<std::ptrdiff_t>(sizeof(header) + name.size()));
  std::ranges::copy(data, file.begin() + static_cast<std::ptrdiff_t>(offset));
  header.checksum = checksum_of(file);
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

CacheEntry decode_entry(std::vector<std::byte> file) {
  Header header;
  if (file.size() < sizeof(header)) throw ParseError("it is shorter than an entry's header");
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.form != kForm) {
    throw ParseError("it is no entry of this form, or one of another kind of machine");
  }
  // One by one, so that no sum overflows.
  const std::size_t rest = file.size() - sizeof(header);
  if (header.name_bytes > rest || header.origin_bytes > rest - header.name_bytes) {
    throw ParseError("its header is damaged");
  }
  const std::size_t offset = aligned(sizeof(header) + header.name_bytes + header.origin_bytes);
  if (offset > file.size() || header.data_bytes != file.size() - offset) {
    throw ParseError("it is cut off, or longer than its header says");
  }
  if (!(header.checksum == checksum_of(file))) throw ParseError("its checksum is wrong");
  CacheEntry entry{
      .key = header.key, .name = {}, .origin = {}, .file = std::move(file), .data_offset = offset};
  const char* const text = reinterpret_cast<const char*>(entry.file.data()) + sizeof(header);
  entry.name.assign(text, header.name_bytes);
  entry.origin.assign(text + header.name_bytes, header.origin_bytes);
  return entry;
}

}  // namespace tutti::runtime
