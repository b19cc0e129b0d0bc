#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/profile/profile.h>
#include <tutti/runtime/profile/trace_file.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::size_t kOpenCollectives = 2048;  // more than may be under way

}  // namespace

std::size_t Profile::KeyHasher::operator()(const Key& key) const {
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;
  const std::size_t file = std::hash<std::string_view>()(key.file);
  return ((key.what * kOdd) ^ file) * kOdd + key.line;
}

Profile::Profile(std::int64_t rank, int threads, const Roofline& roofline, std::string file)
    : rank_(rank),
      roofline_(roofline),
      file_(std::move(file)),
      tracks_(static_cast<std::size_t>(threads)) {
  open_.reserve(kOpenCollectives);
  prepare();
}

std::uint32_t Profile::add_source(ProfileSource source) {
  sources_.push_back(std::move(source));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

std::uint32_t Profile::slice_source(const char* category, const char* name, Location where) {
  const Key key{reinterpret_cast<std::uintptr_t>(name), where.file(), where.line()};
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second;
  return lines_[key] = add_source({.name = name, .category = category, .location = where});
}

std::uint32_t Profile::counter_source(const char* name, const char* unit) {
  const Key key{reinterpret_cast<std::uintptr_t>(name), {}, 0};
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second;
  return lines_[key] =
             add_source({.kind = ProfileSource::Kind::counter, .name = name, .category = unit});
}

std::uint32_t Profile::moved_source(std::uint32_t source, Location where) {
  if (sources_[source].location == where) return source;
  const Key key{source, where.file(), where.line()};
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second;
  ProfileSource moved = sources_[source];
  moved.location = where;
  return lines_[key] = add_source(std::move(moved));
}

void Profile::prepare() {
  for (ProfileTrack& track : tracks_) track.prepare();
  collectives_.prepare();
  for (DeviceTracks& each : devices_) {
    each.kernels.prepare();
    each.communication.prepare();
  }
}

DeviceTracks& Profile::on(Accelerator& accelerator) {
  const auto known = std::ranges::find(devices_, accelerator.device(), &DeviceTracks::device);
  if (known != devices_.end()) return *known;
  auto first = accelerator.moment();
  auto second = accelerator.moment();
  accelerator.synchronize();
  const std::int64_t now = monotonic_now();
  return devices_.emplace_back(accelerator.device(), DeviceTrack(std::move(first), now),
                               DeviceTrack(std::move(second), now));
}

void Profile::look_at_devices() noexcept {
  for (DeviceTracks& each : devices_) {
    each.kernels.look();
    each.communication.look();
  }
}

void Profile::close_devices() noexcept {
  look_at_devices();
  for (DeviceTracks& each : devices_) {
    each.kernels.close();
    each.communication.close();
  }
}

void Profile::add_piece(int thread, std::uint32_t source, std::uint32_t launch,
                        std::int64_t begin) {
  ProfileTrack& track = tracks_[static_cast<std::size_t>(thread)];
  const std::int64_t now = monotonic_now();
  ProfileEvent* const last = track.last();
  if (last != nullptr && last->launch == launch && last->source == source) {
    last->end = now;
    return;
  }
  track.add({.begin = begin, .end = now, .source = source, .launch = launch});
}

void Profile::started(std::uint32_t start_source, std::uint32_t wait_source,
                      std::uint32_t collective_source, std::int64_t begin, const Work& work) {
  const auto sequence = static_cast<std::int64_t>(work.sequence());
  tracks_[0].add(
      {.begin = begin, .end = monotonic_now(), .source = start_source, .value = sequence});
  // One that nobody waited for has gone; its address serves again.
  std::erase_if(open_, [&](const Open& open) { return open.work == &work; });
  if (open_.size() == kOpenCollectives) open_.erase(open_.begin());
  open_.push_back({&work, wait_source, collective_source, begin, sequence});
}

void Profile::waited(Work& work, std::int64_t begin) {
  const auto found = std::ranges::find(open_, &work, &Open::work);
  if (found == open_.end()) return;  // waited for before
  const std::int64_t now = monotonic_now();
  tracks_[0].add(
      {.begin = begin, .end = now, .source = found->wait_source, .value = found->sequence});
  collectives_.add({.begin = found->begin,
                    .end = now,
                    .source = found->collective_source,
                    .value = found->sequence});
  if (Work::DeviceTimes ran = work.take_device_times(); ran.end != nullptr) {
    const auto tracks = std::ranges::find(devices_, ran.device, &DeviceTracks::device);
    if (tracks != devices_.end()) {
      tracks->communication.add(
          {.begin = ran.put, .source = found->collective_source, .value = found->sequence},
          std::move(ran.begin), std::move(ran.end));
    }
  }
  open_.erase(found);
}

void Profile::completed_all() {
  const std::int64_t now = monotonic_now();
  for (const Open& open : open_) {
    collectives_.add({.begin = open.begin,
                      .end = now,
                      .source = open.collective_source,
                      .value = open.sequence});
  }
  open_.clear();
}

std::size_t Profile::events() const {
  std::size_t out = collectives_.size();
  for (const DeviceTracks& each : devices_) {
    out += each.kernels.events().size() + each.communication.events().size();
  }
  for (const ProfileTrack& track : tracks_) out += track.size();
  return out;
}

void Profile::save() noexcept {
  look_at_devices();
  try {
    if (file_.empty() || (!saved_file_.empty() && events() == saved_)) return;
    if (saved_file_.empty()) saved_file_ = claim_trace_file(file_);
    const Profile* const self = this;
    write_trace(saved_file_, {&self, 1});
    saved_ = events();
  } catch (const std::exception& error) {
    std::cerr << "tutti: " << error.what() << "\n";
  }
}

namespace {

template <class Wait>
void recorded_wait(Work& work, Profile* profile, Wait&& wait) {
  if (profile == nullptr) [[likely]]
    return wait();
  const std::int64_t begin = monotonic_now();
  try {
    wait();
  } catch (const std::exception&) {
    profile->waited(work, begin);
    profile->save();
    throw;
  }
  profile->waited(work, begin);
}

}  // namespace

void wait_for(Work& work, Profile* profile) {
  recorded_wait(work, profile, [&] { work.wait(); });
}

std::span<const void* const> wait_to_read(Work& work, Profile* profile) {
  std::span<const void* const> out;
  recorded_wait(work, profile, [&] { out = work.arrive(); });
  return out;
}

}  // namespace tutti::runtime
