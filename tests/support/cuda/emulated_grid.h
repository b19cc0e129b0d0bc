#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/cuda/emulated_block.h"

namespace tutti::test::cuda {

// The blocks of a launch that run by turns on one thread, as many at a time as a GPU has.
class EmulatedGrid {
 public:
  EmulatedGrid(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
               void** arguments, const RunOptions& options);

  void run(void (*idle)());

 private:
  std::uint32_t resident_;  // blocks that are there at a time
  std::string why_no_wait_;
  std::unique_ptr<PeerRaces::Launch> peers_;
  // All to the end: what runs later has the address of an earlier one's functions.
  std::vector<std::unique_ptr<EmulatedLaunch>> blocks_;
};

}  // namespace tutti::test::cuda
