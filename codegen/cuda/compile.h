#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::codegen::cuda {

// The code of each kernel for a GPU ("sm_90"), in order: from the cache, or compiled by NVRTC on as
// many threads as there are cores, and stored. Null stands for the disk cache of the process. No
// GPU is needed. Thread-safe. Throws what compile_source() throws (nvrtc.h).
std::vector<std::shared_ptr<const runtime::DeviceCode>> compile(
    std::span<const Source* const> sources, std::string_view target,
    runtime::DiskCache* cache = nullptr);

}  // namespace tutti::codegen::cuda
