#pragma once

#include <tutti/ir/support/hash.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/algorithms.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

// What lies where in the segment of a host's ranks: this header, a RankPage for each rank, the
// groups' pages as they come, then each rank's part, from which it alone allocates. A segment is
// all zeros at first, which is the initial state of everything but the header and group pages.
namespace tutti::runtime {

// The control page of one group with what identifies it.
struct alignas(64) SharedGroup {
  Hash128 key;  // of tag and members
  std::int64_t members = 0;
  std::array<char, 56> tag{};

  void* page() { return this + 1; }
};

struct SegmentHeader {
  static constexpr std::uint64_t kMagic = 0x3130'6974'7475'7408;  // changes with the layout
  static constexpr std::size_t kMostGroups = 8192;

  std::uint64_t magic = 0;
  std::int64_t ranks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t parts_at = 0;    // where the first rank's part begins
  std::uint64_t part_bytes = 0;  // of each rank's
  kernels::Signal signal;        // for those who wait for ranks to come
  kernels::Failure aborted;      // of all groups, future ones too
  // Rank 0's AlgorithmTable, which it writes before it says that it has come.
  std::array<char, AlgorithmTable::kMostText + 96> algorithms{};
  alignas(64) std::atomic<std::uint64_t> used{0};  // bytes up to where pages were handed out
  // Places of groups, by hash with linear probing; 0 is free. Entries are only ever added.
  std::array<std::atomic<std::uint64_t>, kMostGroups> groups{};
};

// A mapped segment as the ranks use it.
class SegmentLayout {
 public:
  explicit SegmentLayout(std::byte* data) : data_(data) {}

  // Writes the header of a new segment.
  static void initialise(std::byte* data, std::size_t bytes, std::int64_t ranks);

  // Whether a segment of that size, which somebody else has written, is one of this version and
  // names no places outside.
  static bool is_sound(const std::byte* data, std::size_t bytes);

  SegmentHeader& header() const { return *reinterpret_cast<SegmentHeader*>(data_); }
  kernels::RankPage& page(std::int64_t rank) const;
  std::byte* part(std::int64_t rank) const {
    return data_ + header().parts_at + static_cast<std::uint64_t>(rank) * header().part_bytes;
  }

  // The group with that key, made if there is none. Throws EnvironmentError when there are too
  // many.
  SharedGroup& group(const Hash128& key, std::int64_t members, const char* tag) const;
  // Calls visit(SharedGroup&) for every group that any rank has made.
  template <class Visit>
  void each_group(Visit&& visit) const {
    for (const auto& entry : header().groups) {
      if (const std::uint64_t place = entry.load(); place != 0) visit(at(place));
    }
  }

 private:
  SharedGroup& at(std::uint64_t place) const {
    return *reinterpret_cast<SharedGroup*>(data_ + place);
  }

  std::byte* data_;
};

}  // namespace tutti::runtime
