#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "tests/support/cuda/emulated_block.h"

// What lets threads of a block go on that wait for each other.
namespace tutti::test::cuda {

bool EmulatedLaunch::release_warps() {
  bool any = false;
  for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
    any = release_warp(first) || any;
  }
  return any;
}

bool EmulatedLaunch::release_warp(std::size_t first) {
  const std::size_t lanes = std::min(kWarp, threads_.size() - first);
  bool any = false;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Thread& thread = threads_[first + lane];
    if (thread.state != State::at_warp) continue;
    bool complete_mask = true;
    for (std::size_t other = 0; other < kWarp; ++other) {
      if ((thread.mask >> other & 1U) == 0) continue;
      if (other >= lanes || threads_[first + other].state == State::done) {
        throw std::runtime_error(where(first + lane) +
                                 " waits at a shuffle whose mask names lane " +
                                 std::to_string(other) + ", which does not take part");
      }
      const Thread& peer = threads_[first + other];
      complete_mask = complete_mask && peer.state == State::at_warp && peer.mask == thread.mask &&
                      peer.op == thread.op;
    }
    if (!complete_mask) continue;
    complete(first, thread.mask);
    any = true;
  }
  return any;
}

void EmulatedLaunch::complete(std::size_t first, unsigned mask) {
  std::array<unsigned long long, kWarp> given{};
  unsigned long long ballot = 0;
  for (std::size_t lane = 0; lane < kWarp; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    given[lane] = threads_[first + lane].value;
    if (given[lane] != 0) ballot |= 1ULL << lane;
  }
  for (std::size_t lane = 0; lane < kWarp; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    Thread& thread = threads_[first + lane];
    thread.state = State::ready;
    if (thread.op == tutti_emulation::kSync) ++thread.warp_barriers;
    if (thread.op == tutti_emulation::kBallot) thread.value = ballot;
    if (thread.op != tutti_emulation::kShuffle) continue;
    const auto source = static_cast<unsigned>(thread.source);
    if (source >= kWarp || (mask >> source & 1U) == 0) {
      throw std::runtime_error(where(first + lane) + " shuffles from lane " +
                               std::to_string(thread.source) + ", which its mask does not name");
    }
    thread.value = given[source];
  }
  const bool syncs = threads_[first + static_cast<std::size_t>(std::countr_zero(mask))].op ==
                     tutti_emulation::kSync;
  if (peers_ != nullptr && syncs) {
    peers_->warp_barrier(block_number_, static_cast<std::uint32_t>(first), mask);
  }
}

bool EmulatedLaunch::release_barrier() {
  const auto waits = [](const Thread& thread) { return thread.state == State::at_barrier; };
  if (!std::ranges::all_of(threads_, waits)) return false;
  for (std::size_t i = 1; i < threads_.size(); ++i) {
    if (threads_[i].site == threads_[0].site) continue;
    throw std::runtime_error("a divergent barrier: " + where(0) + " waits at line " +
                             std::to_string(threads_[0].site) + ", " + where(i) + " at line " +
                             std::to_string(threads_[i].site));
  }
  ++barriers_;
  if (peers_ != nullptr) peers_->barrier(block_number_);
  for (Thread& thread : threads_) thread.state = State::ready;
  return true;
}

void EmulatedLaunch::fail_stuck() const {
  const auto find = [&](auto&& holds) {
    return static_cast<std::size_t>(std::ranges::find_if(threads_, holds) - threads_.begin());
  };
  const std::size_t waits =
      find([](const Thread& thread) { return thread.state == State::at_barrier; });
  const std::size_t other =
      find([](const Thread& thread) { return thread.state != State::at_barrier; });
  if (waits == threads_.size()) {
    throw std::runtime_error("shuffles that wait for each other, in the warp of " + where(other));
  }
  throw std::runtime_error(
      "a divergent barrier: " + where(waits) + " waits at line " +
      std::to_string(threads_[waits].site) + ", while " + where(other) +
      (threads_[other].state == State::done ? " has ended" : " waits at a shuffle"));
}

}  // namespace tutti::test::cuda
