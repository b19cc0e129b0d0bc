#pragma once

#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace tutti::runtime {

// Memory of a GPU, each block an allocation of the driver. A block is given back when the work on
// the stream is done, because some of it may use the block. Thread-safe.
class CudaBlocks final : public BlockSource {
 public:
  explicit CudaBlocks(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {}

  void* take(std::size_t size) override;
  void give_back(void* block, std::size_t size) noexcept override;
  bool is_of_host() const override { return false; }
  // Of the whole GPU, with all programs that use it.
  std::string describe() const override;

 private:
  std::shared_ptr<CudaStream> stream_;
};

}  // namespace tutti::runtime
