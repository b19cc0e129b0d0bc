#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::test::cuda {

// Words of 4 or 8 bytes that others write and read meanwhile.
unsigned long long load_word(const void* word, unsigned bytes);
void store_word(void* word, unsigned bytes, unsigned long long value);

// Finds pairs of accesses of two ranks to the same bytes, one of them a write, that nothing orders:
// of kernels that run on threads of this process, in the memory that was added here. What orders
// them is a word that one stores with release and the other loads with acquire
// (store_release_system and load_acquire_system of meeting.cuh), with what the barriers of the
// blocks on both sides add; launches and copies of one rank come one after another.
//
// Who comes first does not matter: who loads a word gets the values that were stored one after
// another, as late as a GPU might see them, or one that is far behind would be ordered after what
// it should not count on.
//
// Two accesses of one rank are never complained of. An atomic is ordered after all atomics of its
// rank before it, with fences or without: whether those are there, the RaceTracker says. Of each
// byte it remembers the last writer, and of each rank the last reader. Thread-safe.
class PeerRaces {
 public:
  static constexpr std::size_t kMostRanks = 8;
  static constexpr std::size_t kMostBlocks = 64;

  // Memory of a rank that others reach. Before the first launch.
  void add_memory(int rank, const void* begin, std::size_t bytes);

  // What the host or a copy does with such memory, in the order of the rank's launches.
  void access_of_host(int rank, const void* begin, std::size_t bytes, bool write,
                      const std::string& what);

  // A launch of a rank, one at a time, of blocks numbered from 0.
  class Launch {
   public:
    Launch(PeerRaces& races, int rank, const std::string& kernel, std::uint32_t blocks,
           std::uint32_t threads);
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    ~Launch();

    // By a thread of a block.
    void access(std::uint32_t block, std::uint32_t thread, const void* begin, std::size_t bytes,
                bool write);
    unsigned long long load_acquire(std::uint32_t block, std::uint32_t thread, const void* word,
                                    unsigned bytes);
    void store_release(std::uint32_t block, std::uint32_t thread, void* word, unsigned bytes,
                       unsigned long long value);
    void atomic(std::uint32_t block, std::uint32_t thread);
    // All threads of the block have met, or the lanes of a warp that the mask names.
    void barrier(std::uint32_t block);
    void warp_barrier(std::uint32_t block, std::uint32_t first, unsigned mask);

   private:
    PeerRaces& races_;
    const int rank_;
    const std::uint32_t number_;
  };

  // A line for each two kernels and kinds of accesses; empty: there were no races.
  std::string complaints() const;
  // Of memory that was added, in bytes: nothing is found where nobody looks.
  std::size_t seen() const;

 private:
  // When something was done. The phases of a block's place in the grid are what lies between its
  // barriers, and go on from launch to launch; 0: never.
  struct Time {
    std::uint32_t block = 0;  // of all ranks
    std::uint32_t thread = 0;
    std::uint32_t phase = 0;
    std::uint32_t releases = 0;  // of the thread before it, in the phase
  };
  // What somebody knows to be over.
  struct Clock {
    std::vector<std::uint32_t> phases;    // of each block all before this one
    std::map<std::uint64_t, Time> alone;  // of single threads more than that
    void join(const Clock& other);
    void add(const Time& time);  // all of the thread up to it
    bool knows(const Time& time) const;
  };
  struct Thread {
    Clock acquired;  // that its block does not know yet
    std::uint32_t releases = 0;
  };
  struct Block {
    Clock known;
    std::vector<Thread> threads;
  };
  struct Rank {
    Clock known;    // at the end of its last launch
    Clock atomics;  // what its atomics have made known
    std::vector<Block> blocks;
    std::array<std::uint32_t, kMostBlocks> phases{};
  };
  // A value of a word, and what comes with it.
  struct Store {
    unsigned long long value = 0;
    Time time;
    Clock clock;
  };
  struct Access {
    Time time;
    std::uint32_t launch = 0;
  };
  struct Cell {
    Access writer;
    std::array<Access, kMostRanks> readers;
  };
  struct Range {
    int rank = 0;
    std::uintptr_t begin = 0;
    std::vector<Cell> cells;
  };

  static std::uint32_t number_of(int rank, std::uint32_t block);
  std::uint32_t begin_launch(int rank, const std::string& kernel, std::uint32_t blocks,
                             std::uint32_t threads);
  void end_launch(int rank);
  Range* find(std::uintptr_t address);
  Time time_of(int rank, std::uint32_t block, std::uint32_t thread) const;
  bool knows(int rank, std::uint32_t block, std::uint32_t thread, const Time& time) const;
  bool ordered(const Access& before, int rank, std::uint32_t block, std::uint32_t thread) const;
  // All that the block's threads know becomes the block's.
  static void gather(Block& block);
  // What a thread tells others.
  Clock release(int rank, std::uint32_t block, std::uint32_t thread);
  void complain(const Range& range, std::size_t offset, const Access& before, const Access& after,
                bool wrote, bool writes);
  std::string who(const Access& access) const;

  mutable std::mutex mutex_;
  std::vector<Range> ranges_;  // the same all the time that kernels run
  std::array<Rank, kMostRanks> ranks_;
  std::unordered_map<const void*, std::deque<Store>> words_;  // what they had, the last one last
  std::vector<std::string> launches_;
  std::set<std::string> known_complaints_;
  std::string complaints_;
  std::size_t seen_ = 0;
};

}  // namespace tutti::test::cuda
