#pragma once

#include <tutti/ir/device.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/profile/track.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace tutti::runtime {

// What ran on one stream of a GPU, and when by the host's clock. The host hears of that later, and
// does not wait for it: moments around each piece of work say it once they have come. Belongs to
// the rank's thread.
class DeviceTrack {
 public:
  using Moment = Accelerator::Moment;

  // `anchor` came at that time of the host's clock.
  DeviceTrack(std::unique_ptr<Moment> anchor, std::int64_t time)
      : last_(std::move(anchor)), last_time_(time) {}

  // A moment on the accelerator's stream, now.
  std::unique_ptr<Moment> moment(Accelerator& accelerator);
  // The event's work lies between the two moments, and was put on the stream at `event.begin`.
  void add(const ProfileEvent& event, std::unique_ptr<Moment> begin, std::unique_ptr<Moment> end) {
    under_way_.push_back({.event = event, .begin = std::move(begin), .end = std::move(end)});
  }
  // Takes over what the device is through with. Where that fails, the device is broken, which
  // others say: what is under way is forgotten.
  void look() noexcept;
  // Forgets what it is not through with, and all moments; nothing is added any more.
  void close();

  const ProfileTrack& events() const { return events_; }
  void prepare() { events_.prepare(); }

 private:
  struct UnderWay {
    ProfileEvent event;
    std::unique_ptr<Moment> begin;
    std::unique_ptr<Moment> end;
  };
  void settle(UnderWay& over);
  void recycle(std::unique_ptr<Moment> moment);

  std::unique_ptr<Moment> last_;  // the end of what was taken over last, and when
  std::int64_t last_time_;
  std::deque<UnderWay> under_way_;
  static constexpr std::size_t kMostFree = 4096;
  std::size_t made_ = 0;  // by moment(): no more are kept, as nobody asks for them
  std::vector<std::unique_ptr<Moment>> free_;
  ProfileTrack events_;
};

// Those of one GPU.
struct DeviceTracks {
  Device device;
  DeviceTrack kernels;
  DeviceTrack communication;
};

}  // namespace tutti::runtime
