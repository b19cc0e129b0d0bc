#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/comm_memory.h>

#include <memory>

namespace tutti::runtime {

namespace {

kernels::SharedBlock& header_of(Buffer& block) {
  return *reinterpret_cast<kernels::SharedBlock*>(block.data());
}

}  // namespace

std::shared_ptr<Buffer> CommMemory::take_or_reclaim(std::size_t bytes, const MemoryLabel& label) {
  std::shared_ptr<Buffer> block = take(bytes, label);
  // In a process that was forked off, peers' holds never end, and another thread may have been
  // here.
  if (block != nullptr || is_forked_off()) return block;
  reclaim();
  return take(bytes, label);
}

std::shared_ptr<Buffer> CommMemory::allocate(std::size_t bytes, const MemoryLabel& label) {
  std::shared_ptr<Buffer> block = take_or_reclaim(bytes, label);
  if (block != nullptr) return block;
  throw OutOfMemoryError(out_of_memory_text(bytes, label, *use_, full(bytes)), label.where);
}

std::shared_ptr<Buffer> CommMemory::allocate_anywhere(std::size_t bytes, const MemoryLabel& label) {
  std::shared_ptr<Buffer> block = take_or_reclaim(bytes, label);
  return block != nullptr ? block : ordinary_.allocate(bytes, label);
}

std::uint64_t CommMemory::lend(std::size_t bytes, std::uint32_t holders, const MemoryLabel& label) {
  reclaim();
  std::shared_ptr<Buffer> block = take(sizeof(kernels::SharedBlock) + bytes, label);
  if (block == nullptr) return 0;
  kernels::SharedBlock* header = std::construct_at(&header_of(*block));
  header->holders.store(holders, std::memory_order_relaxed);  // published with the arrival record
  const std::uint64_t place = place_of(header + 1);
  const std::scoped_lock lock(mutex_);
  lent_.push_back(std::move(block));
  return place;
}

std::shared_ptr<Buffer> CommMemory::hold(std::uint64_t place, std::size_t bytes) {
  auto* const data = pointer_to<std::byte>(place);
  auto* const header = reinterpret_cast<kernels::SharedBlock*>(data) - 1;
  auto out = holds_.wrap(data, bytes, [kept = keep_alive(), this, header](void* held) {
    forget_in_forks(static_cast<std::byte*>(held));
    if (closed_.load() || is_forked_off()) return;
    header->holders.fetch_sub(1, std::memory_order_release);
  });
  keep_in_forks(data, bytes);
  return out;
}

std::shared_ptr<Buffer> CommMemory::look_at(std::uint64_t place, std::size_t bytes) {
  return holds_.wrap(pointer_to<std::byte>(place), bytes, [kept = keep_alive()](void*) {});
}

void CommMemory::take_back(std::uint64_t place) {
  (pointer_to<kernels::SharedBlock>(place) - 1)->holders.store(0, std::memory_order_release);
}

void CommMemory::reclaim() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(lent_, [](const std::shared_ptr<Buffer>& block) {
    return header_of(*block).holders.load(std::memory_order_acquire) == 0;
  });
}

}  // namespace tutti::runtime
