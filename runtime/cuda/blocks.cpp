#include <tutti/runtime/cuda/blocks.h>

namespace tutti::runtime {

namespace {

CUdeviceptr block_address(void* block) { return reinterpret_cast<CUdeviceptr>(block); }

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

void* CudaBlocks::take(std::size_t size) {
  const CudaDriver& driver = stream_->driver();
  stream_->enter();
  CUdeviceptr block = 0;
  const CUresult result = driver.cuMemAlloc(&block, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  driver.check(result, "cuMemAlloc", "asked for " + std::to_string(size) + " bytes");
  return reinterpret_cast<void*>(block);
}

void CudaBlocks::give_back(void* block, std::size_t /*size*/) noexcept {
  if (stream_->try_synchronize()) stream_->driver().cuMemFree(block_address(block));
}

std::string CudaBlocks::describe() const {
  std::size_t free = 0;
  std::size_t total = 0;
  const std::string name = "cuda:" + std::to_string(stream_->index());
  if (!stream_->try_enter() || stream_->driver().cuMemGetInfo(&free, &total) != CUDA_SUCCESS) {
    return name;
  }
  return name + " has " + std::to_string(free >> 20) + " of " + mebibytes(total) +
         " free, for all programs that use it";
}

}  // namespace tutti::runtime
