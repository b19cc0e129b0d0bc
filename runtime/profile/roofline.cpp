#include <tutti/kernels/host/peak_loops.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/profile/roofline.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include <unistd.h>

namespace tutti::runtime {

namespace {

constexpr int kRepetitions = 10;  // of which the fastest counts
constexpr std::int64_t kLeastMeasuredBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMostTime = 50'000'000;  // nanoseconds that repetitions may take
constexpr std::int64_t kTileElements = std::int64_t{1} << 16;
constexpr std::int64_t kTilesPerThread = 4;
constexpr std::int64_t kRounds = 100'000;  // of multiply-adds a tile: a fraction of a millisecond

// Seconds that the fastest of several runs takes.
double fastest(const FunctionRef<void()> run) {
  std::int64_t least = INT64_MAX;
  const std::int64_t end = monotonic_now() + kMostTime;
  for (int i = 0; i < kRepetitions && (i == 0 || monotonic_now() < end); ++i) {
    const std::int64_t begin = monotonic_now();
    run();
    least = std::min(least, monotonic_now() - begin);
  }
  return static_cast<double>(std::max<std::int64_t>(least, 1)) * 1e-9;
}

double measure_bandwidth(ThreadPool& pool) {
  const std::int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::int64_t bytes = std::clamp(4 * cache, kLeastMeasuredBytes, kMostBytes);
  const std::int64_t elements = bytes / 3 / static_cast<std::int64_t>(sizeof(float));
  // Uninitialised: whoever computes with a page touches it first.
  const auto size = static_cast<std::size_t>(elements);
  const std::unique_ptr<float[]> a(new float[size]);
  const std::unique_ptr<float[]> b(new float[size]);
  const std::unique_ptr<float[]> c(new float[size]);
  const std::int64_t tiles = (elements + kTileElements - 1) / kTileElements;
  const auto for_all = [&](const auto& body) {
    pool.parallel_for(tiles, [&](std::int64_t begin, std::int64_t end) {
      begin *= kTileElements;
      body(begin, std::min(end * kTileElements, elements) - begin);
    });
  };
  for_all([&](std::int64_t begin, std::int64_t count) {
    for (float* const data : {a.get(), b.get(), c.get()}) {
      std::memset(data + begin, 0, static_cast<std::size_t>(count) * sizeof(float));
    }
  });
  const double seconds = fastest([&] {
    for_all([&](std::int64_t begin, std::int64_t count) {
      kernels::triad(a.get() + begin, b.get() + begin, c.get() + begin, count);
    });
  });
  return static_cast<double>(3 * elements) * sizeof(float) / seconds;
}

template <class T>
double measure_flops(ThreadPool& pool) {
  const std::int64_t tiles = pool.threads() * kTilesPerThread;
  const double seconds = fastest([&] {
    pool.parallel_for(tiles, [](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) kernels::multiply_adds<T>(kRounds);
    });
  });
  return static_cast<double>(tiles * kernels::multiply_adds<T>(0)) * kRounds / seconds;
}

}  // namespace

double Roofline::least_seconds(const WorkCounts& counts) const {
  const double memory = static_cast<double>(counts.bytes()) / bytes_per_second;
  const double arithmetic = static_cast<double>(counts.flops) / flops_per_second +
                            static_cast<double>(counts.double_flops) / double_flops_per_second;
  return std::max(memory, arithmetic);
}

Roofline measure_roofline(ThreadPool& pool) {
  static std::mutex mutex;
  static std::map<int, Roofline> measured;  // by threads; ranks of one process share it
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = measured.try_emplace(pool.threads());
  if (is_new) {
    found->second = {.bytes_per_second = measure_bandwidth(pool),
                     .flops_per_second = measure_flops<float>(pool),
                     .double_flops_per_second = measure_flops<double>(pool)};
  }
  return found->second;
}

}  // namespace tutti::runtime
