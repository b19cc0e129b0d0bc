#include <tutti/runtime/profile/json_line.h>
#include <tutti/runtime/profile/trace_text.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tutti::runtime {

namespace {

using SourceKind = ProfileSource::Kind;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::int64_t kThreadsOfRank = 10000;  // numbers of threads that a rank has to itself
constexpr std::int64_t kDeviceThreads = 9000;   // of these, from where on they are streams of GPUs
constexpr std::size_t kShownNames = 3;          // of kernels in one launch
constexpr double kNano = 1e-9;

std::string line_text(Location location) {
  return std::string(location.file()) + ":" + std::to_string(location.line());
}

class Writer {
 public:
  Writer(const Profile& profile, const std::function<void(std::string_view)>& write)
      : profile_(profile), write_(write), process_(profile.rank() + 1) {}

  void run() {
    name_process();
    add_up_pieces();
    for (std::size_t thread = 0; thread < profile_.tracks().size(); ++thread) {
      write_track(profile_.tracks()[thread], static_cast<std::int64_t>(thread));
    }
    write_devices();
    write_collectives();
    write_(text_);
  }

 private:
  // ---- Lines.
  JsonLine line(const char* phase, std::int64_t thread) const {
    JsonLine out;
    out.add("ph", phase).add("pid", process_).add("tid", process_ * kThreadsOfRank + thread);
    return out;
  }
  void add(JsonLine& line) {
    if (!first_) text_ += ",\n";
    first_ = false;
    text_ += line.finish();
    if (text_.size() < kPieceBytes) return;
    write_(text_);
    text_.clear();
  }

  void name(const char* what, std::int64_t thread, const std::string& name) {
    JsonLine out = line("M", thread);
    out.add("name", what).begin_object("args").add("name", name).end_object();
    add(out);
  }

  void name_process() {
    const Roofline& roofline = profile_.roofline();
    JsonLine process = line("M", 0);
    process.add("name", "process_name")
        .begin_object("args")
        .add("name", "rank " + std::to_string(profile_.rank()))
        .add("rank", profile_.rank())
        .add("threads", std::ssize(profile_.tracks()))
        .add("memory_GB/s", roofline.bytes_per_second * kNano, 2)
        .add("f32_GFLOP/s", roofline.flops_per_second * kNano, 2)
        .add("f64_GFLOP/s", roofline.double_flops_per_second * kNano, 2)
        .add("events_dropped", dropped())
        .end_object();
    add(process);
    JsonLine order = line("M", 0);
    order.add("name", "process_sort_index")
        .begin_object("args")
        .add("sort_index", profile_.rank())
        .end_object();
    add(order);
    name("thread_name", 0, "rank " + std::to_string(profile_.rank()));
    for (std::int64_t thread = 1; thread < std::ssize(profile_.tracks()); ++thread) {
      name("thread_name", thread, "worker " + std::to_string(thread));
    }
  }

  std::int64_t dropped() const {
    std::uint64_t out = profile_.collectives().dropped();
    for (const DeviceTracks& each : profile_.devices()) {
      out += each.kernels.events().dropped() + each.communication.events().dropped();
    }
    for (const ProfileTrack& track : profile_.tracks()) out += track.dropped();
    return static_cast<std::int64_t>(out);
  }

  // ---- Kernels of one launch share its time like the time that threads spent on them.
  static std::uint64_t key(std::uint32_t launch, std::uint32_t source) {
    return (std::uint64_t{launch} << 32) | source;
  }

  void add_up_pieces() {
    shares_.assign(profile_.sources().size(), false);
    for (const ProfileSource& source : profile_.sources()) {
      if (source.kind != SourceKind::launch || source.parts.size() < 2) continue;
      for (const std::uint32_t part : source.parts) shares_[part] = true;
    }
    for (const ProfileTrack& track : profile_.tracks()) {
      for (std::size_t i = 0; i < track.size(); ++i) {
        const ProfileEvent& event = track[i];
        if (shares_[event.source]) {
          times_[key(event.launch, event.source)] += event.end - event.begin;
        }
      }
    }
  }

  // By part, seconds of the launch's own.
  std::vector<double> times_of_parts(const ProfileEvent& event, const ProfileSource& source) const {
    std::vector<double> times;
    for (const std::uint32_t part : source.parts) {
      const auto found = times_.find(key(event.launch, part));
      times.push_back(found == times_.end() ? 0 : static_cast<double>(found->second));
    }
    const double all = std::max(1.0, std::accumulate(times.begin(), times.end(), 0.0));
    const double seconds = static_cast<double>(event.end - event.begin) * kNano;
    for (double& time : times) time *= seconds / all;
    return times;
  }

  // ---- Arguments.
  static void add_place(JsonLine& out, const ProfileSource& source) {
    if (source.location.known()) out.add("source", line_text(source.location));
  }

  static void add_kernel(JsonLine& out, const ProfileSource& source) {
    add_place(out, source);
    if (!source.plan.empty()) out.add("plan", source.plan);
    if (source.kernel >= 0) out.add("kernel", "k" + std::to_string(source.kernel));
    if (!source.detail.empty()) out.add("shapes", source.detail);
  }

  // The roofline is the host's: of a GPU nobody knows it.
  void add_work(JsonLine& out, const ProfileSource& source, double seconds, bool on_host) const {
    const WorkCounts& counts = source.counts;
    out.add("bytes_read", counts.bytes_read).add("bytes_written", counts.bytes_written);
    out.add("flops", counts.flops + counts.double_flops);
    if (seconds <= 0) return;
    out.add("GB/s", static_cast<double>(counts.bytes()) / seconds * kNano, 3)
        .add("GFLOP/s", static_cast<double>(counts.flops + counts.double_flops) / seconds * kNano,
             3);
    if (!on_host) return;
    const double least = profile_.roofline().least_seconds(counts);
    out.add("roofline_us", least * 1e6, 3).add("roofline_percent", 100 * least / seconds, 2);
    if (source.library_seconds > 0) out.add("library_us", source.library_seconds * 1e6, 3);
  }

  void add_launch(JsonLine& out, const ProfileEvent& event, const ProfileSource& source,
                  bool on_host) const {
    const double seconds = static_cast<double>(event.end - event.begin) * kNano;
    if (source.parts.size() < 2) {
      add_kernel(out, source);
    } else {
      const std::vector<double> times = times_of_parts(event, source);
      out.begin_list("parts");
      for (std::size_t i = 0; i < times.size(); ++i) {
        const ProfileSource& part = profile_.sources()[source.parts[i]];
        out.begin_element().add("name", part.name);
        add_kernel(out, part);
        out.add("us", times[i] * 1e6, 3);
        add_work(out, part, times[i], on_host);
        out.end_object();
      }
      out.end_list();
    }
    add_work(out, source, seconds, on_host);
  }

  static void add_collective(JsonLine& out, const ProfileEvent& event,
                             const ProfileSource& source) {
    add_place(out, source);
    out.add("group", source.group).add("sequence", event.value).add("bytes", source.bytes);
  }

  std::string name_of(const ProfileSource& source) const {
    if (source.kind != SourceKind::launch || source.parts.size() < 2) return source.name;
    std::string out;
    for (std::size_t i = 0; i < std::min(source.parts.size(), kShownNames); ++i) {
      out += (i == 0 ? "" : " + ") + profile_.sources()[source.parts[i]].name;
    }
    if (source.parts.size() > kShownNames) {
      out += " + " + std::to_string(source.parts.size() - kShownNames) + " more";
    }
    return out;
  }

  static std::string category_of(const ProfileSource& source) {
    switch (source.kind) {
      case SourceKind::slice:
        return source.category;
      case SourceKind::launch:
        return "launch";
      case SourceKind::piece:
        return "piece";
      case SourceKind::start:
        return "start";
      case SourceKind::wait:
        return "wait";
      case SourceKind::collective:
        return "collective";
      case SourceKind::counter:
        return "counter";
    }
    __builtin_unreachable();
  }

  // ---- Events.
  // What encloses comes before what it encloses, as readers want it.
  static std::vector<std::size_t> in_order(const ProfileTrack& track) {
    std::vector<std::size_t> order(track.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      const ProfileEvent& x = track[a];
      const ProfileEvent& y = track[b];
      return std::tuple(x.begin, -x.end, b) < std::tuple(y.begin, -y.end, a);
    });
    return order;
  }

  void write_track(const ProfileTrack& track, std::int64_t thread) {
    for (const std::size_t i : in_order(track)) {
      const ProfileEvent& event = track[i];
      const ProfileSource& source = profile_.sources()[event.source];
      // On its rank's own thread the only kernel of a launch would be said twice.
      if (thread == 0 && source.kind == SourceKind::piece && !shares_[event.source]) continue;
      JsonLine out = line(source.kind == SourceKind::counter ? "C" : "X", thread);
      out.add_time("ts", event.begin);
      if (source.kind != SourceKind::counter) out.add_time("dur", event.end - event.begin);
      out.add("cat", category_of(source)).add("name", name_of(source)).begin_object("args");
      if (source.kind == SourceKind::counter) {
        out.add(source.category, event.value);
      } else if (source.kind == SourceKind::launch) {
        add_launch(out, event, source, thread < kDeviceThreads);
      } else if (source.kind == SourceKind::start || source.kind == SourceKind::wait ||
                 source.kind == SourceKind::collective) {
        add_collective(out, event, source);
      } else {
        add_kernel(out, source);
      }
      out.end_object();
      add(out);
    }
  }

  // Each stream of a GPU as a thread, by the name of its device.
  void write_devices() {
    std::int64_t thread = kDeviceThreads;
    for (const DeviceTracks& each : profile_.devices()) {
      name("thread_name", thread, each.device.text());
      write_track(each.kernels.events(), thread++);
      name("thread_name", thread, each.device.text() + " communication");
      write_track(each.communication.events(), thread++);
    }
  }

  void write_collectives() {
    const ProfileTrack& track = profile_.collectives();
    for (std::size_t i = 0; i < track.size(); ++i) {
      const ProfileEvent& event = track[i];
      const ProfileSource& source = profile_.sources()[event.source];
      for (const bool begins : {true, false}) {
        JsonLine out = line(begins ? "b" : "e", 0);
        out.add_time("ts", begins ? event.begin : event.end)
            .add("cat", "collective")
            .add("name", source.name)
            .begin_object("id2")
            .add("local", std::to_string(i))
            .end_object()
            .begin_object("args");
        if (begins) add_collective(out, event, source);
        out.end_object();
        add(out);
      }
    }
  }

  const Profile& profile_;
  const std::function<void(std::string_view)>& write_;
  const std::int64_t process_;
  std::vector<bool> shares_;  // by source: a piece of a launch of several kernels
  std::unordered_map<std::uint64_t, std::int64_t> times_;  // nanoseconds of all threads
  std::string text_;
  bool first_ = true;
};

}  // namespace

void write_events(const Profile& profile, const std::function<void(std::string_view)>& write) {
  Writer(profile, write).run();
}

}  // namespace tutti::runtime
