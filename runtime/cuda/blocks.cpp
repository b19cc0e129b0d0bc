#include <tutti/ir/support/bytes_text.h>
#include <tutti/runtime/cuda/blocks.h>

#include <map>
#include <mutex>
#include <vector>

namespace tutti::runtime {

namespace {

struct CachesOfGpu {
  std::mutex mutex;
  std::vector<Allocator*> allocators;
};

// Each stays where it is, to the end of the process.
CachesOfGpu& caches_of(int gpu) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, CachesOfGpu>();
  const std::scoped_lock lock(mutex);
  return all[gpu];
}

CUdeviceptr block_address(void* block) { return reinterpret_cast<CUdeviceptr>(block); }

}  // namespace

void* CudaBlocks::take_again(std::size_t size) {
  void* const block = take_what_is_free(size);
  const bool more = block == nullptr && CudaCaches::trim(stream_->index());
  return more ? take_what_is_free(size) : block;
}

void* CudaBlocks::take(std::size_t size) {
  void* block = take_again(size);
  if (block == nullptr && stream_->releases().wait_for_peers_work()) {
    CudaCaches::trim(stream_->index());  // with what was put off
    block = take_what_is_free(size);
  }
  return block;
}

void* CudaBlocks::take_what_is_free(std::size_t size) {
  const CudaDriver& driver = stream_->driver();
  const CudaStream::Entered entered = stream_->enter();
  CUdeviceptr block = 0;
  const CUresult result = driver.cuMemAlloc(&block, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  driver.check(result, "cuMemAlloc", "asked for " + std::to_string(size) + " bytes");
  return reinterpret_cast<void*>(block);
}

void CudaBlocks::give_back(void* block, std::size_t /*size*/) noexcept {
  stream_->releases().release_later(
      [&driver = stream_->driver(), block] { driver.cuMemFree(block_address(block)); });
}

std::optional<MemoryRoom> CudaBlocks::room() const {
  MemoryRoom out;
  const CudaStream::Entered entered = stream_->try_enter();
  if (!entered || stream_->driver().cuMemGetInfo(&out.free, &out.total) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  return out;
}

std::string CudaBlocks::describe() const {
  const std::string name = "cuda:" + std::to_string(stream_->index());
  const std::optional<MemoryRoom> found = room();
  if (!found) return name;
  return name + " has " + bytes_text(static_cast<std::int64_t>(found->free)) + " of " +
         bytes_text(static_cast<std::int64_t>(found->total)) +
         " free, for all programs that use it";
}

CudaCaches::Member::Member(int gpu, Allocator& allocator) : gpu_(gpu), allocator_(allocator) {
  CachesOfGpu& caches = caches_of(gpu);
  const std::scoped_lock lock(caches.mutex);
  caches.allocators.push_back(&allocator);
}

CudaCaches::Member::~Member() {
  if (process_.is_copy()) return;  // another thread may have been at the list
  CachesOfGpu& caches = caches_of(gpu_);
  const std::scoped_lock lock(caches.mutex);
  std::erase(caches.allocators, &allocator_);
}

bool CudaCaches::trim(int gpu) noexcept {
  CachesOfGpu& caches = caches_of(gpu);
  const std::unique_lock lock(caches.mutex, std::try_to_lock);
  if (!lock) return false;
  for (Allocator* const allocator : caches.allocators) allocator->trim();
  return true;
}

}  // namespace tutti::runtime
