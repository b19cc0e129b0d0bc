#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/layout.h>

#include <algorithm>
#include <memory>

namespace tutti::runtime {

namespace {

constexpr std::uint64_t kPartAlignment = 2 << 20;

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}

constexpr std::uint64_t kPagesAt = rounded_up(sizeof(SegmentHeader), 4096);
constexpr std::uint64_t kPageBytes = rounded_up(sizeof(kernels::RankPage), 4096);

}  // namespace

void SegmentLayout::initialise(std::byte* data, std::size_t bytes, std::int64_t ranks) {
  const auto count = static_cast<std::uint64_t>(ranks);
  auto* const header = std::construct_at(reinterpret_cast<SegmentHeader*>(data));
  header->ranks = ranks;
  header->bytes = bytes;
  const std::uint64_t groups_at = kPagesAt + count * kPageBytes;
  header->used.store(groups_at);
  header->parts_at = rounded_up(groups_at + bytes / 16, kPartAlignment);
  if (count > kernels::kMostRanks || header->parts_at + count * kPartAlignment > bytes) {
    throw EnvironmentError("shared memory of " + std::to_string(bytes >> 20) +
                           " MiB is too small for " + std::to_string(ranks) + " ranks");
  }
  header->part_bytes = (bytes - header->parts_at) / count / kPartAlignment * kPartAlignment;
  header->magic = SegmentHeader::kMagic;
}

bool SegmentLayout::is_sound(const std::byte* data, std::size_t bytes) {
  if (bytes < sizeof(SegmentHeader)) return false;
  const auto& header = *reinterpret_cast<const SegmentHeader*>(data);
  if (header.magic != SegmentHeader::kMagic || header.bytes != bytes || header.ranks < 1) {
    return false;
  }
  const auto ranks = static_cast<std::uint64_t>(header.ranks);
  // A look at each page of what somebody else has written ends soon.
  return ranks <= kernels::kMostRanks && kPagesAt + ranks * kPageBytes <= header.parts_at &&
         header.parts_at <= bytes && header.part_bytes <= (bytes - header.parts_at) / ranks;
}

kernels::RankPage& SegmentLayout::page(std::int64_t rank) const {
  return *reinterpret_cast<kernels::RankPage*>(data_ + kPagesAt +
                                               static_cast<std::uint64_t>(rank) * kPageBytes);
}

SharedGroup& SegmentLayout::group(const Hash128& key, std::int64_t members, const char* tag) const {
  // A page of ours is ready before anybody can see it, so nobody waits for one that is being made
  // (by a rank that may die). Of two that meet, one is lost: some kilobytes.
  std::uint64_t own = 0;
  for (std::size_t probe = 0; probe < SegmentHeader::kMostGroups; ++probe) {
    std::atomic<std::uint64_t>& entry =
        header().groups[(key.low + probe) % SegmentHeader::kMostGroups];
    std::uint64_t place = entry.load();
    if (place == 0) {
      if (own == 0) {
        const std::size_t bytes = rounded_up(
            sizeof(SharedGroup) + kernels::GroupPage::bytes(static_cast<int>(members)), 4096);
        own = header().used.fetch_add(bytes);
        if (own + bytes > header().parts_at) {
          throw EnvironmentError("no room for another group: there are too many groups");
        }
        SharedGroup* made = std::construct_at(&at(own));
        made->key = key;
        made->members = members;
        kernels::write_text(made->tag, tag);
        kernels::GroupPage::initialise(made->page(), static_cast<int>(members));
      }
      if (entry.compare_exchange_strong(place, own)) return at(own);
    }
    if (at(place).key == key) return at(place);
  }
  throw EnvironmentError("there are more than " + std::to_string(SegmentHeader::kMostGroups) +
                         " groups");
}

}  // namespace tutti::runtime
