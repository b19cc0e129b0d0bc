#include "tests/support/cuda/peer_races.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tutti::test::cuda {

unsigned long long load_word(const void* word, unsigned bytes) {
  if (bytes == 4) return __atomic_load_n(static_cast<const std::uint32_t*>(word), __ATOMIC_ACQUIRE);
  return __atomic_load_n(static_cast<const std::uint64_t*>(word), __ATOMIC_ACQUIRE);
}

void store_word(void* word, unsigned bytes, unsigned long long value) {
  if (bytes == 4) {
    const auto narrow = static_cast<std::uint32_t>(value);
    __atomic_store_n(static_cast<std::uint32_t*>(word), narrow, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(static_cast<std::uint64_t*>(word), value, __ATOMIC_RELEASE);
  }
}

// ---- Clocks ----

bool PeerRaces::Clock::knows(const Time& time) const {
  if (time.phase == 0) return true;
  if (time.block < phases.size() && time.phase < phases[time.block]) return true;
  const auto found = alone.find(std::uint64_t{time.block} << 32 | time.thread);
  return found != alone.end() && found->second.phase == time.phase &&
         time.releases <= found->second.releases;
}

void PeerRaces::Clock::add(const Time& time) {
  if (knows(time)) return;
  alone[std::uint64_t{time.block} << 32 | time.thread] = time;
}

void PeerRaces::Clock::join(const Clock& other) {
  if (phases.size() < other.phases.size()) phases.resize(other.phases.size());
  for (std::size_t i = 0; i < other.phases.size(); ++i) {
    phases[i] = std::max(phases[i], other.phases[i]);
  }
  for (const auto& [thread, time] : other.alone) {
    // A later phase of the thread says more than an earlier one, whose block was at a barrier.
    const auto found = alone.find(thread);
    if (found == alone.end() || found->second.phase <= time.phase) add(time);
  }
  std::erase_if(alone, [&](const auto& each) {
    const Time& time = each.second;
    return time.block < phases.size() && time.phase < phases[time.block];
  });
}

void PeerRaces::gather(Block& block) {
  for (Thread& thread : block.threads) {
    if (thread.acquired.phases.empty() && thread.acquired.alone.empty()) continue;
    block.known.join(thread.acquired);
    thread.acquired = {};
  }
}

std::uint32_t PeerRaces::number_of(int rank, std::uint32_t block) {
  return static_cast<std::uint32_t>(static_cast<std::size_t>(rank) * kMostBlocks + block);
}

PeerRaces::Time PeerRaces::time_of(int rank, std::uint32_t block, std::uint32_t thread) const {
  const Rank& own = ranks_[static_cast<std::size_t>(rank)];
  return {.block = number_of(rank, block),
          .thread = thread,
          .phase = own.phases[block],
          .releases = own.blocks[block].threads[thread].releases};
}

PeerRaces::Clock PeerRaces::release(int rank, std::uint32_t block, std::uint32_t thread) {
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  Thread& by = own.blocks[block].threads[thread];
  Clock out = own.blocks[block].known;
  out.join(by.acquired);
  // Of its own block what lies behind the last barrier, and of itself all.
  const std::uint32_t number = number_of(rank, block);
  if (out.phases.size() <= number) out.phases.resize(number + 1);
  out.phases[number] = own.phases[block];
  out.add(time_of(rank, block, thread));
  ++by.releases;
  return out;
}

// ---- Launches ----

std::uint32_t PeerRaces::begin_launch(int rank, const std::string& kernel, std::uint32_t blocks,
                                      std::uint32_t threads) {
  const std::scoped_lock lock(mutex_);
  Rank& own = ranks_.at(static_cast<std::size_t>(rank));
  if (!own.blocks.empty()) throw std::logic_error("launches of a rank come one after another");
  if (blocks > kMostBlocks) throw std::logic_error("more blocks than races are looked for among");
  own.blocks.resize(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    ++own.phases[i];
    own.blocks[i].known = own.known;
    own.blocks[i].threads.resize(threads);
  }
  launches_.push_back(kernel);
  return static_cast<std::uint32_t>(launches_.size() - 1);
}

void PeerRaces::end_launch(int rank) {
  const std::scoped_lock lock(mutex_);
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  own.known.phases.resize(kMostRanks * kMostBlocks);
  for (std::uint32_t i = 0; i < own.blocks.size(); ++i) {
    gather(own.blocks[i]);
    own.known.phases[number_of(rank, i)] = own.phases[i] + 1;
    own.known.join(own.blocks[i].known);
  }
  own.blocks.clear();
}

PeerRaces::Launch::Launch(PeerRaces& races, int rank, const std::string& kernel,
                          std::uint32_t blocks, std::uint32_t threads)
    : races_(races), rank_(rank), number_(races.begin_launch(rank, kernel, blocks, threads)) {}

PeerRaces::Launch::~Launch() { races_.end_launch(rank_); }

void PeerRaces::Launch::barrier(std::uint32_t block) {
  const std::scoped_lock lock(races_.mutex_);
  Rank& own = races_.ranks_[static_cast<std::size_t>(rank_)];
  gather(own.blocks[block]);
  ++own.phases[block];
  for (Thread& thread : own.blocks[block].threads) thread.releases = 0;
}

void PeerRaces::Launch::warp_barrier(std::uint32_t block, std::uint32_t first, unsigned mask) {
  const std::scoped_lock lock(races_.mutex_);
  std::vector<Thread>& threads =
      races_.ranks_[static_cast<std::size_t>(rank_)].blocks[block].threads;
  Clock all;
  for (std::uint32_t i = first; i < threads.size() && i < first + 32; ++i) {
    if ((mask >> (i - first) & 1U) == 0) continue;
    all.join(threads[i].acquired);
    all.add(races_.time_of(rank_, block, i));
    ++threads[i].releases;
  }
  for (std::uint32_t i = first; i < threads.size() && i < first + 32; ++i) {
    if ((mask >> (i - first) & 1U) != 0) threads[i].acquired.join(all);
  }
}

void PeerRaces::Launch::atomic(std::uint32_t block, std::uint32_t thread) {
  const std::scoped_lock lock(races_.mutex_);
  Rank& own = races_.ranks_[static_cast<std::size_t>(rank_)];
  own.atomics.join(races_.release(rank_, block, thread));
  own.blocks[block].threads[thread].acquired.join(own.atomics);
}

unsigned long long PeerRaces::Launch::load_acquire(std::uint32_t block, std::uint32_t thread,
                                                   const void* word, unsigned bytes) {
  const std::scoped_lock lock(races_.mutex_);
  const unsigned long long now = load_word(word, bytes);
  const auto found = races_.words_.find(word);
  if (found == races_.words_.end()) return now;
  std::deque<Store>& stores = found->second;
  if (stores.back().value != now) {  // the host has written it
    races_.words_.erase(found);
    return now;
  }
  // The one behind the last that the thread knows of.
  std::size_t next = stores.size() - 1;
  while (next > 0 && !races_.knows(rank_, block, thread, stores[next - 1].time)) --next;
  if (races_.knows(rank_, block, thread, stores.back().time)) next = stores.size() - 1;
  Rank& own = races_.ranks_[static_cast<std::size_t>(rank_)];
  own.blocks[block].threads[thread].acquired.join(stores[next].clock);
  return stores[next].value;
}

void PeerRaces::Launch::store_release(std::uint32_t block, std::uint32_t thread, void* word,
                                      unsigned bytes, unsigned long long value) {
  constexpr std::size_t most = 64;  // to forget older ones is right, too
  const std::scoped_lock lock(races_.mutex_);
  std::deque<Store>& stores = races_.words_[word];
  const unsigned long long now = load_word(word, bytes);
  if (stores.empty() || stores.back().value != now) stores = {{now, {}, {}}};
  const Time time = races_.time_of(rank_, block, thread);
  if (bytes == 4) value = static_cast<std::uint32_t>(value);  // of a signed one
  stores.push_back({.value = value, .time = time, .clock = races_.release(rank_, block, thread)});
  if (stores.size() > most) stores.pop_front();
  store_word(word, bytes, value);
}

// ---- Memory ----

void PeerRaces::add_memory(int rank, const void* begin, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  ranges_.push_back({.rank = rank,
                     .begin = reinterpret_cast<std::uintptr_t>(begin),
                     .cells = std::vector<Cell>(bytes)});
}

PeerRaces::Range* PeerRaces::find(std::uintptr_t address) {
  const auto found = std::ranges::find_if(ranges_, [=](const Range& range) {
    return address >= range.begin && address - range.begin < range.cells.size();
  });
  return found == ranges_.end() ? nullptr : &*found;
}

void PeerRaces::access_of_host(int rank, const void* begin, std::size_t bytes, bool write,
                               const std::string& what) {
  Launch(*this, rank, what, 1, 1).access(0, 0, begin, bytes, write);
}

bool PeerRaces::knows(int rank, std::uint32_t block, std::uint32_t thread, const Time& time) const {
  const Block& own = ranks_[static_cast<std::size_t>(rank)].blocks[block];
  return own.known.knows(time) || own.threads[thread].acquired.knows(time);
}

bool PeerRaces::ordered(const Access& before, int rank, std::uint32_t block,
                        std::uint32_t thread) const {
  return before.time.block / kMostBlocks == static_cast<unsigned>(rank) ||
         knows(rank, block, thread, before.time);
}

void PeerRaces::Launch::access(std::uint32_t block, std::uint32_t thread, const void* begin,
                               std::size_t bytes, bool write) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  Range* const range = races_.find(address);
  if (range == nullptr) return;
  const std::scoped_lock lock(races_.mutex_);
  const Access by{.time = races_.time_of(rank_, block, thread), .launch = number_};
  const std::size_t first = address - range->begin;
  const std::size_t end = std::min(first + bytes, range->cells.size());
  races_.seen_ += end - first;
  for (std::size_t at = first; at < end; ++at) {
    Cell& cell = range->cells[at];
    if (!races_.ordered(cell.writer, rank_, block, thread)) {
      races_.complain(*range, at, cell.writer, by, true, write);
    }
    if (!write) {
      cell.readers[static_cast<std::size_t>(rank_)] = by;
      continue;
    }
    for (const Access& reader : cell.readers) {
      if (!races_.ordered(reader, rank_, block, thread)) {
        races_.complain(*range, at, reader, by, false, true);
      }
    }
    cell = {.writer = by, .readers = {}};
  }
}

// ---- Complaints ----

std::string PeerRaces::who(const Access& access) const {
  return "rank " + std::to_string(access.time.block / kMostBlocks) + " (" +
         launches_[access.launch] + ", thread " + std::to_string(access.time.thread) +
         " of block " + std::to_string(access.time.block % kMostBlocks) + ")";
}

void PeerRaces::complain(const Range& range, std::size_t offset, const Access& before,
                         const Access& after, bool wrote, bool writes) {
  const std::string kind =
      (writes ? " writes" : " reads") + std::string(wrote ? " wrote" : " read");
  if (!known_complaints_.insert(launches_[before.launch] + " " + launches_[after.launch] + kind)
           .second) {
    return;
  }
  complaints_ += "a race between ranks: " + who(after) + (writes ? " writes" : " reads") +
                 " byte " + std::to_string(offset) + " of the memory of rank " +
                 std::to_string(range.rank) + ", which " + who(before) +
                 (wrote ? " wrote" : " read") + ", and nothing orders the two\n";
}

std::string PeerRaces::complaints() const {
  const std::scoped_lock lock(mutex_);
  return complaints_;
}

std::size_t PeerRaces::seen() const {
  const std::scoped_lock lock(mutex_);
  return seen_;
}

}  // namespace tutti::test::cuda
