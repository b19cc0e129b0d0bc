#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tutti::codegen::cuda {

// Points of a tile along each of its axes.
inline constexpr int kTileSide = 32;
// Elements of its rows in shared memory, an odd number of words: the threads of a warp then read a
// column from as many banks.
inline std::int64_t tile_row(DType dtype) {
  return kTileSide + std::max<std::int64_t>(4 / size_of(dtype), 1);
}

// How a kernel's points are divided among threads; a function of the kernel alone, so that the same
// program gives the same bits on every device of a kind.
struct Mapping {
  enum class Kind : std::uint8_t {
    // Kernels without loops: a thread for `lanes` neighbouring outer points.
    points,
    // Kernels without loops that read something along another axis: a block of 32 by 8 threads
    // takes 32 by 32 points, of that axis and the last, through shared memory.
    tiles,
    // A team of threads for each outer point, side by side along the inner axes (threadIdx.x);
    // several teams a block (threadIdx.y) if they are no more than a warp.
    rows,
    // Threads side by side along the outer axes (threadIdx.x); a team of those with the same
    // threadIdx.x for each outer point (threadIdx.y).
    columns,
  };

  Kind kind = Kind::points;
  // Consecutive elements that a thread moves at once, along the last outer (points) or the last
  // inner axis (rows).
  int lanes = 1;
  int team = 1;            // threads that share an outer point's loops; a power of two
  int points = 1;          // outer points (points: groups of lanes) of a block
  std::int64_t parts = 1;  // blocks that share an outer point's loop (blockIdx.y)
  int tile_axis = -1;      // tiles: the outer axis other than the last
  bool wide = false;       // whether indices need 64 bits

  int threads() const { return kind == Kind::tiles ? 256 : team * points; }
};

Mapping choose_mapping(const Kernel& kernel);

// "rows: 32 threads for each of 64 outer points, 4 points a block, 4 elements at once"
std::string describe(const Kernel& kernel, const Mapping& mapping);

// Whether a load at this address is read along `tile_axis`, through shared memory.
bool goes_through_tile(const Kernel& kernel, const Mapping& mapping, const Affine& address);

// Steps of a loop over the inner axes when each takes `lanes` elements of the last.
std::int64_t inner_steps(const Kernel& kernel, int lanes);

}  // namespace tutti::codegen::cuda
