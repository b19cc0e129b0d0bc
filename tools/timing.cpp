#include "tools/timing.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tutti::tools {

namespace {

// Three digits and a unit, of which each is 1000 of the one before; of the first whole numbers.
template <std::size_t N>
std::string with_unit(double value, const std::array<const char*, N>& units) {
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < N; ++unit) value /= 1000;
  const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return std::string(text.data()) + " " + units[unit];
}

constexpr std::array<const char*, 4> kTimes = {"ns", "us", "ms", "s"};
constexpr std::array<const char*, 5> kBytes = {"B", "kB", "MB", "GB", "TB"};
constexpr std::array<const char*, 5> kFlops = {"flop", "kflop", "Mflop", "Gflop", "Tflop"};

std::string time_text(std::int64_t nanoseconds) {
  return with_unit(static_cast<double>(nanoseconds), kTimes);
}

}  // namespace

std::string timing_text(const std::string& function, const std::vector<RankResult>& ranks) {
  std::vector<std::int64_t> times = ranks.front().times;
  for (const RankResult& rank : ranks) {
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], rank.times[i]);
  }
  std::ranges::sort(times);
  const std::size_t middle = times.size() / 2;
  const std::int64_t median =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  std::string out = "@" + function + ": " + time_text(median) + " a run (the median of " +
                    std::to_string(times.size()) + ", from " + time_text(times.front()) + " to " +
                    time_text(times.back()) + ")";
  if (ranks.size() > 1) out += " on " + std::to_string(ranks.size()) + " ranks";
  out += "\n";
  const runtime::WorkCounts& work = ranks.front().work;
  const auto bytes = static_cast<double>(work.bytes());
  const auto flops = static_cast<double>(work.flops + work.double_flops);
  if (bytes == 0) return out;
  const double seconds = static_cast<double>(std::max<std::int64_t>(median, 1)) * 1e-9;
  out += ranks.size() > 1 ? "kernels of rank 0: " : "kernels: ";
  out += "at least " + with_unit(bytes, kBytes) + " (" + with_unit(bytes / seconds, kBytes) + "/s)";
  if (flops > 0) {
    out += " and " + with_unit(flops, kFlops) + " (" + with_unit(flops / seconds, kFlops) + "/s)";
  }
  return out + "\n";
}

}  // namespace tutti::tools
