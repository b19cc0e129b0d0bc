// What an accelerator promises, on whatever GPU is there.

#include <tutti/runtime/run/open_accelerator.h>

#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/gpu.h"
#include <gtest/gtest.h>

namespace tutti::runtime::gpu_accelerator_test {
namespace {

class GpuAccelerator : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gpu()) GTEST_SKIP() << "this build has no CUDA";
    gpu_ = open_accelerator(Device::cuda());
  }
  std::shared_ptr<Buffer> put(const std::vector<std::uint8_t>& bytes) {
    auto buffer = gpu_->memory().allocate(bytes.size());
    gpu_->copy_in(buffer->data(), bytes.data(), bytes.size());
    return buffer;
  }
  std::vector<std::uint8_t> get(const Buffer& buffer) {
    std::vector<std::uint8_t> bytes(buffer.bytes());
    gpu_->copy_out(bytes.data(), buffer.data(), bytes.size());
    return bytes;
  }

  std::unique_ptr<Accelerator> gpu_;
};

std::vector<std::uint8_t> pattern(std::size_t count, unsigned seed) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 31 + (i >> 8) * 7 + seed);
  }
  return bytes;
}

TEST_F(GpuAccelerator, BringsBytesThereAndBack) {
  for (const std::size_t bytes : {1UL, 255UL, 4096UL, 1UL << 20, (9UL << 20) + 3}) {
    const auto wanted = pattern(bytes, 1);
    const auto buffer = put(wanted);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 256, 0U);
    EXPECT_EQ(get(*buffer), wanted) << bytes << " bytes";
  }
}

TEST_F(GpuAccelerator, TheSourceMayChangeAtOnce) {
  auto source = pattern(1 << 20, 2);
  const auto wanted = source;
  const auto buffer = put(source);
  std::memset(source.data(), 0, source.size());
  EXPECT_EQ(get(*buffer), wanted);
}

TEST_F(GpuAccelerator, ReadingNothingLetsCopiesGoOn) {
  const auto first = pattern(1 << 16, 3);
  const auto a = put(first);
  gpu_->copy_out(nullptr, a->data(), 0);
  const auto b = put(pattern(1 << 16, 4));
  EXPECT_EQ(get(*a), first);
}

TEST_F(GpuAccelerator, RecordedCopiesAreReplayed) {
  const auto from = put(pattern(4096, 5));
  const auto to = put(pattern(4096, 6));
  const auto recording = gpu_->record([&] { gpu_->copy(to->data(), from->data(), from->bytes()); });
  EXPECT_EQ(get(*to), pattern(4096, 6)) << "a recording only keeps";
  recording->replay();
  EXPECT_EQ(get(*to), pattern(4096, 5));
  const auto changed = pattern(4096, 7);
  gpu_->copy_in(from->data(), changed.data(), changed.size());
  recording->replay();
  EXPECT_EQ(get(*to), changed);
}

TEST_F(GpuAccelerator, TheCountersOfAWorkspaceAreZero) {
  for (const std::size_t bytes : {Accelerator::kCounterBytes, std::size_t{1} << 20}) {
    std::byte* const workspace = gpu_->workspace(bytes);
    std::vector<std::uint8_t> counters(Accelerator::kCounterBytes, 1);
    gpu_->copy_out(counters.data(), workspace, counters.size());
    EXPECT_EQ(counters, std::vector<std::uint8_t>(counters.size(), 0));
  }
}

}  // namespace
}  // namespace tutti::runtime::gpu_accelerator_test
