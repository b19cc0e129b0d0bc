#pragma once

#include <tutti/runtime/comm/comm_kernels.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/cuda/emulator.h"
#include "tests/support/cuda/peer_races.h"
#include <gtest/gtest.h>

// Ranks that are threads, for tests that look for races between their kernels
// (tests/support/cuda/peer_races.h).
namespace tutti::codegen::cuda::peer_racing {

using runtime::CommKernel;
using test::cuda::EmulatedModule;
using test::cuda::PeerRaces;

// Of kernels/device/meeting.cuh.
struct HostWords {
  std::uint32_t stop = 0;
  std::uint32_t gave_up = 0;
  std::uint64_t patience = ~std::uint64_t{0};
};
struct PeerTable {
  std::uint64_t begins[CommKernel::kMostMembers];
  std::uint64_t words;
  std::uint64_t multicast;
  HostWords* host;
  std::uint32_t position;
};
inline constexpr std::size_t kWordsBytes =
    CommKernel::kMostBlocks * (CommKernel::kMostMembers + 1) * sizeof(std::uint32_t);

inline constexpr std::uint64_t kElements = 100;  // f32, of a rank's part
inline constexpr std::size_t kPart = kElements * sizeof(float);
inline constexpr std::size_t kPlace = 4096;  // for the parts of all ranks
inline constexpr std::size_t kPlaces = 4;
inline constexpr std::size_t kBytes = kPlaces * kPlace;
inline constexpr std::uint32_t kThreads = 8;  // of a block: more than once around

class Group;
inline Group* group_with_multicast = nullptr;

// Ranks that reach each other's memory.
class Group {
 public:
  // `within`: races within a rank are errors.
  Group(int ranks, const EmulatedModule& module, bool within = true)
      : ranks_(ranks), module_(module), within_(within) {
    for (int rank = 0; rank < ranks; ++rank) {
      members_.push_back(std::make_unique<Member>());
      races_.add_memory(rank, members_.back()->memory, kBytes + kWordsBytes);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      PeerTable& table = members_[static_cast<std::size_t>(rank)]->table;
      table = {.begins = {},
               .words = kBytes,
               .multicast = reinterpret_cast<std::uint64_t>(multicast_),
               .host = &words_,
               .position = static_cast<std::uint32_t>(rank)};
      for (std::size_t peer = 0; peer < members_.size(); ++peer) {
        table.begins[peer] = reinterpret_cast<std::uint64_t>(members_[peer]->memory);
      }
    }
    group_with_multicast = this;
    test::cuda::find_multicast_by([](const void* address, void** places) {
      return group_with_multicast->find(static_cast<const std::byte*>(address), places);
    });
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { test::cuda::find_multicast_by(nullptr); }

  // Does it as every rank; the complaints.
  std::string run(const std::function<void(int rank)>& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
          __atomic_store_n(&words_.stop, 1U, __ATOMIC_RELEASE);  // nobody waits for it
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(words_.gave_up, 0U);
    return races_.complaints();
  }

  // What a rank does. The host writes an operand, and reads a result.
  void write(int rank, std::size_t place, std::size_t bytes = kPlace) {
    std::byte* const at = place_of(rank, place);
    races_.access_of_host(rank, at, bytes, true, "a copy");
    const float value = static_cast<float>(rank) + 1;
    for (std::size_t i = 0; i < bytes; i += sizeof(value)) std::memcpy(at + i, &value, 4);
  }
  float read(int rank, std::size_t place, std::size_t bytes = kPart) {
    std::byte* const at = place_of(rank, place);
    races_.access_of_host(rank, at, bytes, false, "a copy");
    float value = 0;
    std::memcpy(&value, at + bytes - sizeof(value), sizeof(value));
    return value;
  }
  // `more` are what the kernel takes behind the number of elements.
  void launch(int rank, std::size_t text, const std::string& kernel, std::size_t operand,
              std::size_t result, std::uint32_t blocks = 2, const std::vector<void*>& more = {}) {
    const PeerTable* table = &members_[static_cast<std::size_t>(rank)]->table;
    std::byte* from = place_of(rank, operand);
    std::byte* to = place_of(rank, result);
    std::uint64_t elements = kElements;
    std::vector<void*> last = more;
    std::vector<void*> arguments = {&table, &from, &to, &elements};
    for (void*& each : last) arguments.push_back(&each);
    module_.launch_together(
        text, kernel, {blocks, 1, 1}, {kThreads, 1, 1}, arguments.data(),
        [] { std::this_thread::yield(); },
        {.find_races = within_, .peers = &races_, .rank = rank, .kernel = kernel});
  }
  const PeerRaces& races() const { return races_; }

 private:
  struct Member {
    alignas(256) std::byte memory[kBytes + kWordsBytes] = {};
    PeerTable table;
  };

  std::byte* place_of(int rank, std::size_t place) {
    return members_[static_cast<std::size_t>(rank)]->memory + place * kPlace;
  }
  int find(const std::byte* address, void** places) {
    if (address < multicast_ || address >= multicast_ + kBytes) return 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      places[i] = members_[i]->memory + (address - multicast_);
    }
    return ranks_;
  }

  const int ranks_;
  const EmulatedModule& module_;
  const bool within_;
  HostWords words_;
  alignas(256) std::byte multicast_[kBytes];  // addresses, which nobody uses themselves
  std::vector<std::unique_ptr<Member>> members_;
  PeerRaces races_;
};

}  // namespace tutti::codegen::cuda::peer_racing
