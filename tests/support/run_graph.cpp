#include "tests/support/run_graph.h"

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/text/print.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <thread>

namespace tutti::test {

namespace {

// To the bit, but for NaN: what is computed when it is compiled may have one of the other sign.
bool are_same(const Array& a, const Array& b) {
  if (std::ranges::equal(a.bytes(), b.bytes())) return true;
  if (!is_floating(a.dtype())) return false;
  const std::int64_t size = size_of(a.dtype());
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const bool equal = std::equal(a.bytes().data() + i * size, a.bytes().data() + (i + 1) * size,
                                  b.bytes().data() + i * size);
    if (!equal && !(std::isnan(a.at(i)) && std::isnan(b.at(i)))) return false;
  }
  return true;
}

using codegen::KernelMode;

// One rank's part of a run, on its own thread.
std::vector<Array> run_rank(const ir::Graph& graph, const std::vector<Array>& inputs,
                            const codegen::CompileOptions& options,
                            const std::shared_ptr<runtime::LocalFabric>& fabric, std::int64_t rank,
                            int threads) {
  runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank), threads);
  const auto executable = codegen::compile(graph, context, options);
  const auto run = [&](bool donate) {
    std::vector<std::shared_ptr<runtime::Buffer>> buffers;
    for (const Array& input : inputs) {
      buffers.push_back(context.allocator.allocate(input.bytes().size()));
      std::ranges::copy(input.bytes(), buffers.back()->data());
    }
    std::vector<Array> out;
    std::vector<codegen::Executable::Result> results;
    executable->run(buffers, {.donate = donate}, results);
    for (const codegen::Executable::Result& result : results) {
      Array& array = out.emplace_back(result.type.dtype, result.type.shape);
      std::copy_n(result.wait()->data(), array.bytes().size(), array.bytes().begin());
    }
    return out;
  };
  std::vector<Array> out = run(false);
  // The second run is native code's if the options say so, and may work in place.
  const std::vector<Array> again = run(true);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!are_same(out[i], again[i])) {
      throw std::runtime_error("result " + std::to_string(i) + " of the second run differs\n" +
                               codegen::print(executable->plan()));
    }
  }
  context.backend->finish();
  return out;
}

std::string element_text(const Array& array, std::int64_t i) {
  std::string index;
  for (int d = 0; d < array.shape().rank(); ++d) {
    const std::int64_t stride = array.shape().strides()[static_cast<std::size_t>(d)];
    index += (d == 0 ? "" : ", ") + std::to_string(i / stride % array.shape()[d]);
  }
  return "element [" + index + "] of " + std::string(tutti::name_of(array.dtype())) +
         array.shape().text();
}

bool same_element(const Array& a, const Array& b, std::int64_t i) {
  const std::int64_t size = size_of(a.dtype());
  if (std::memcmp(a.bytes().data() + i * size, b.bytes().data() + i * size,
                  static_cast<std::size_t>(size)) == 0) {
    return true;
  }
  return is_floating(a.dtype()) && std::isnan(a.at(i)) && std::isnan(b.at(i));
}

// Calls `holds(i)` for every element and says which is the first where it is false.
template <class F>
testing::AssertionResult each_element(const Array& actual, const Array& expected, F&& holds) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    return testing::AssertionFailure()
           << "is " << ir::Type{.dtype = actual.dtype(), .shape = actual.shape()}.text() << ", not "
           << ir::Type{.dtype = expected.dtype(), .shape = expected.shape()}.text();
  }
  for (std::int64_t i = 0; i < actual.elements(); ++i) {
    if (holds(i)) continue;
    std::ostringstream numbers;
    numbers.precision(17);
    numbers << actual.at(i) << ", not " << expected.at(i);
    return testing::AssertionFailure() << element_text(actual, i) << " is " << numbers.str();
  }
  return testing::AssertionSuccess();
}

}  // namespace

Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f8_e4m3fn:
      return {0.13, 1e-3};
    case DType::f8_e5m2:
      return {0.26, 1e-4};
    case DType::f16:
      return {1e-3, 1e-5};
    case DType::bf16:
      return {1.6e-2, 1e-5};
    case DType::f32:
      return {1.3e-6, 1e-5};
    case DType::f64:
      return {1e-10, 1e-7};
    default:
      return {};
  }
}

testing::AssertionResult within(const Array& actual, const Array& expected,
                                const Tolerance& tolerance) {
  return each_element(actual, expected, [&](std::int64_t i) {
    if (same_element(actual, expected, i)) return true;
    const double wanted = expected.at(i);
    const double distance = std::abs(actual.at(i) - wanted);
    return std::isfinite(wanted) && is_floating(expected.dtype()) &&
           distance <= tolerance.absolute + tolerance.relative * std::abs(wanted);
  });
}

testing::AssertionResult close(const Array& actual, const Array& expected, double slack) {
  Tolerance tolerance = tolerance_of(expected.dtype());
  if (expected.dtype() == DType::f64) {
    double largest = 1;
    for (const double x : expected.data<double>()) {
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    }
    tolerance.absolute = std::min(tolerance.absolute, tolerance.relative * largest);
  }
  return within(actual, expected, {slack * tolerance.relative, slack * tolerance.absolute});
}

testing::AssertionResult same_bits(const Array& actual, const Array& expected) {
  return each_element(actual, expected,
                      [&](std::int64_t i) { return same_element(actual, expected, i); });
}

namespace {

RankArrays run_ranks(std::span<const ir::Graph* const> programs,
                     std::span<const std::vector<Array>> inputs,
                     const codegen::CompileOptions& options, int threads_per_rank) {
  const std::size_t ranks = inputs.size();
  const auto fabric = std::make_shared<runtime::LocalFabric>(static_cast<std::int64_t>(ranks));
  RankArrays out(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        out[rank] = run_rank(*programs[rank], inputs[rank], options, fabric,
                             static_cast<std::int64_t>(rank), threads_per_rank);
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return out;
}

codegen::CompileOptions with_kernels(KernelMode mode) {
  codegen::CompileOptions options;
  options.kernel_mode = mode;
  return options;
}

}  // namespace

RankArrays run_compiled(std::span<const ir::Graph* const> programs,
                        std::span<const std::vector<Array>> inputs, KernelMode mode, int threads) {
  return run_ranks(programs, inputs, with_kernels(mode), threads);
}

RankArrays run_compiled(const ir::Graph& graph, std::span<const std::vector<Array>> inputs,
                        const codegen::CompileOptions& options, int threads) {
  return run_ranks(std::vector<const ir::Graph*>(inputs.size(), &graph), inputs, options, threads);
}

RankArrays run_compiled(const ir::Graph& graph, std::span<const std::vector<Array>> inputs,
                        KernelMode mode, int threads) {
  return run_compiled(std::vector<const ir::Graph*>(inputs.size(), &graph), inputs, mode, threads);
}

std::vector<Array> run_compiled(const ir::Graph& graph, const std::vector<Array>& inputs,
                                KernelMode mode, int threads) {
  return run_compiled(graph, std::span(&inputs, 1), mode, threads)[0];
}

std::span<const KernelMode> kernel_modes() {
  static constexpr std::array all = {KernelMode::evaluate, KernelMode::llvm};
  return std::span(all).first(TUTTI_HAS_LLVM != 0 ? 2 : 1);
}

std::string name_of(KernelMode mode) { return mode == KernelMode::llvm ? "llvm" : "evaluate"; }

testing::AssertionResult modes_agree(const ir::Graph& graph,
                                     std::span<const std::vector<Array>> inputs, double slack) {
  const RankArrays expected = ir::interpret(graph, inputs);
  for (const KernelMode mode : kernel_modes()) {
    const RankArrays actual = run_compiled(graph, inputs, mode);
    for (std::size_t rank = 0; rank < actual.size(); ++rank) {
      for (std::size_t i = 0; i < actual[rank].size(); ++i) {
        const testing::AssertionResult result = close(actual[rank][i], expected[rank][i], slack);
        if (result) continue;
        return testing::AssertionFailure()
               << "with mode " << name_of(mode) << ", result " << i << " of rank " << rank << ": "
               << result.message() << "\n"
               << print(graph);
      }
    }
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult modes_agree(const ir::Graph& graph, const std::vector<Array>& inputs,
                                     double slack) {
  return modes_agree(graph, std::span(&inputs, 1), slack);
}

}  // namespace tutti::test
