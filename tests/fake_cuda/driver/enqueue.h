#pragma once

#include "tests/fake_cuda/driver/objects.h"

namespace tutti::fake_cuda {

// For doubles of other libraries, which put work on a stream: it runs when the stream runs, and is
// recorded when the stream records. `run` may read and write the memory that the operation touches.
// Gives what the driver would have given.
[[gnu::visibility("default")]] CUresult enqueue(CUstream stream, Operation operation);

}  // namespace tutti::fake_cuda
