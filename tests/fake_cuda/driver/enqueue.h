#pragma once

#include "tests/fake_cuda/driver/objects.h"

namespace tutti::fake_cuda {

// For doubles of other libraries, which put work on a stream: it runs when the stream runs, and is
// recorded when the stream records. `run` may read and write the memory that the operation touches.
// Gives what the driver would have given.
[[gnu::visibility("default")]] CUresult enqueue(CUstream stream, Operation operation);
// Whether it records; and whether any stream of the current context does.
[[gnu::visibility("default")]] bool is_recording(CUstream stream);
[[gnu::visibility("default")]] bool is_anything_recording();

// Whether a test reads what the doubles log and complain of.
[[gnu::visibility("default")]] bool keeps_log();

// Runs what can run of a stream now, without waiting. From any thread: a double whose work waits
// for other ranks calls it until it is done, since the host may be elsewhere.
[[gnu::visibility("default")]] void advance(CUstream stream);

// The mapped memory (cuMemMap) that holds these bytes on the current context's device; no bytes
// where they lie elsewhere.
[[gnu::visibility("default")]] DeviceRange mapped_range(CUdeviceptr begin, std::size_t bytes);

// Whether devices can give their memory to other hosts, and what is mapped from there on was not
// made for that.
[[gnu::visibility("default")]] bool lacks_fabric_handles(CUdeviceptr begin);

// While it is watched, under that name, to unmap it is complained of.
[[gnu::visibility("default")]] void watch(const DeviceRange& range, const std::string& name);
[[gnu::visibility("default")]] void unwatch(const DeviceRange& range, const std::string& name);

}  // namespace tutti::fake_cuda
