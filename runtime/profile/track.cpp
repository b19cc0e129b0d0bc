#include <tutti/runtime/profile/track.h>

namespace tutti::runtime {

ProfileTrack::ProfileTrack() { chunks_.reserve(kMostEvents / kChunkEvents); }

void ProfileTrack::prepare() {
  const auto left = static_cast<std::size_t>(end_ - next_);
  const bool full = chunks_.size() == kMostEvents / kChunkEvents;
  if (left >= kChunkEvents / 2 || chunks_.size() > used_chunks_ || full) return;
  chunks_.push_back(std::make_unique<ProfileEvent[]>(kChunkEvents));
}

bool ProfileTrack::grow() {
  prepare();
  if (used_chunks_ == chunks_.size()) {
    ++dropped_;
    return false;
  }
  begin_ = next_ = chunks_[used_chunks_++].get();
  end_ = begin_ + kChunkEvents;
  return true;
}

std::size_t ProfileTrack::size() const {
  if (used_chunks_ == 0) return 0;
  return (used_chunks_ - 1) * kChunkEvents + static_cast<std::size_t>(next_ - begin_);
}

}  // namespace tutti::runtime
