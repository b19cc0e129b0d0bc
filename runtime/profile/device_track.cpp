#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/profile/device_track.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::runtime {

std::unique_ptr<DeviceTrack::Moment> DeviceTrack::moment(Accelerator& accelerator) {
  if (free_.empty()) {
    std::unique_ptr<Moment> made = accelerator.moment();
    ++made_;
    return made;
  }
  std::unique_ptr<Moment> out = std::move(free_.back());
  free_.pop_back();
  out->mark();
  return out;
}

void DeviceTrack::look() noexcept {
  try {
    while (!under_way_.empty() && under_way_.front().end->has_come()) {
      settle(under_way_.front());
      under_way_.pop_front();
    }
  } catch (const std::exception&) {
    under_way_.clear();
  }
}

// Lengths are the device's. Where they lie is that, too, as far as the host does not know better:
// nothing begins before it was put on the stream, nor is over after that was seen. So the two
// clocks, which run a little differently, stay together.
void DeviceTrack::settle(UnderWay& over) {
  ProfileEvent& event = over.event;
  const std::int64_t put = event.begin;
  event.begin = std::max(last_time_ + over.begin->nanoseconds_after(*last_), put);
  event.end = event.begin + over.end->nanoseconds_after(*over.begin);
  const std::int64_t late = std::min(event.end - monotonic_now(), event.begin - last_time_);
  if (late > 0) {
    event.begin -= late;
    event.end -= late;
  }
  events_.add(event);
  last_time_ = event.end;
  recycle(std::move(over.begin));
  recycle(std::exchange(last_, std::move(over.end)));
}

void DeviceTrack::recycle(std::unique_ptr<Moment> moment) {
  if (free_.size() < std::min(made_, kMostFree)) free_.push_back(std::move(moment));
}

void DeviceTrack::close() {
  under_way_.clear();
  free_.clear();
  last_ = nullptr;
}

}  // namespace tutti::runtime
