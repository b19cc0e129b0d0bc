#pragma once

#include <tutti/ir/device.h>

#include <cstdint>

namespace tutti::runtime {

// How many GPUs this process sees, at least one; none of them is opened. Throws EnvironmentError
// that says what is missing: this build's CUDA part, a driver that works, or a GPU.
int count_gpus();

// The GPU that is a rank's own among the ranks of its host: the first one's is the first, and so
// on, by turns where there are fewer GPUs than ranks. Throws like count_gpus().
Device own_gpu(std::int64_t local_rank);

}  // namespace tutti::runtime
