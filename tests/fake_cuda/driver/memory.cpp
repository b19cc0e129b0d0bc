#include "tests/fake_cuda/driver/memory.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <sys/mman.h>

namespace tutti::fake_cuda {

namespace {

constexpr std::size_t kAddresses = std::size_t{1} << 36;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMargin = 512;  // on both sides of a block
constexpr unsigned char kMarginByte = 0xC6;

std::size_t place_bytes(std::size_t bytes) {
  return (bytes + 2 * kMargin + kPage - 1) / kPage * kPage;
}

bool is_margin(const unsigned char* begin, std::size_t bytes) {
  return std::all_of(begin, begin + bytes, [](unsigned char at) { return at == kMarginByte; });
}

}  // namespace

Memory::Memory() {
  void* const base =
      mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::runtime_error("the double of CUDA gets no addresses");
  base_ = static_cast<std::byte*>(base);
}

Memory::~Memory() { munmap(base_, kAddresses); }

std::uintptr_t Memory::take_place(std::size_t size) {
  auto& free = free_[size];
  if (!free.empty()) {
    const std::uintptr_t place = free.back();
    free.pop_back();
    return place;
  }
  if (size > kAddresses - used_) return 0;
  used_ += size;
  return reinterpret_cast<std::uintptr_t>(base_) + used_ - size;
}

void Memory::fill(const Block& block, bool with_margins_only) {
  const Open opened(*this);
  protect(PROT_READ | PROT_WRITE);
  const std::uintptr_t end = block.begin + block.bytes;
  const auto set = [](std::uintptr_t begin, unsigned char byte, std::size_t bytes) {
    std::memset(reinterpret_cast<void*>(begin), byte, bytes);
  };
  set(block.place, kMarginByte, block.begin - block.place);
  set(end, kMarginByte, block.place + block.place_bytes - end);
  if (!with_margins_only) set(block.begin, kPoison, block.bytes);
}

std::uintptr_t Memory::allocate(int device, std::size_t bytes) {
  const std::size_t size = place_bytes(bytes);
  const std::uintptr_t place = take_place(size);
  if (place == 0) return 0;
  const std::uintptr_t begin = place + kMargin;
  blocks_[begin] = {.begin = begin,
                    .bytes = bytes,
                    .device = device,
                    .number = ++count_,
                    .place = place,
                    .place_bytes = size};
  fill(blocks_[begin]);
  return begin;
}

bool Memory::free(std::uintptr_t begin) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end() || found->second.mapped) return false;
  const Block& block = found->second;
  madvise(reinterpret_cast<void*>(block.place), block.place_bytes, MADV_DONTNEED);
  free_[block.place_bytes].push_back(block.place);
  blocks_.erase(found);
  return true;
}

std::uintptr_t Memory::reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t size = bytes + alignment + 2 * kPage;
  const std::uintptr_t place = take_place(size);
  if (place == 0) return 0;
  const std::uintptr_t begin = (place + kPage + alignment - 1) / alignment * alignment;
  reserved_[begin] = {.begin = place, .bytes = size};
  return begin;
}

void Memory::release(std::uintptr_t begin) {
  const auto place = reserved_.extract(begin);
  free_[place.mapped().bytes].push_back(place.mapped().begin);
}

void Memory::map(int device, std::uintptr_t begin, std::size_t bytes, int file, bool is_new) {
  const int protection = opened_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
  if (mmap(reinterpret_cast<void*>(begin), bytes, protection, MAP_SHARED | MAP_FIXED, file, 0) ==
      MAP_FAILED) {
    throw std::runtime_error("the double of CUDA can't map its memory");
  }
  blocks_[begin] = {.begin = begin,
                    .bytes = bytes,
                    .device = device,
                    .number = ++count_,
                    .place = begin - kPage,
                    .place_bytes = bytes + 2 * kPage,
                    .mapped = true};
  fill(blocks_[begin], !is_new);
}

bool Memory::unmap(std::uintptr_t begin) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end() || !found->second.mapped) return false;
  mmap(reinterpret_cast<void*>(begin), found->second.bytes,
       opened_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  blocks_.erase(found);
  return true;
}

const Memory::Block* Memory::find(std::uintptr_t address, std::size_t bytes) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = (--after)->second;
  const std::size_t offset = address - block.begin;
  return offset <= block.bytes && bytes <= block.bytes - offset ? &block : nullptr;
}

std::string Memory::name(std::uintptr_t address) const {
  std::ostringstream out;
  const Block* const block = find(address, 0);
  if (block == nullptr) {
    out << "0x" << std::hex << address;
    return out.str();
  }
  out << "memory" << block->number;
  if (address != block->begin) out << "+" << address - block->begin;
  return out.str();
}

std::vector<Memory::Block> Memory::blocks() const {
  std::vector<Block> out;
  for (const auto& [begin, block] : blocks_) out.push_back(block);
  return out;
}

bool Memory::is_intact(const Block& block) const {
  const auto* const begin = reinterpret_cast<const unsigned char*>(block.begin);
  const std::size_t behind = block.place + block.place_bytes - block.begin - block.bytes;
  return is_margin(begin - kMargin, kMargin) &&
         is_margin(begin + block.bytes, std::min(behind, kMargin));
}

void Memory::open() {
  if (opened_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void Memory::close() {
  if (--opened_ == 0) protect(PROT_NONE);
}

void Memory::protect(int protection) const {
  if (used_ > 0 && mprotect(base_, used_, protection) != 0) {
    throw std::runtime_error("the double of CUDA can't protect its memory");
  }
}

}  // namespace tutti::fake_cuda
