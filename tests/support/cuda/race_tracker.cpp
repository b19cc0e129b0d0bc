#include "tests/support/cuda/race_tracker.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tutti::test::cuda {

namespace {

constexpr std::uint32_t kTrackedWarp = 32;

std::string who(const RaceTracker::Access& access) {
  return "thread " + std::to_string(access.thread) + " of block " + std::to_string(access.block);
}

}  // namespace

RaceTracker::Thread& RaceTracker::Block::thread(std::uint16_t number) {
  if (threads.size() <= number) threads.resize(std::size_t{number} + 1);
  return threads[number];
}

bool RaceTracker::Block::has_published(const Access& access) const {
  if (published.time <= access.atomics) return false;
  if (access.thread != published.thread && access.barriers >= published.barriers) return false;
  const bool fenced =
      access.thread < published_fences.size() && access.fences < published_fences[access.thread];
  return fenced || access.barriers < published_fence_barriers;
}

bool RaceTracker::Block::has_acquired(std::uint32_t time, const Access& access) const {
  const bool own = access.thread < threads.size() && threads[access.thread].acquired >= time;
  return own || (acquired >= time && access.barriers > acquired_barriers);
}

void RaceTracker::atomic(const Access& by) {
  ++atomics_;
  Block& block = blocks_[by.block];
  block.thread(by.thread).atomic = atomics_;
  block.last = {.time = atomics_, .barriers = by.barriers, .thread = by.thread};
  // Of the others what a barrier lies behind.
  std::vector<std::uint32_t> fences;
  for (std::size_t i = 0; i < block.threads.size(); ++i) {
    const Thread& each = block.threads[i];
    const bool before = i == by.thread || each.fence_barriers < by.barriers;
    fences.push_back(before ? each.fences : each.fences_before);
  }
  block.published_fences.resize(fences.size());
  if (std::ranges::equal(fences, block.published_fences, std::ranges::less_equal())) return;
  block.published = block.last;
  block.published_fences = std::move(fences);
  block.published_fence_barriers = block.threads[by.thread].fence_barriers;
}

void RaceTracker::fence(const Access& by) {
  Block& block = blocks_[by.block];
  Thread& own = block.thread(by.thread);
  if (by.barriers > own.fence_barriers) own.fences_before = own.fences;
  ++own.fences;
  own.fence_barriers = by.barriers;
  own.acquired = std::max(own.acquired, own.atomic);
  if (by.barriers > block.last.barriers) own.acquired = std::max(own.acquired, block.last.time);
  if (own.acquired <= block.acquired) return;
  block.acquired = own.acquired;
  block.acquired_barriers = by.barriers;
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
  if (blocks_.empty()) return false;
  const auto from = blocks_.find(before.block);
  const auto to = blocks_.find(after.block);
  return from != blocks_.end() && to != blocks_.end() && from->second.has_published(before) &&
         to->second.has_acquired(from->second.published.time, after);
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
