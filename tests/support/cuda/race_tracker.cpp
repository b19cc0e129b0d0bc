#include "tests/support/cuda/race_tracker.h"

namespace tutti::test::cuda {

namespace {

constexpr std::uint32_t kTrackedWarp = 32;

std::string who(const RaceTracker::Access& access) {
  return "thread " + std::to_string(access.thread) + " of block " + std::to_string(access.block);
}

}  // namespace

void RaceTracker::atomic(const Access& by, bool fenced) {
  ++atomics_;
  acquired_[by.block] = {.time = atomics_, .barriers = by.barriers, .thread = by.thread};
  if (!fenced) return;
  published_[by.block] = {.time = atomics_, .barriers = by.barriers, .thread = by.thread};
}

RaceTracker::Cell& RaceTracker::cell(std::uintptr_t address) {
  const std::uintptr_t number = address / kPage;
  if (last_page_ == nullptr || number != last_number_) {
    auto& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_page_ = page.get();
  }
  return (*last_page_)[address % kPage];
}

bool RaceTracker::ordered(const Access& before, const Access& after, bool shared) const {
  if (!before.made) return true;
  if (before.block == after.block) {
    if (before.thread == after.thread || before.barriers != after.barriers) return true;
    return before.thread / kTrackedWarp == after.thread / kTrackedWarp &&
           before.warp_barriers != after.warp_barriers;
  }
  if (shared) return true;  // memory of another block
  const Publication& published = published_[before.block];
  const Acquisition& acquired = acquired_[after.block];
  return published.time > before.atomics &&
         (before.thread == published.thread || before.barriers < published.barriers) &&
         acquired.time >= published.time &&
         (after.thread == acquired.thread || after.barriers > acquired.barriers);
}

std::string RaceTracker::access(std::uintptr_t address, std::uint32_t bytes, bool write,
                                const Access& by) {
  const bool shared = address >= shared_begin_ && address < shared_end_;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    Cell& seen = cell(address + i);
    const Access* other = nullptr;
    if (!ordered(seen.writer, by, shared)) other = &seen.writer;
    for (const Access& reader : seen.readers) {
      if (write && !ordered(reader, by, shared)) other = &reader;
    }
    if (other != nullptr) {
      return "a race in " + std::string(shared ? "shared" : "global") + " memory: " + who(by) +
             (write ? " writes" : " reads") + " what " + who(*other) +
             (other == &seen.writer ? " wrote" : " read") + ", and nothing orders the two";
    }
    if (write) {
      seen.writer = by;
    } else if (!seen.readers[0].made || ordered(seen.readers[0], by, shared)) {
      seen.readers[0] = by;
    } else {
      seen.readers[1] = by;
    }
  }
  return "";
}

}  // namespace tutti::test::cuda
