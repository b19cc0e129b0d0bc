#include "tests/support/cuda/emulated_grid.h"

#include <algorithm>
#include <string>

namespace tutti::test::cuda {

EmulatedGrid::EmulatedGrid(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                           void** arguments, const RunOptions& options) {
  const std::uint32_t threads = block[0] * block[1] * block[2];
  const std::uint32_t blocks = grid[0] * grid[1] * grid[2];
  resident_ = kMultiprocessors * std::max(1U, kResidentThreads / std::max(1U, threads));
  if (blocks > resident_) {
    why_no_wait_ = "of " + std::to_string(blocks) + " blocks the GPU has " +
                   std::to_string(resident_) + " at a time";
  }
  if (options.peers != nullptr) {
    peers_ = std::make_unique<PeerRaces::Launch>(*options.peers, options.rank, options.kernel,
                                                 blocks, threads);
  }
  const auto tracker = std::make_shared<RaceTracker>();
  for (std::uint32_t number = 0; number < blocks; ++number) {
    blocks_.push_back(
        std::make_unique<EmulatedLaunch>(entry, grid, block, arguments, options, peers_.get()));
    blocks_.back()->run_by_turns(number, tracker);
  }
}

void EmulatedGrid::run(void (*idle)()) {
  const char* const why_not = why_no_wait_.empty() ? nullptr : why_no_wait_.c_str();
  std::vector<EmulatedLaunch*> left;
  for (const auto& block : blocks_) left.push_back(block.get());
  while (!left.empty()) {
    bool ran = false;
    const auto end = left.begin() + std::min<std::ptrdiff_t>(resident_, std::ssize(left));
    const auto gone = std::remove_if(left.begin(), end, [&](EmulatedLaunch* block) {
      const EmulatedLaunch::Turn turn = block->take_turn(why_not);
      ran = ran || turn != EmulatedLaunch::Turn::waits;
      return turn == EmulatedLaunch::Turn::done;
    });
    left.erase(gone, end);
    if (!ran) idle();
  }
}

}  // namespace tutti::test::cuda
