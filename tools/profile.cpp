#include "tools/profile.h"

#include <tutti/ir/support/error.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tutti::tools {

namespace {

using nlohmann::json;

// Adds the events of a file up, one by one: traces are larger than what should be in memory.
class Summariser {
 public:
  // `name` is the file's, for messages.
  explicit Summariser(const std::string& name) : name_(name) {}

  // Of the objects of a trace file: `depth` is 1 for what belongs to the whole, 2 for an event.
  void see(int depth, const json& object) {
    if (depth == 1 && object.contains("tutti_trace")) ours_ = true;
    if (depth == 2 && ours_) add(object);
  }
  bool ours() const { return ours_; }

  ProfileSummary finish() {
    for (auto& [process, spans] : in_flight_) summary_.in_flight += length_of_union(spans);
    for (auto& [process, collectives] : on_gpus_) add_exposed(collectives, launches_[process]);
    for (const auto& [process, span] : spans_) summary_.span += span.second - span.first;
    return std::move(summary_);
  }

 private:
  const std::string& name_;  // of the file
  using Span = std::pair<double, double>;
  struct OnGpu {
    Span span;
    std::string source;
  };

  void add(const json& event) {
    const std::string phase = event.at("ph");
    const std::int64_t process = event.at("pid");
    const json& arguments = event.at("args");
    if (phase == "M") {
      if (event.at("name") == "process_name") add_rank(arguments);
      if (event.at("name") == "thread_name" &&
          arguments.at("name").get<std::string>().starts_with("cuda:")) {
        gpu_threads_.insert(event.at("tid").get<std::int64_t>());
      }
      return;
    }
    const double begin = event.at("ts");
    if (phase == "b" || phase == "e") {
      add_collective(event, process, phase == "b", begin);
    }
    if (phase != "X") return;
    const double time = event.at("dur");
    constexpr double kLongest = 1e15;  // thirty years
    if (!(std::abs(begin) <= kLongest && time >= 0 && time <= kLongest)) {
      throw ParseError(name_ + ": an event begins at " + event.at("ts").dump() + " and takes " +
                       event.at("dur").dump() + " microseconds");
    }
    const auto [span, is_first] = spans_.try_emplace(process, begin, begin + time);
    span->second = {std::min(span->second.first, begin),
                    std::max(span->second.second, begin + time)};
    const std::string category = event.at("cat");
    if (category == "launch") {
      summary_.compute += time;
      if (gpu_threads_.contains(event.at("tid").get<std::int64_t>())) {
        launches_[process].emplace_back(begin, begin + time);
      }
      add_launch(event.at("name"), arguments, time);
    } else if (category == "wait") {
      summary_.waits += time;
      if (arguments.contains("group")) {  // not of the wait for all at the end
        ProfileSummary::Exposed& exposed = summary_.exposed[arguments.value("source", "")];
        ++exposed.waits;
        exposed.blocked += time;
      }
    } else if (category == "collective") {
      on_gpus_[process].push_back({{begin, begin + time}, arguments.value("source", "")});
    } else if (category == "start") {
      summary_.starts += time;
    } else if (category == "compile") {
      add_compilation(process, begin, begin + time);
    }
  }

  void add_rank(const json& arguments) {
    std::array<char, 160> text;
    std::snprintf(text.data(), text.size(),
                  "%ld thread%s, memory %.1f GB/s, f32 %.1f GFLOP/s, f64 %.1f GFLOP/s",
                  arguments.at("threads").get<long>(), arguments.at("threads") == 1 ? "" : "s",
                  arguments.at("memory_GB/s").get<double>(),
                  arguments.at("f32_GFLOP/s").get<double>(),
                  arguments.at("f64_GFLOP/s").get<double>());
    summary_.ranks[arguments.at("rank")] = text.data();
    summary_.dropped += arguments.at("events_dropped").get<std::int64_t>();
  }

  void add_launch(const std::string& name, const json& arguments, double time) {
    if (!arguments.contains("parts")) return add_kernel(name, arguments, time);
    for (const json& part : arguments.at("parts")) {
      add_kernel(part.at("name"), part, part.at("us"));
    }
  }

  void add_kernel(const std::string& name, const json& arguments, double time) {
    ProfileSummary::Kernel& kernel =
        summary_.kernels[{name, arguments.value("shapes", ""), arguments.value("source", "")}];
    ++kernel.calls;
    kernel.time += time;
    const double least = arguments.value("roofline_us", 0.0);
    const double library = arguments.value("library_us", 0.0);
    kernel.library_time += library;
    if (arguments.contains("roofline_us")) {
      kernel.compared_time += time;
      kernel.least_time += least;
      summary_.compared_compute += time;
      summary_.least_compute += std::min(time, library > 0 ? library : least);
    }
    kernel.bytes +=
        arguments.at("bytes_read").get<double>() + arguments.at("bytes_written").get<double>();
    kernel.flops += arguments.at("flops").get<double>();
  }

  void add_collective(const json& event, std::int64_t process, bool begins, double time) {
    const std::pair key(process, event.at("id2").at("local").get<std::string>());
    if (begins) {
      begins_[key] = time;
      ++summary_.collectives;
      summary_.collective_bytes += event.at("args").at("bytes").get<double>();
    } else if (const auto begun = begins_.find(key); begun != begins_.end()) {
      in_flight_[process].emplace_back(begun->second, time);
      begins_.erase(begun);
    }
  }

  // Slices of compilations lie inside each other; of a rank they come in order.
  void add_compilation(std::int64_t process, double begin, double end) {
    double& until = compiled_until_.try_emplace(process, begin).first->second;
    summary_.compilation += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }

  // What of collectives on a GPU no launch beside them hides. Both in their order, so that each
  // collective is only compared with those launches that may be beside it.
  void add_exposed(std::vector<OnGpu>& collectives, std::vector<Span>& launches) {
    std::ranges::sort(launches);
    std::ranges::stable_sort(collectives, {}, &OnGpu::span);
    auto first = launches.begin();
    for (const auto& [span, source] : collectives) {
      double until = span.first;
      double hidden = 0;
      while (first != launches.end() && first->second <= span.first) ++first;
      for (auto launch = first; launch != launches.end() && launch->first < span.second; ++launch) {
        const double end = std::min(launch->second, span.second);
        hidden += std::max(0.0, end - std::max(launch->first, until));
        until = std::max(until, end);
      }
      summary_.exposed[source].on_gpus += span.second - span.first - hidden;
    }
  }

  static double length_of_union(std::vector<Span>& spans) {
    std::ranges::sort(spans);
    double out = 0;
    double until = 0;
    for (const auto& [begin, end] : spans) {
      out += std::max(0.0, end - std::max(begin, until));
      until = std::max(until, end);
    }
    return out;
  }

  bool ours_ = false;
  ProfileSummary summary_;
  std::set<std::int64_t> gpu_threads_;
  std::map<std::int64_t, std::vector<Span>> launches_;  // on GPUs, by process
  std::map<std::int64_t, std::vector<OnGpu>> on_gpus_;  // collectives there
  std::map<std::int64_t, Span> spans_;                  // by process, as below
  std::map<std::int64_t, double> compiled_until_;
  std::map<std::int64_t, std::vector<Span>> in_flight_;
  std::map<std::pair<std::int64_t, std::string>, double> begins_;
};

std::string formatted(const char* format, auto... values) {
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string event_time_text(double microseconds) {
  if (microseconds >= 1e6) return formatted("%.2f s", microseconds / 1e6);
  if (microseconds >= 1e3) return formatted("%.2f ms", microseconds / 1e3);
  return formatted("%.2f us", microseconds);
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

// A table of the lines with the most of it; empty where there is none.
std::string print_exposed(const ProfileSummary& summary, std::size_t most) {
  if (summary.exposed.empty()) return {};
  std::vector<std::pair<std::string, ProfileSummary::Exposed>> lines(summary.exposed.begin(),
                                                                     summary.exposed.end());
  std::ranges::stable_sort(lines, std::greater<>(), [](const auto& each) {
    return each.second.blocked + each.second.on_gpus;
  });
  if (most > 0 && lines.size() > most) lines.resize(most);
  std::string out = "\n   waits      blocked      on GPUs  exposed communication\n";
  for (const auto& [source, exposed] : lines) {
    out += formatted("%8ld %12s %12s  ", static_cast<long>(exposed.waits),
                     event_time_text(exposed.blocked).c_str(),
                     event_time_text(exposed.on_gpus).c_str()) +
           (source.empty() ? "no line" : std::filesystem::path(source).filename().string()) + "\n";
  }
  return out;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// Empty where nothing is known of the whole.
std::string share_text(double part, double whole) {
  return whole > 0 ? formatted("%.1f %%", percent(part, whole)) : "";
}

}  // namespace

ProfileSummary summarise_trace(std::istream& in, const std::string& name) {
  const std::string foreign = name + ": this is no trace of Tutti's (TUTTI_PROFILE writes them)";
  Summariser summariser(name);
  const auto see = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (event != json::parse_event_t::object_end || depth == 0) return true;
    if (depth <= 2) summariser.see(depth, parsed);
    return depth > 2;  // what belongs to an event goes with it
  };
  try {
    if (!json::parse(in, see).is_object() || !summariser.ours()) throw ParseError(foreign);
  } catch (const json::parse_error& error) {
    throw ParseError(name + ": this is not JSON, or cut off: byte " + std::to_string(error.byte) +
                     (summariser.ours() ? " of a trace that began well" : ""));
  } catch (const json::exception& error) {
    throw ParseError(foreign + ": " + error.what());
  }
  return summariser.finish();
}

std::string print(const ProfileSummary& summary, std::size_t most) {
  std::string out;
  for (const auto& [rank, limits] : summary.ranks) {
    out += "rank " + std::to_string(rank) + ": " + limits + "\n";
  }
  out += "\n";
  const auto total = [&](const char* what, double time, const std::string& remark = "") {
    out += formatted("%-22s %12s %6.1f %%", what, event_time_text(time).c_str(),
                     percent(time, summary.span)) +
           (remark.empty() ? "" : "  " + remark) + "\n";
  };
  total("recorded", summary.span, "first to last event, all ranks together");
  total("compute", summary.compute, "launches");
  total("communication", summary.in_flight,
        std::to_string(summary.collectives) + " collectives, from start to end, " +
            formatted("%.3f GB", summary.collective_bytes * 1e-9));
  total("exposed communication", summary.waits, "the rank's thread was blocked");
  total("starting collectives", summary.starts);
  total("compilation", summary.compilation);
  if (summary.compared_compute > 0) {
    out += formatted(
        "%-35s %6.1f %%  of compute on the host, if products took what the library takes by itself "
        "and all else what the roofline allows\n",
        "least compute", percent(summary.least_compute, summary.compared_compute));
  }
  if (summary.dropped > 0) {
    out += std::to_string(summary.dropped) + " events at the end found no room in the trace\n";
  }
  out += print_exposed(summary, most);
  if (summary.kernels.empty()) return out;

  std::vector<std::pair<ProfileSummary::KernelKey, ProfileSummary::Kernel>> kernels(
      summary.kernels.begin(), summary.kernels.end());
  std::ranges::stable_sort(
      kernels, [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  double all = 0;
  for (const auto& [key, kernel] : kernels) all += kernel.time;
  const std::size_t shown = most == 0 ? kernels.size() : std::min(most, kernels.size());
  out +=
      "\n  share    calls        total         mean     GB/s  GFLOP/s  roofline   library  "
      "kernel\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [key, kernel] = kernels[i];
    const auto& [name, shapes, source] = key;
    const double seconds = std::max(kernel.time, 1e-3) * 1e-6;
    out += formatted(
        "%5.1f %% %8ld %12s %12s %8.2f %8.2f %9s %9s  ", percent(kernel.time, all),
        static_cast<long>(kernel.calls), event_time_text(kernel.time).c_str(),
        event_time_text(kernel.time / static_cast<double>(kernel.calls)).c_str(),
        kernel.bytes / seconds * 1e-9, kernel.flops / seconds * 1e-9,
        share_text(kernel.least_time, kernel.compared_time).c_str(),
        share_text(kernel.library_time, kernel.library_time > 0 ? kernel.compared_time : 0)
            .c_str());
    constexpr std::size_t kNameWidth = 64;
    out += shortened(name + (shapes.empty() ? "" : " [" + shapes + "]"), kNameWidth);
    if (!source.empty()) out += "  " + std::filesystem::path(source).filename().string();
    out += "\n";
  }
  if (shown < kernels.size()) {
    out += "  and " + std::to_string(kernels.size() - shown) + " more; --most 0 shows all\n";
  }
  return out;
}

void profile(const ProfileOptions& options) {
  if (!std::filesystem::exists(options.file)) {
    throw EnvironmentError(options.file + ": there is no such file");
  }
  std::ifstream in(options.file, std::ios::binary);
  if (!in || std::filesystem::is_directory(options.file)) {
    throw EnvironmentError(options.file + ": it can't be read");
  }
  std::cout << print(summarise_trace(in, options.file), options.most);
}

}  // namespace tutti::tools
