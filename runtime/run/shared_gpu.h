#pragma once

#include <tutti/ir/device.h>
#include <tutti/runtime/comm/backend.h>

namespace tutti::runtime {

// To be called when a rank first uses a GPU. Warns, once for all ranks, where two that a launcher
// has started use the same one, though there is one for each: `Device::cuda()` is the first GPU in
// every process. Says nothing where NCCL_MULTI_RANK_GPU_ENABLE=1 does: ranks are to share one.
void warn_of_shared_gpu(Backend& backend, Device device);

}  // namespace tutti::runtime
