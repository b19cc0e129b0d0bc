#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::runtime {

// Something that happened on one thread. What it was says its source (profile.h). Times are
// nanoseconds of the host's monotonic clock.
struct ProfileEvent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t source = 0;
  std::uint32_t launch = 0;  // of a launch and its pieces: its number among the rank's, from 1
  std::int64_t value = 0;    // of counters; of collectives their number in their group
};

// The events of one thread, which alone adds to them, in the order in which they ended. Memory
// comes in chunks that nothing moves.
class ProfileTrack {
 public:
  static constexpr std::size_t kChunkEvents = std::size_t{1} << 14;
  static constexpr std::size_t kMostEvents = std::size_t{1} << 24;  // later ones are only counted

  ProfileTrack();

  void add(const ProfileEvent& event) {
    if (next_ == end_ && !grow()) return;
    *next_++ = event;
  }
  // The last one, if there is room in front of it to look: null after a new chunk was begun.
  ProfileEvent* last() { return next_ == begin_ ? nullptr : next_ - 1; }

  // Gets memory for half a chunk of events, so that so many are added without. By the track's
  // thread, or while that does nothing.
  void prepare();

  std::size_t size() const;
  // How many found no room.
  std::uint64_t dropped() const { return dropped_; }
  const ProfileEvent& operator[](std::size_t i) const {
    return chunks_[i / kChunkEvents][i % kChunkEvents];
  }

 private:
  bool grow();

  std::vector<std::unique_ptr<ProfileEvent[]>> chunks_;  // the last one may be still unused
  std::size_t used_chunks_ = 0;
  ProfileEvent* begin_ = nullptr;  // of the chunk that is being filled
  ProfileEvent* next_ = nullptr;
  ProfileEvent* end_ = nullptr;
  std::uint64_t dropped_ = 0;
};

}  // namespace tutti::runtime
