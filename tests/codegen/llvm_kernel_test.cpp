// Machine code against the reference evaluator.

#include <random>
#include <fstream>

#include <gmock/gmock.h>
#include <tutti/codegen/evaluate.h>
#include <tutti/codegen/llvm/compile_kernels.h>

#include "tests/codegen/kernel_maker.h"

#if TUTTI_HAS_LLVM

namespace tutti::codegen {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder

// What differs between the engines, for some kernels compiled together.
std::string compare(const std::vector<Kernel>& kernels, const native::Target& target, double ulp = 0) {
  std::vector<const Kernel*> pointers;
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  const auto codes = native::compile(pointers, target);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Arguments wanted = make_arguments(kernels[i], static_cast<std::uint32_t>(i));
    Arguments got = make_arguments(kernels[i], static_cast<std::uint32_t>(i));
    run_all(*make_evaluator(kernels[i]), kernels[i], wanted);
    if (std::getenv("PRINT")) { std::ofstream("/tmp/k/last.txt") << print(kernels[i]) << native::llvm_text(kernels[i], target) << native::assembly_text(kernels[i], target); }
    run_all(*codes[i], kernels[i], got);
    const std::string found = difference(kernels[i], wanted, got, ulp);
    if (!found.empty()) return found + "\n" + print(kernels[i]);
  }
  return "";
}

class RandomKernels : public testing::TestWithParam<native::Target> {};

TEST_P(RandomKernels, GiveTheSameBits) {
  const int rounds = std::getenv("ROUNDS") ? std::atoi(std::getenv("ROUNDS")) : 6;
  const unsigned seed0 = std::getenv("SEED") ? unsigned(std::atoi(std::getenv("SEED"))) : 0;
  for (unsigned seed = seed0; seed < seed0 + unsigned(rounds); ++seed) {
    std::mt19937 random(seed);
    std::vector<Kernel> kernels;
    for (int i = 0; i < 25; ++i) kernels.push_back(random_kernel(random));
    ASSERT_EQ(compare(kernels, GetParam()), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Llvm, RandomKernels,
                         testing::Values(native::Target{}, native::Target{"haswell", ""}, native::Target{"nehalem", ""}),
                         [](const auto& parameter) {
                           return parameter.param.cpu.empty() ? "host" : parameter.param.cpu;
                         });

}  // namespace
}  // namespace tutti::codegen

#endif
