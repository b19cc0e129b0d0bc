#pragma once

#include <tutti/ir/device.h>
#include <tutti/ir/support/location.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace tutti::runtime {
struct Context;
}

// How much memory the calling thread's rank uses on a device. Counted is what Tutti allocates for
// it: tensors, what programs keep while they run, results and copies of collectives, workspaces of
// kernels. Not counted are compiled code, memory of others that tensors look at (DLPack, mapped
// files), and what libraries have for themselves. All sizes are bytes, rounded up to whole blocks.
namespace tutti {

// A piece of memory, and who asked for it.
struct MemoryBlock {
  std::size_t bytes = 0;
  // The op or kernel that makes what lies there ("matmul"), or what else it is ("data"). Where a
  // result took an argument's memory over, still the argument's.
  std::string op;
  // The user's line of that; unknown() where there is none. Of an evaluation of lazy tensors whose
  // program was recorded elsewhere before, it may be that line.
  Location where;

  // "64 MiB for matmul (train.cpp:41)"
  std::string text() const;
};

struct MemoryStats {
  Device device;
  std::size_t bytes_in_use = 0;
  std::size_t peak_bytes_in_use = 0;  // the most since reset_peak_memory_stats(), or the beginning
  // Free, and kept for later: a block of that size costs nothing then. Host: at most 4 GiB; a GPU:
  // TUTTI_GPU_CACHE.
  std::size_t bytes_cached = 0;
  std::uint64_t allocations = 0;  // so far
  // Those of them for which nothing was kept, so that the system or the driver was asked. It stays
  // as it is where steps are alike.
  std::uint64_t new_blocks = 0;
  // What the device has free for all programs, and altogether; nothing where the system does not
  // tell. The host's is that of the container, if that may have less.
  std::optional<std::size_t> bytes_free;
  std::optional<std::size_t> bytes_limit;

  // Up to 8 blocks that are in use, the largest first.
  std::vector<MemoryBlock> largest;
  // When most was in use: for what memory was just asked (the number of bytes is the peak itself),
  // and the largest blocks. `peak` is the largest of them after a reset, until there is more.
  MemoryBlock peak;
  std::vector<MemoryBlock> largest_at_peak;
  // What compiled programs keep while they run lies in one block for all of them: the largest
  // values in it, of the program that needs most. Not all of them are there at the same time.
  std::vector<MemoryBlock> largest_in_programs;

  // All of it for people, several lines.
  std::string text() const;
};

// Of one device, the host's by default. What is recorded and not yet computed needs no memory.
// Throws EnvironmentError if there is no such GPU, UsageError for Device::any().
MemoryStats memory_stats(Device device = Device::cpu(),
                         std::source_location at = std::source_location::current());

// From now on the peak is what is in use, until there is more. Throws like memory_stats().
void reset_peak_memory_stats(Device device = Device::cpu(),
                             std::source_location at = std::source_location::current());

namespace detail {

// Of a rank with such a runtime.
MemoryStats memory_stats_of(runtime::Context& context, Device device);

}  // namespace detail

}  // namespace tutti
