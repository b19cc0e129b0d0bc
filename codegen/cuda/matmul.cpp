#include <tutti/codegen/cuda/matmul.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/matmul_call.h>

#if TUTTI_HAS_CUDA
#include <tutti/codegen/cuda/cublaslt_matmul.h>
#include <tutti/codegen/cuda/matmul_ways.h>
#endif

#include <limits>

namespace tutti::codegen::cuda {

namespace {

std::shared_ptr<const runtime::DeviceCode> library_code(
    [[maybe_unused]] const ir::Type& result, [[maybe_unused]] const std::vector<View>& operands,
    [[maybe_unused]] std::optional<Epilogue::Kind> epilogue) {
#if TUTTI_HAS_CUDA
  if (!cublaslt_multiplies(result.dtype) || result.shape.elements() == 0) return nullptr;
  if (epilogue && result.dtype == DType::f64) return nullptr;
  const runtime::CublasLt* const library = find_cublaslt();
  if (library == nullptr) return nullptr;
  const std::optional<MatmulLayout> layout = matmul_layout(result, operands);
  if (!layout || layout->k == 0 || layout->batch > std::numeric_limits<std::int32_t>::max()) {
    return nullptr;
  }
  return matmul_ways(*library, result, operands, epilogue);
#else
  return nullptr;
#endif
}

}  // namespace

DeviceMatmul device_matmul(const ir::Type& result, const std::vector<View>& operands,
                           std::optional<Epilogue::Kind> epilogue) {
  DeviceMatmul out{.detail = matmul_text(matmul_spec(result, operands)), .code = {}};
  if (auto code = library_code(result, operands, epilogue)) {
    out.code = std::move(code);
  } else {
    out.code = matmul_source(result, operands, epilogue);
  }
  return out;
}

}  // namespace tutti::codegen::cuda
