#include <tutti/ir/support/bytes_text.h>
#include <tutti/runtime/cuda/blocks.h>

#include <mutex>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

std::mutex g_mutex;  // of what follows
std::vector<std::pair<int, Allocator*>> g_caches;

CUdeviceptr block_address(void* block) { return reinterpret_cast<CUdeviceptr>(block); }

}  // namespace

void* CudaBlocks::take(std::size_t size) {
  void* block = take_what_is_free(size);
  if (block == nullptr && CudaCaches::trim(stream_->index())) block = take_what_is_free(size);
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
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) stream_->driver().cuMemFree(block_address(block));
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

CudaCaches::Member::Member(int gpu, Allocator& allocator) : allocator_(allocator) {
  const std::scoped_lock lock(g_mutex);
  g_caches.emplace_back(gpu, &allocator);
}

CudaCaches::Member::~Member() {
  const std::scoped_lock lock(g_mutex);
  std::erase_if(g_caches, [this](const auto& each) { return each.second == &allocator_; });
}

bool CudaCaches::trim(int gpu) noexcept {
  const std::unique_lock lock(g_mutex, std::try_to_lock);
  if (!lock) return false;
  for (const auto& [of, allocator] : g_caches) {
    if (of == gpu) allocator->trim();
  }
  return true;
}

}  // namespace tutti::runtime
