#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/graph.h>

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// Runs a graph as the compiler makes it and as the interpreter says it means, and compares.
namespace tutti::test {

using ir::Array;
using RankArrays = std::vector<std::vector<Array>>;  // [rank][parameter or result]

// How far two computations of one value may be apart: absolute + relative * |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// The one table of tolerances. Integers and bool are exact.
Tolerance tolerance_of(DType dtype);

// Whether every element is within the tolerance. NaN is close to NaN, an infinity only to itself. A
// failure names the first element that is not.
testing::AssertionResult within(const Array& actual, const Array& expected,
                                const Tolerance& tolerance);
// The same with `slack` times the tolerance of its dtype. Of f64 what is absolute in it is the
// relative tolerance of the largest element, or of 1, where that is less.
testing::AssertionResult close(const Array& actual, const Array& expected, double slack = 1);
// The same dtype, shape and bits, except that any NaN is as good as another.
testing::AssertionResult same_bits(const Array& actual, const Array& expected);

// Compiles the function for every rank (threads of this process) and runs it twice, each rank with
// `threads` threads: by walking the plan, then by what the options' plan mode makes of it, which
// must give the same bits. Async results are waited for. What a rank throws is thrown here.
RankArrays run_compiled(const ir::Graph& graph, std::span<const std::vector<Array>> inputs,
                        const codegen::CompileOptions& options, int threads = 2);
RankArrays run_compiled(const ir::Graph& graph, std::span<const std::vector<Array>> inputs,
                        codegen::KernelMode mode = codegen::kDefaultKernelMode, int threads = 2);
// The same where every rank runs a program of its own.
RankArrays run_compiled(std::span<const ir::Graph* const> programs,
                        std::span<const std::vector<Array>> inputs,
                        codegen::KernelMode mode = codegen::kDefaultKernelMode, int threads = 2);
std::vector<Array> run_compiled(const ir::Graph& graph, const std::vector<Array>& inputs,
                                codegen::KernelMode mode = codegen::kDefaultKernelMode,
                                int threads = 2);

// The modes this build has.
std::span<const codegen::KernelMode> kernel_modes();
std::string name_of(codegen::KernelMode mode);

// Whether the function, compiled for each mode, gives what the interpreter gives.
testing::AssertionResult modes_agree(const ir::Graph& graph,
                                     std::span<const std::vector<Array>> inputs, double slack = 1);
testing::AssertionResult modes_agree(const ir::Graph& graph, const std::vector<Array>& inputs,
                                     double slack = 1);

}  // namespace tutti::test
