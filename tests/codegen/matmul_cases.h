#pragma once

#include <tutti/codegen/cuda/epilogue.h>
#include <tutti/ir/type.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/codegen/device_cases.h"

namespace tutti::test {

// A matmul on a device, with its operands.
struct MatmulCase {
  ir::Type result;
  Seen a;
  Seen b;
  std::optional<codegen::cuda::Epilogue::Kind> epilogue = std::nullopt;
  ir::Array bias = {};

  // With a bias of random numbers.
  void add_epilogue(codegen::cuda::Epilogue::Kind kind);

  std::vector<codegen::View> views() const { return {a.view, b.view}; }
  // What the code reads: the storages of a and b, then the bias.
  std::vector<Seen> buffers() const;
  // What the interpreter makes of it.
  ir::Array expected() const;
  // As close as sums in another order, and epilogues that round once, may be.
  bool is_close(const ir::Array& computed, const ir::Array& expected) const;
  std::string text() const;
};

using Sizes = std::array<std::int64_t, 3>;  // m, k, n
inline constexpr Sizes kOddSizes[] = {{1, 1, 1},   {3, 7, 5},   {1, 33, 70},
                                      {70, 33, 1}, {17, 1, 31}, {65, 2, 129}};
inline constexpr codegen::cuda::Epilogue::Kind kEpilogues[] = {
    codegen::cuda::Epilogue::Kind::bias, codegen::cuda::Epilogue::Kind::bias_relu,
    codegen::cuda::Epilogue::Kind::bias_gelu_tanh};

// Random operands; a transposed one lies in memory the other way round.
MatmulCase plain_matmul(DType dtype, const Sizes& sizes, bool transpose_a = false,
                        bool transpose_b = false);

// Batches of one and of two dimensions, against one matrix, broadcast on both sides, and heads of
// attention as they lie in their projection.
std::vector<MatmulCase> batched_matmuls(DType dtype);

}  // namespace tutti::test
