#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/profile/device_track.h>
#include <tutti/runtime/profile/roofline.h>
#include <tutti/runtime/profile/track.h>
#include <tutti/runtime/profile/work_counts.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::runtime {

class Work;

// What events have in common, said once before the first of them.
struct ProfileSource {
  enum class Kind : std::uint8_t {
    slice,       // a span of the rank's own thread: a call, a flush, a compilation
    launch,      // the same, of a launch
    piece,       // what one thread did for one kernel of a launch
    start,       // announcing a collective
    wait,        // the rank's thread being blocked by one
    collective,  // from its start until its rank has waited for it
    counter,     // a value from a moment on
  };

  Kind kind = Kind::slice;
  std::string name;
  std::string category = {};  // of slices: "call", "compile"; of counters the unit
  std::string detail = {};    // shapes of library calls
  std::string plan = {};      // its name
  int kernel = -1;            // its number in the plan; -1: a library call
  Location location = {};
  WorkCounts counts = {};                 // of launches and pieces
  double library_seconds = 0;             // likewise, of products: see kernels::library_seconds
  std::string group = {};                 // of collectives
  std::int64_t bytes = 0;                 // of collectives: this rank's operands
  std::vector<std::uint32_t> parts = {};  // of a launch of several kernels: their pieces
};

// What one rank records while its program runs. The rank's thread and, for pieces, the workers of
// its pool add events: without locks, and without allocation between two calls of prepare().
class Profile {
 public:
  // `threads` of the rank's pool. `file`: see save().
  Profile(std::int64_t rank, int threads, const Roofline& roofline, std::string file = {});
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  std::int64_t rank() const { return rank_; }
  const Roofline& roofline() const { return roofline_; }

  std::uint32_t add_source(ProfileSource source);
  // The source of slices of that name (a literal) and line; made when first asked for.
  std::uint32_t slice_source(const char* category, const char* name, Location where);
  std::uint32_t counter_source(const char* name, const char* unit);
  // A source like another, for another line.
  std::uint32_t moved_source(std::uint32_t source, Location where);
  const std::vector<ProfileSource>& sources() const { return sources_; }

  // Gets memory for the next thousands of events.
  void prepare();

  // On the rank's thread: something began at `begin` and ends now.
  void add(std::uint32_t source, std::int64_t begin) {
    tracks_[0].add({.begin = begin, .end = monotonic_now(), .source = source});
  }
  void count(std::uint32_t source, std::int64_t value) {
    const std::int64_t now = monotonic_now();
    tracks_[0].add({.begin = now, .end = now, .source = source, .value = value});
  }

  std::uint32_t begin_launch() { return ++launches_; }
  void end_launch(std::uint32_t source, std::uint32_t launch, std::int64_t begin) {
    tracks_[0].add({.begin = begin, .end = monotonic_now(), .source = source, .launch = launch});
  }
  // On the thread of that number in the pool: it worked for a launch. Goes on with the piece before
  // if that is the same kernel's.
  void add_piece(int thread, std::uint32_t source, std::uint32_t launch, std::int64_t begin);

  // What runs on a GPU. The first time this waits for what does so then.
  DeviceTracks& on(Accelerator& accelerator);
  // Takes over what they are through with.
  void look_at_devices() noexcept;
  // They are not used any more.
  void close_devices() noexcept;
  const std::deque<DeviceTracks>& devices() const { return devices_; }

  // A collective was started, and was waited for, from `begin` until now.
  void started(std::uint32_t start_source, std::uint32_t wait_source,
               std::uint32_t collective_source, std::int64_t begin, const Work& work);
  void waited(Work& work, std::int64_t begin);
  // Every collective is complete now.
  void completed_all();

  // By thread; the rank's own is the first.
  const std::vector<ProfileTrack>& tracks() const { return tracks_; }
  // The same from the collectives' starts to their ends; not nested.
  const ProfileTrack& collectives() const { return collectives_; }

  // Writes the trace to the file, if there is one, and if something has been recorded since it was
  // last written. Warns on stderr when that fails.
  void save() noexcept;

 private:
  struct Open {
    const Work* work;
    std::uint32_t wait_source;
    std::uint32_t collective_source;
    std::int64_t begin;
    std::int64_t sequence;
  };
  struct Key {
    std::uint64_t what;
    std::string_view file;
    std::uint32_t line;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHasher {
    std::size_t operator()(const Key& key) const;
  };
  std::size_t events() const;

  const std::int64_t rank_;
  const Roofline roofline_;
  const std::string file_;
  std::vector<ProfileSource> sources_;
  std::unordered_map<Key, std::uint32_t, KeyHasher> lines_;
  std::vector<ProfileTrack> tracks_;
  ProfileTrack collectives_;
  std::deque<DeviceTracks> devices_;
  std::vector<Open> open_;
  std::uint32_t launches_ = 0;
  std::string saved_file_;  // empty: not saved yet
  std::size_t saved_ = 0;   // how many events
};

// Records what happens while it lives, on the rank's thread; nothing where `profile` is null.
class ProfileSlice {
 public:
  ProfileSlice(Profile* profile, std::uint32_t source) : profile_(profile), source_(source) {
    if (profile_ != nullptr) [[unlikely]]
      begin_ = monotonic_now();
  }
  // `category` and `name` are literals.
  ProfileSlice(Profile* profile, const char* category, const char* name, Location where = {})
      : profile_(profile) {
    if (profile_ == nullptr) [[likely]]
      return;
    source_ = profile_->slice_source(category, name, where);
    profile_->prepare();
    begin_ = monotonic_now();
  }
  ProfileSlice(const ProfileSlice&) = delete;
  ProfileSlice& operator=(const ProfileSlice&) = delete;
  ~ProfileSlice() {
    if (profile_ != nullptr) [[unlikely]]
      profile_->add(source_, begin_);
  }

 private:
  Profile* profile_;
  std::uint32_t source_ = 0;
  std::int64_t begin_ = 0;
};

// Waits for a collective. When that throws (see Work::wait()), the trace is saved.
void wait_for(Work& work, Profile* profile);
// The same for Work::arrive().
std::span<const void* const> wait_to_read(Work& work, Profile* profile);

}  // namespace tutti::runtime
