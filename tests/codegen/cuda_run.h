#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/codegen/kernel_maker.h"
#include "tests/support/cuda/emulator.h"

// Kernels as CUDA C++ on the emulator.
namespace tutti::codegen::kernel_testing {

// Some kernels' CUDA texts, compiled together.
class CudaKernels {
 public:
  explicit CudaKernels(std::vector<Kernel> kernels);

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const cuda::Source& source(std::size_t i) const { return sources_[i]; }

  // Runs kernel number `i`; throws what the emulator throws, or if counters of the workspace are
  // not 0 afterwards.
  void run(std::size_t i, const std::vector<void*>& buffers,
           const test::cuda::RunOptions& options = {}) const;

  struct Comparison {
    double ulp = 0;
    double scale = 0;
    bool special_values = true;
  };
  // What differs from the reference evaluator, with the text; empty: nothing. Each kernel runs with
  // its threads in several orders, and in place where that is allowed.
  std::string difference(const Comparison& comparison) const;
  std::string difference() const { return difference({}); }

 private:
  std::string difference_of(std::size_t i, const Comparison& comparison) const;
  std::string difference_in_place(std::size_t i, std::size_t read, std::size_t written,
                                  const Comparison& comparison) const;

  std::vector<Kernel> kernels_;
  std::vector<cuda::Source> sources_;
  test::cuda::EmulatedModule module_;
};

}  // namespace tutti::codegen::kernel_testing
