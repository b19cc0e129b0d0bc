#pragma once

#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/cuda/stream.h>
#include <tutti/runtime/process_mark.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::runtime {

// Memory of a GPU, each block an allocation of the driver. Where there is no more, all ranks of
// this process give back what they keep free of it, and the rank's thread waits for collectives
// that are under way, which put that off. Thread-safe.
class CudaBlocks final : public BlockSource {
 public:
  explicit CudaBlocks(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {}

  void* take(std::size_t size) override;
  void* take_again(std::size_t size) override;
  // The same without asking anybody to give something back; null if there is no room.
  void* take_what_is_free(std::size_t size);
  // When nothing on the stream uses it, and nothing runs that waits for other ranks.
  void give_back(void* block, std::size_t size) noexcept override;
  void flush() noexcept override { stream_->releases().flush(); }
  bool is_of_host() const override { return false; }
  // Of the whole GPU, with all programs that use it.
  std::string describe() const override;
  std::optional<MemoryRoom> room() const override;

 private:
  std::shared_ptr<CudaStream> stream_;
};

// What the ranks of this process keep of each GPU's memory, free, for later.
class CudaCaches {
 public:
  // While one lives, the allocator is one of those.
  class Member {
   public:
    Member(int gpu, Allocator& allocator);
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member();

   private:
    const int gpu_;
    Allocator& allocator_;
    const ProcessMark process_;
  };

  // Gives back all that is free on a GPU, and what was put off; false if somebody is at it there,
  // who is not waited for: he may wait for the caller.
  static bool trim(int gpu) noexcept;
};

}  // namespace tutti::runtime
