#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::test::cuda {

// The stacks of a block's fibers; kept for the next block.
class Stacks {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} << 10;

  Stacks() = default;
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  void reserve(std::size_t count);
  // Lets the address sanitizer forget the frames of fibers that were left in their middle.
  void forget();
  // The address behind the last byte of a stack.
  void* top(std::size_t number) const { return memory_ + (number + 1) * kBytes; }
  bool contains(std::uintptr_t address) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
    return address >= begin && address < begin + bytes_;
  }

 private:
  void release();

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// Stacks for the next launch; for ever, since launches may be made while the process ends.
class StackPool {
 public:
  static StackPool& process() {
    static auto* const pool = new StackPool;
    return *pool;
  }
  std::unique_ptr<Stacks> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<Stacks>();
    auto out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  void give(std::unique_ptr<Stacks> stacks) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(stacks));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stacks>> free_;
};

}  // namespace tutti::test::cuda
