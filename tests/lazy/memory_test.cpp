#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/lazy/lazy_testing.h"
#include "tests/runtime/processes.h"
#include "tests/support/allocation_count.h"
#include "tests/support/environment_variable.h"
#include "tests/support/fake_cuda_process.h"
#include <sys/resource.h>
#include <unistd.h>

// memory_stats(), and what is said where there is no memory.
namespace tutti::test::memory_test {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;

constexpr std::int64_t kMillion = std::int64_t{1} << 20;
constexpr std::size_t kBytes = std::size_t{4} << 20;  // of so many floats
constexpr std::size_t kSmall = 4096;                  // for numbers and their kin

Tensor now(const Tensor& tensor) {
  eval(tensor);
  return tensor;
}

// So that no other handle lives while it is evaluated.
Tensor repeated(const Tensor& x, std::int64_t times) {
  return broadcast_to(x, {times, x.shape()[0]});
}

const MemoryBlock* block_of_line(const std::vector<MemoryBlock>& blocks, unsigned line) {
  const auto found = std::ranges::find_if(
      blocks, [&](const MemoryBlock& block) { return block.where.line() == line; });
  return found == blocks.end() ? nullptr : &*found;
}

// Something recorded is held all the time, and nothing is computed.
TEST(Memory, WhatIsRecordedAndHeldByNobodyKeepsFewTensors) {
  simulate(1, [](World&) {
    auto step = compile([](const Tensor& x) { return x * 0.5F; });
    const std::size_t before = memory_stats().bytes_in_use;
    Tensor x = now(from(Floats(kMillion, 1.F), {kMillion}));
    Tensor last;
    for (int i = 0; i < 100; ++i) {
      x = step(std::move(x));
      last = sum(x);
      EXPECT_FALSE(computed(last));
      EXPECT_LE(memory_stats().bytes_in_use, before + 15 * kBytes);
    }
    EXPECT_EQ(last.item<float>(), sum(x).item<float>());
  });
}

TEST(MemoryStats, CountTensorsByTheirLines) {
  simulate(1, [](World&) {
    const MemoryStats before = memory_stats();
    const unsigned data_line = __LINE__ + 1;
    const Tensor x = from(Floats(kMillion, 1.F), {kMillion});
    const unsigned add_line = __LINE__ + 1;
    const Tensor y = x + 1.F;
    EXPECT_EQ(memory_stats().bytes_in_use, before.bytes_in_use + kBytes) << "only recorded";
    eval(y);
    const MemoryStats stats = memory_stats();
    EXPECT_GE(stats.bytes_in_use, before.bytes_in_use + 2 * kBytes);
    EXPECT_LE(stats.bytes_in_use, before.bytes_in_use + 2 * kBytes + kSmall);
    EXPECT_GE(stats.peak_bytes_in_use, stats.bytes_in_use);
    EXPECT_EQ(stats.peak.bytes, stats.peak_bytes_in_use);
    const MemoryBlock* const data = block_of_line(stats.largest, data_line);
    const MemoryBlock* const sum = block_of_line(stats.largest, add_line);
    ASSERT_NE(data, nullptr) << stats.text();
    ASSERT_NE(sum, nullptr) << stats.text();
    EXPECT_EQ(data->bytes, kBytes);
    EXPECT_EQ(data->op, "data");
    EXPECT_EQ(sum->bytes, kBytes);
    EXPECT_EQ(sum->op, "add");
    EXPECT_GT(*stats.bytes_free, 0U);
    EXPECT_GT(*stats.bytes_limit, *stats.bytes_free);
  });
}

TEST(MemoryStats, APeakThatIsOverNamesItsOpAndItsBlocks) {
  simulate(1, [](World&) {
    const Tensor x = from(Floats(kMillion, 1.F), {kMillion});
    reset_peak_memory_stats();
    const std::size_t in_use = memory_stats().bytes_in_use;
    EXPECT_EQ(memory_stats().peak_bytes_in_use, in_use);
    unsigned line = 0;
    {
      line = __LINE__ + 1;
      const Tensor y = repeated(x, 3) * 2.F;
      eval(y);
    }
    const MemoryStats stats = memory_stats();
    EXPECT_LE(stats.bytes_in_use, in_use + kSmall);
    EXPECT_GE(stats.peak_bytes_in_use, in_use + 3 * kBytes);
    EXPECT_LE(stats.peak_bytes_in_use, in_use + 3 * kBytes + kSmall);
    EXPECT_EQ(stats.peak.where.line(), line) << stats.text();
    ASSERT_FALSE(stats.largest_at_peak.empty());
    EXPECT_EQ(stats.largest_at_peak[0].bytes, 3 * kBytes);
    EXPECT_EQ(stats.largest_at_peak[0].where.line(), line);
    EXPECT_GE(stats.bytes_cached, 3 * kBytes) << "kept for the next";
  });
}

TEST(MemoryStats, NameWhatCompiledProgramsKeepWhileTheyRun) {
  simulate(1, [](World&) {
    unsigned line = 0;
    auto step = compile([&](const Tensor& a, const Tensor& b) {
      line = __LINE__ + 1;
      const Tensor product = matmul(a, b);
      return sum(product * product);
    });
    const Tensor a = now(ones({512, 64}));
    const Tensor b = now(ones({64, 512}));
    step(a, b).item<float>();
    const MemoryStats stats = memory_stats();
    const MemoryBlock* const product = block_of_line(stats.largest_in_programs, line);
    ASSERT_NE(product, nullptr) << stats.text();
    EXPECT_EQ(product->bytes, std::size_t{512} * 512 * 4);
    EXPECT_EQ(product->op, "matmul");
    const MemoryBlock* const arena = block_of_line(stats.largest, line);
    ASSERT_NE(arena, nullptr) << stats.text();
    EXPECT_THAT(arena->op, HasSubstr("keeps while it runs"));
    EXPECT_THAT(stats.text(), HasSubstr("1 MiB for matmul (memory_test.cpp:"));
  });
}

TEST(MemoryStats, StepsThatAreAlikeTakeNoNewBlocks) {
  simulate(1, [](World&) {
    auto step = compile([](const Tensor& x) { return x * 0.5F + 1.F; });
    Tensor x = now(ones({1000}));
    for (int i = 0; i < 4; ++i) x = step(x);
    const MemoryStats before = memory_stats();
    for (int i = 0; i < 10; ++i) x = step(x);
    const MemoryStats stats = memory_stats();
    EXPECT_GT(stats.allocations, before.allocations);
    EXPECT_EQ(stats.new_blocks, before.new_blocks);
    EXPECT_EQ(stats.peak_bytes_in_use, before.peak_bytes_in_use);
  });
}

TEST(MemoryStats, CountWhatCollectivesNeedOnTheirRank) {
  simulate(2, [](World& world) {
    const Group group(world);
    const Tensor x = now(full({kMillion}, 1.F));
    const unsigned line = __LINE__ + 1;
    const Tensor all = now(all_to_all(x, group));
    const MemoryStats stats = memory_stats();
    const MemoryBlock* const result = block_of_line(stats.largest, line);
    ASSERT_NE(result, nullptr) << stats.text();
    EXPECT_EQ(result->op, "all_to_all");
    EXPECT_EQ(result->bytes, kBytes);
    barrier(world);
  });
}

TEST(MemoryStats, AProgramThatIsKnownNamesTheLinesOfItsResults) {
  simulate(1, [](World&) {
    const Tensor x = now(ones({kMillion}));
    const Tensor first = now(x + 3.F);
    const unsigned line = __LINE__ + 1;
    const Tensor second = now(x + 3.F);
    EXPECT_NE(block_of_line(memory_stats().largest, line), nullptr) << memory_stats().text();
  });
}

TEST(MemoryStats, OfNoDeviceIsAnError) {
  EXPECT_THROW(memory_stats(Device::any()), UsageError);
  EXPECT_THROW(reset_peak_memory_stats(Device::any()), UsageError);
}

TEST(MemoryStats, OfAGpuAreItsOwn) {
  expect_with_fake_cuda("devices=1,memory=67108864", [] {
    const Device gpu = Device::cuda();
    const std::size_t host = memory_stats().bytes_in_use;
    const Tensor x = to(ones({kMillion}), gpu);
    const Tensor y = now(x + 1.F);
    const MemoryStats stats = memory_stats(gpu);
    reset_peak_memory_stats(gpu);
    return stats.device == gpu && stats.bytes_in_use >= 2 * kBytes &&
           *stats.bytes_limit == 67108864 && *stats.bytes_free <= 67108864 - 2 * kBytes &&
           memory_stats().bytes_in_use < host + kBytes &&
           memory_stats(gpu).peak_bytes_in_use == memory_stats(gpu).bytes_in_use;
  });
}

// Of what was freed.
TEST(MemoryStats, ARankKeepsAsMuchOfAGpuAsTheVariableSays) {
  for (const auto& [most, kept] : {std::pair("64M", 2U), std::pair("6M", 1U), std::pair("0", 0U)}) {
    const EnvironmentVariable limit("TUTTI_GPU_CACHE", most);
    expect_with_fake_cuda("devices=1,memory=67108864", [kept = kept] {
      const Device gpu = Device::cuda();
      const std::size_t before = *memory_stats(gpu).bytes_free;
      const auto taken = [&] { return before - *memory_stats(gpu).bytes_free; };
      {
        const Tensor x = now(to(from(Floats(kMillion, 1.F), {kMillion}), gpu));
        const Tensor y = now(to(from(Floats(kMillion, 2.F), {kMillion}), gpu));
        if (taken() < 2 * kBytes) return false;
      }
      return taken() >= kept * kBytes && taken() < kept * kBytes + kBytes / 2;
    });
  }
}

// That this process has now.
std::size_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(OutOfMemory, OfTheHostNamesTheLineAndTheLargestAndTheProgramGoesOn) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer ends the process that has no memory";
  runtime::Child child([]() -> std::string {
    std::string said;
    simulate(1, [&](World&) {
      const Tensor x = now(ones({4 * kMillion}));
      eval(x + 1.F);  // what a first evaluation loads is there
      rlimit limit{};
      getrlimit(RLIMIT_AS, &limit);
      rlimit low = limit;
      low.rlim_cur = address_space() + (rlim_t{512} << 20);
      const Tensor y = repeated(x, 64) * 2.F;
      try {
        setrlimit(RLIMIT_AS, &low);
        eval(y);
      } catch (const OutOfMemoryError& error) {
        setrlimit(RLIMIT_AS, &limit);
        said = error.what();
      }
      setrlimit(RLIMIT_AS, &limit);
      if (sum(x).item<float>() != 4.F * kMillion) said += "WRONG";
      if (memory_stats().bytes_in_use > 5 * kBytes) said += "LEAK " + memory_stats().text();
    });
    return said;
  });
  const std::string said = child.end();
  EXPECT_THAT(said, AllOf(HasSubstr("memory_test.cpp:"), HasSubstr("out of memory: no 1073741824 "),
                          HasSubstr(" (1 GiB) to be had for mul"), HasSubstr("16 MiB for "),
                          HasSubstr("are in use by this rank"), HasSubstr("(ulimit -v)")));
  EXPECT_EQ(said.find("WRONG"), std::string::npos) << said;
  EXPECT_EQ(said.find("LEAK"), std::string::npos) << said;
}

TEST(OutOfMemory, OfAGpuNamesTheLineAndTheLargestAndTheProgramGoesOn) {
  expect_with_fake_cuda("devices=1,memory=67108864", [] {
    const Device gpu = Device::cuda();
    const Tensor x = now(to(ones({4 * kMillion}), gpu));  // 16 MiB
    const std::size_t before = memory_stats(gpu).bytes_in_use;
    std::string said;
    unsigned line = 0;
    try {
      line = __LINE__ + 1;
      const Tensor y = repeated(x, 4) * 2.F;
      eval(y);
    } catch (const OutOfMemoryError& error) {
      said = error.what();
      if (error.where().line() != line) throw InternalError(said);
    }
    const MemoryStats after = memory_stats(gpu);
    if (after.bytes_in_use > before + kSmall) throw InternalError(after.text());
    for (const char* part : {"out of memory: no 67108864 bytes (64 MiB) to be had for mul",
                             "16 MiB for", "cuda:0 has ", " of 64 MiB free"}) {
      if (said.find(part) == std::string::npos) throw InternalError(said);
    }
    return (x + 1.F).to_vector<float>() == Floats(4 * kMillion, 2.F);
  });
}

TEST(OutOfMemory, OnOneRankEndsTheOthersWithAnErrorThatSaysWhy) {
  try {
    simulate(2, [](World& world) {
      const Group group(world);
      const Tensor x = ones({4});
      const Tensor huge = broadcast_to(x, {std::int64_t{1} << 46, 4}) + 1.F;
      if (world.rank() == 1) eval(huge);
      eval(all_reduce(x, group));
    });
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemoryError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1: "));
  }
}

}  // namespace
}  // namespace tutti::test::memory_test
