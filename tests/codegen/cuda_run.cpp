#include "tests/codegen/cuda_run.h"

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/plan/in_place.h>
#include <tutti/runtime/accelerator.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tutti::codegen::kernel_testing {

namespace {

using test::cuda::RunOptions;

constexpr std::size_t kAlignment = 16;  // what the widest access needs
constexpr RunOptions::Order kOrders[] = {
    RunOptions::Order::ascending, RunOptions::Order::descending, RunOptions::Order::shuffled};

// Looking for races takes most of the time, and finds them in whatever order threads run.
RunOptions options(RunOptions::Order order, std::size_t kernel) {
  return {.order = order,
          .seed = static_cast<std::uint32_t>(kernel),
          .find_races = order == RunOptions::Order::ascending};
}

std::vector<cuda::Source> emit(const std::vector<Kernel>& kernels) {
  std::vector<cuda::Source> sources;
  for (const Kernel& kernel : kernels) sources.push_back(cuda::emit_kernel(kernel));
  return sources;
}

std::vector<std::string> texts(const std::vector<cuda::Source>& sources) {
  std::vector<std::string> out;
  for (const cuda::Source& source : sources) out.push_back(source.text);
  return out;
}

// Makes two buffers one: the longer of the two with what is read.
void share(Arguments& arguments, std::vector<void*>& pointers, std::size_t read,
           std::size_t written) {
  GuardedBuffer& from = arguments.buffers[read];
  GuardedBuffer& to = arguments.buffers[written];
  if (to.bytes() >= from.bytes()) {
    std::memcpy(to.data(), from.data(), from.bytes());
    pointers[read] = pointers[written];
  } else {
    pointers[written] = pointers[read];
  }
}

}  // namespace

CudaKernels::CudaKernels(std::vector<Kernel> kernels)
    : kernels_(std::move(kernels)), sources_(emit(kernels_)), module_(texts(sources_)) {}

void CudaKernels::run(std::size_t i, const std::vector<void*>& buffers,
                      const RunOptions& options) const {
  const cuda::Source& source = sources_[i];
  std::vector<void*> pointers = buffers;
  const auto bytes = static_cast<std::size_t>(source.workspace_bytes);
  GuardedBuffer workspace(bytes, kAlignment);
  const std::size_t counters = std::min<std::size_t>(bytes, runtime::Accelerator::kCounterBytes);
  std::memset(workspace.data(), 0, counters);
  if (bytes > 0) pointers.push_back(workspace.data());
  std::vector<void*> arguments;
  for (void*& pointer : pointers) arguments.push_back(&pointer);
  module_.launch(i, source.name, source.grid, source.block, arguments.data(), options);
  if (!workspace.surroundings_intact()) throw std::runtime_error("written outside the workspace");
  if (std::any_of(workspace.data(), workspace.data() + counters,
                  [](std::byte byte) { return byte != std::byte{0}; })) {
    throw std::runtime_error("counters are not 0 at the end");
  }
}

std::string CudaKernels::difference(const Comparison& comparison) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    std::string found;
    try {
      found = difference_of(i, comparison);
    } catch (const std::runtime_error& error) {
      found = error.what();
    }
    if (!found.empty()) {
      return found + "\n" + codegen::print(kernels_[i]) + sources_[i].text;
    }
  }
  return "";
}

std::string CudaKernels::difference_of(std::size_t i, const Comparison& comparison) const {
  const Kernel& kernel = kernels_[i];
  const auto make = [&] {
    return make_arguments(kernel, static_cast<std::uint32_t>(i), comparison.special_values,
                          kAlignment);
  };
  Arguments wanted = make();
  run_all(*make_evaluator(kernel), kernel, wanted);
  for (const RunOptions::Order order : kOrders) {
    Arguments got = make();
    run(i, got.pointers(), options(order, i));
    std::string found =
        kernel_testing::difference(kernel, wanted, got, comparison.ulp, comparison.scale);
    if (!found.empty()) return found;
  }
  for (std::size_t read = 0; read < kernel.buffers.size(); ++read) {
    for (std::size_t written = 0; written < kernel.buffers.size(); ++written) {
      if (!may_run_in_place(kernel, read, written)) continue;
      std::string found = difference_in_place(i, read, written, comparison);
      if (!found.empty()) return "in place: " + found;
    }
  }
  return "";
}

std::string CudaKernels::difference_in_place(std::size_t i, std::size_t read, std::size_t written,
                                             const Comparison& comparison) const {
  const Kernel& kernel = kernels_[i];
  const auto run_with = [&](auto&& run) {
    Arguments arguments = make_arguments(kernel, static_cast<std::uint32_t>(i),
                                         comparison.special_values, kAlignment);
    std::vector<void*> pointers = arguments.pointers();
    share(arguments, pointers, read, written);
    run(pointers);
    return arguments;
  };
  const Arguments wanted = run_with([&](const std::vector<void*>& pointers) {
    make_evaluator(kernel)->run(pointers.data(), 0, kernel.tiles());
  });
  for (const RunOptions::Order order : kOrders) {
    const Arguments got =
        run_with([&](const std::vector<void*>& pointers) { run(i, pointers, options(order, i)); });
    std::string found =
        kernel_testing::difference(kernel, wanted, got, comparison.ulp, comparison.scale);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace tutti::codegen::kernel_testing
