#pragma once

#include <tutti/codegen/cuda/epilogue.h>
#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>

#include <optional>
#include <vector>

namespace tutti::codegen::cuda {

// A matmul as CUDA C++, for any dtype but bool and any strides: what runs where cuBLASLt has no
// such product or is missing. f32 and narrower floats are summed in f32, f64 in f64, integers wrap;
// the order of a sum depends on the shapes alone. Buffers: the storages of a and b, with an
// epilogue (of floating-point dtypes only) the bias, then the result.
//
// An epilogue rounds where the separate kernel would: the product, then the sum with the bias.
Source matmul_source(const ir::Type& result, const std::vector<View>& operands,
                     std::optional<Epilogue::Kind> epilogue = std::nullopt);

// What an epilogue does to a product, as a kernel of its own that works in place. Buffers: the
// bias, then the product.
Source epilogue_source(const ir::Type& result, Epilogue::Kind epilogue);

}  // namespace tutti::codegen::cuda
