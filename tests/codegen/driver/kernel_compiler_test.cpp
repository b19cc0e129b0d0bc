#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/ir/support/error.h>

#include <cstdint>
#include <new>
#include <string>
#include <thread>

#include "tests/codegen/kernel_maker.h"
#include "tests/support/allocation_count.h"
#include <gmock/gmock.h>

namespace tutti::codegen::kernel_compiler_test {
namespace {

using kernel_testing::add_number;

// What the code makes of the first element, 0.
float first_result(const KernelCode& code) {
  std::vector<float> x(50);
  std::vector<float> y(50);
  void* const buffers[] = {x.data(), y.data()};
  code.run(buffers, 0, 1);
  return y[0];
}

class KernelCompilerTest : public testing::TestWithParam<KernelMode> {};

TEST_P(KernelCompilerTest, CompilesEachKernelOnce) {
  KernelCompiler compiler(GetParam());
  EXPECT_EQ(compiler.mode(), GetParam());
  Kernel renamed = add_number(1);
  renamed.name = "another name";
  const Kernel kernels[] = {add_number(1), add_number(2), renamed};
  const auto codes = compiler.compile(kernels);
  ASSERT_EQ(codes.size(), 3U);
  EXPECT_EQ(codes[0], codes[2]);
  EXPECT_EQ(first_result(*codes[0]), 1);
  EXPECT_EQ(first_result(*codes[1]), 2);
  EXPECT_EQ(compiler.compiled(), 2U);
  EXPECT_EQ(compiler.compile(kernels), codes);
  EXPECT_EQ(compiler.compiled(), 2U);
}

TEST_P(KernelCompilerTest, ForgetsWhatWasUsedLongestAgo) {
  KernelCompiler compiler(GetParam(), 2);
  const auto compile = [&](double number) {
    const Kernel kernels[] = {add_number(number)};
    return compiler.compile(kernels).front();
  };
  const auto first = compile(1);
  compile(2);
  compile(1);
  compile(3);  // 2 goes
  EXPECT_EQ(compiler.size(), 2U);
  EXPECT_EQ(compile(1), first);
  EXPECT_EQ(compiler.compiled(), 3U);
  compile(2);
  compile(4);
  EXPECT_EQ(compiler.compiled(), 5U);
  EXPECT_EQ(first_result(*first), 1);  // forgotten, but held
}

TEST_P(KernelCompilerTest, ThreadsShareTheWork) {
  KernelCompiler compiler(GetParam());
  constexpr int kThreads = 6;
  constexpr int kKernels = 12;
  std::vector<std::vector<float>> results(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<Kernel> kernels;
      for (int i = 0; i < kKernels; ++i) kernels.push_back(add_number((i + 2 * thread) % kKernels));
      for (const auto& code : compiler.compile(kernels)) {
        results[static_cast<std::size_t>(thread)].push_back(first_result(*code));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(compiler.compiled(), static_cast<std::uint64_t>(kKernels));
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < kKernels; ++i) {
      EXPECT_EQ(results[static_cast<std::size_t>(thread)][static_cast<std::size_t>(i)],
                static_cast<float>((i + 2 * thread) % kKernels));
    }
  }
}

TEST_P(KernelCompilerTest, AFailureIsNotRemembered) {
  KernelCompiler compiler(GetParam());
  Kernel broken = add_number(1);
  broken.block = 0;
  const Kernel kernels[] = {add_number(2), broken};
  EXPECT_THROW(compiler.compile(kernels), InternalError);
  EXPECT_THROW(compiler.compile(kernels), InternalError);
  EXPECT_EQ(compiler.size(), 0U);
  EXPECT_EQ(first_result(*compiler.compile(std::span(kernels, 1)).front()), 2);
}

TEST(KernelCompiler, AnAllocationThatFailsIsNotRemembered) {
  if (!test::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const Kernel kernels[] = {add_number(1), add_number(2)};
  bool failed = true;
  for (std::uint64_t number = 1; failed; ++number) {
    SCOPED_TRACE("allocation " + std::to_string(number));
    KernelCompiler compiler(KernelMode::evaluate);
    {
      const test::FailingAllocation fails(number);
      try {
        compiler.compile(kernels);
      } catch (const std::bad_alloc&) {
        // The next call finds nothing of it.
      }
      failed = fails.failed();
    }
    const auto codes = compiler.compile(kernels);
    EXPECT_EQ(first_result(*codes[0]), 1);
    EXPECT_EQ(first_result(*codes[1]), 2);
  }
}

TEST_P(KernelCompilerTest, IsSharedByTheProcess) {
  EXPECT_EQ(&KernelCompiler::shared(GetParam()), &KernelCompiler::shared(GetParam()));
  EXPECT_EQ(KernelCompiler::shared(GetParam()).mode(), GetParam());
}

std::vector<KernelMode> kernel_modes() {
  if (TUTTI_HAS_LLVM != 0) return {KernelMode::evaluate, KernelMode::llvm};
  return {KernelMode::evaluate};
}

INSTANTIATE_TEST_SUITE_P(Engines, KernelCompilerTest, testing::ValuesIn(kernel_modes()),
                         [](const auto& parameter) {
                           return parameter.param == KernelMode::llvm ? "llvm" : "evaluate";
                         });

#if !TUTTI_HAS_LLVM
TEST(KernelCompiler, SaysThatThereIsNoLlvm) {
  EXPECT_THROW(KernelCompiler{KernelMode::llvm}, EnvironmentError);
}
#endif

}  // namespace
}  // namespace tutti::codegen::kernel_compiler_test
