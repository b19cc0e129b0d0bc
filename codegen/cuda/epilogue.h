#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>
#include <optional>

namespace tutti::codegen::cuda {

// What a matmul can do to its results before it writes them; x is a result and `bias` a vector as
// long as a row of results, of the same dtype.
struct Epilogue {
  enum class Kind : std::uint8_t {
    bias,            // x + bias
    bias_relu,       // max(x + bias, 0)
    bias_gelu_tanh,  // gelu(x + bias) by its approximation with tanh
  };

  Kind kind = Kind::bias;
  int bias = -1;  // the kernel's buffer that holds the bias, densely and from its first element on
  int result = -1;  // the one that the kernel writes

  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};

// The epilogue that does what the kernel does, if there is one: it reads the matmul's results,
// buffer `product`, as rows of `columns` elements, and a bias, and writes one buffer in the same
// order, and nothing else. For f32, f16 and bf16.
//
// A library rounds once, after the last step. The kernel rounds 16-bit floats after the product and
// after the bias is added, too, so the last bit may differ; and its maximum is NaN where x is.
std::optional<Epilogue> recognise_epilogue(const Kernel& kernel, int product, std::int64_t columns);

}  // namespace tutti::codegen::cuda
