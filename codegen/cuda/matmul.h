#pragma once

#include <tutti/codegen/cuda/epilogue.h>
#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/view.h>
#include <tutti/runtime/accelerator.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tutti::codegen::cuda {

// A matmul on a GPU. Its buffers are the storages of a and b, with an epilogue the bias, then the
// result's.
struct DeviceMatmul {
  std::string detail;  // "f32 128x64x32, batch 4": what plans print
  // A call of cuBLASLt, ready to be launched, or a kernel that has to be compiled.
  std::variant<std::shared_ptr<const runtime::DeviceCode>, Source> code;
};

// For operands with these views (of buffers), for which matmul_takes_view (matmul_layout.h) says
// which are best copied first; any are right. By cuBLASLt where it is found and has such a product,
// else by a kernel of our own. Throws InternalError for bool, and for an epilogue of another dtype
// than f32, f16 and bf16.
DeviceMatmul device_matmul(const ir::Type& result, const std::vector<View>& operands,
                           std::optional<Epilogue::Kind> epilogue = std::nullopt);

}  // namespace tutti::codegen::cuda
