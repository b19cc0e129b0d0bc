#include <cstring>
#include <optional>
#include <string>

#include "tests/fake_cuda/cublaslt/control.h"
#include "tests/fake_cuda/cublaslt/descriptions.h"
#include "tests/fake_cuda/cublaslt/product.h"
#include "tests/fake_cuda/driver/enqueue.h"

using namespace tutti::fake_cuda;

namespace {

constexpr std::uint64_t kWorkspaceOfDeepSums = 4096;  // bytes
constexpr std::int64_t kDeep = 512;

FakeCublasLtRefusals g_refusals{};

// A batch of products as it is described, if the description makes sense.
struct Batch {
  Product product;
  std::int32_t count = 1;
  std::int64_t a_stride = 0, b_stride = 0, d_stride = 0;  // bytes

  // Of one matrix, in bytes, from its first element to its last.
  static std::size_t bytes_of(const MatrixDescription& matrix) {
    const auto last = static_cast<std::size_t>(matrix.leading) * (matrix.columns - 1);
    const std::size_t one = (last + matrix.rows) * element_bytes(matrix.type);
    const auto others = static_cast<std::size_t>((matrix.batch - 1) * matrix.stride);
    return one + others * element_bytes(matrix.type);
  }
};

bool is_known(cublasLtEpilogue_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_DEFAULT || epilogue == CUBLASLT_EPILOGUE_BIAS ||
         epilogue == CUBLASLT_EPILOGUE_RELU_BIAS || epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
}

std::optional<Batch> batch_of(const MatmulDescription& matmul, const MatrixDescription& a,
                              const MatrixDescription& b, const MatrixDescription& d) {
  const bool wide = d.type == CUDA_R_64F;
  const bool types = a.type == d.type && b.type == d.type && element_bytes(d.type) > 0 &&
                     matmul.compute == (wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) &&
                     matmul.scale == (wide ? CUDA_R_64F : CUDA_R_32F);
  const bool transpose_a = matmul.transpose_a == CUBLAS_OP_T;
  const bool transpose_b = matmul.transpose_b == CUBLAS_OP_T;
  const std::uint64_t depth = transpose_a ? a.rows : a.columns;
  const bool sizes = (transpose_a ? a.columns : a.rows) == d.rows &&
                     (transpose_b ? b.rows : b.columns) == d.columns &&
                     (transpose_b ? b.columns : b.rows) == depth;
  const bool batches = a.batch == d.batch && b.batch == d.batch && d.batch > 0;
  const bool apart = d.batch == 1 || d.stride >= d.leading * static_cast<std::int64_t>(d.columns);
  if (!types || !sizes || !batches || !apart || !is_known(matmul.epilogue)) return std::nullopt;
  const auto bytes = static_cast<std::int64_t>(element_bytes(d.type));
  return Batch{.product = {.type = d.type,
                           .rows = static_cast<std::int64_t>(d.rows),
                           .columns = static_cast<std::int64_t>(d.columns),
                           .depth = static_cast<std::int64_t>(depth),
                           .transpose_a = transpose_a,
                           .transpose_b = transpose_b,
                           .leading_a = a.leading,
                           .leading_b = b.leading,
                           .leading_d = d.leading,
                           .epilogue = matmul.epilogue},
               .count = d.batch,
               .a_stride = a.stride * bytes,
               .b_stride = b.stride * bytes,
               .d_stride = d.stride * bytes};
}

// FNV-1a over what a product is.
std::uint64_t hash_of(const Batch& batch) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto mix = [&](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001B3U;
  };
  const Product& p = batch.product;
  for (const std::int64_t value :
       {std::int64_t{p.type}, p.rows, p.columns, p.depth, std::int64_t{p.transpose_a},
        std::int64_t{p.transpose_b}, p.leading_a, p.leading_b, p.leading_d,
        std::int64_t{p.epilogue}, std::int64_t{batch.count}, batch.a_stride, batch.b_stride,
        batch.d_stride}) {
    mix(value);
  }
  return hash;
}

Algorithm algorithm_in(const cublasLtMatmulAlgo_t& opaque) {
  Algorithm algorithm;
  static_assert(sizeof(algorithm) <= sizeof(opaque.data));
  std::memcpy(&algorithm, opaque.data, sizeof(algorithm));
  return algorithm;
}

bool is_aligned(const void* place, std::uint32_t alignment) {
  return alignment != 0 && reinterpret_cast<std::uintptr_t>(place) % alignment == 0;
}

bool is_one_and_zero(cudaDataType_t type, const void* alpha, const void* beta) {
  if (type == CUDA_R_64F) {
    return *static_cast<const double*>(alpha) == 1 && *static_cast<const double*>(beta) == 0;
  }
  return *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
}

const char* type_name(cudaDataType_t type) {
  return type == CUDA_R_16F    ? "f16"
         : type == CUDA_R_16BF ? "bf16"
         : type == CUDA_R_32F  ? "f32"
                               : "f64";
}

}  // namespace

extern "C" {

void fake_cublaslt_refuse(const FakeCublasLtRefusals* what) { g_refusals = *what; }

std::size_t cublasLtGetVersion() { return 130000; }

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
  }
}
const char* cublasLtGetStatusString(cublasStatus_t) { return "by the double of cuBLASLt"; }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  *handle = new cublasLtContext{.context = context};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  *found = 0;
  if (handle == nullptr || wanted < 1) return CUBLAS_STATUS_INVALID_VALUE;
  const auto batch = batch_of(described(matmul), described(a), described(b), described(d));
  if (!batch) return CUBLAS_STATUS_INVALID_VALUE;
  const bool has_epilogue = described(matmul).epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  if (has_epilogue && g_refusals.epilogues) return CUBLAS_STATUS_INVALID_VALUE;
  if (g_refusals.algorithms) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Preference& limits = described(preference);
  Algorithm algorithm{.product = hash_of(*batch),
                      .alignment_a = limits.alignment_a,
                      .alignment_b = limits.alignment_b,
                      .alignment_d = limits.alignment_d};
  if (batch->product.depth >= kDeep && limits.workspace >= kWorkspaceOfDeepSums) {
    algorithm.workspace = kWorkspaceOfDeepSums;
  }
  results[0] = {};
  std::memcpy(results[0].algo.data, &algorithm, sizeof(algorithm));
  results[0].workspaceSize = algorithm.workspace;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  CUcontext context = nullptr;
  if (handle == nullptr || cuCtxGetCurrent(&context) != CUDA_SUCCESS ||
      context != handle->context) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  const MatmulDescription& description = described(matmul);
  const auto batch =
      batch_of(description, described(a_layout), described(b_layout), described(d_layout));
  if (!batch || algo == nullptr || c != d || !is_one_and_zero(batch->product.type, alpha, beta)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const Algorithm algorithm = algorithm_in(*algo);
  const bool has_bias = description.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  const bool fits = algorithm.product == hash_of(*batch) &&
                    algorithm.workspace <= workspace_bytes &&
                    is_aligned(a, algorithm.alignment_a) && is_aligned(b, algorithm.alignment_b) &&
                    is_aligned(d, algorithm.alignment_d) && is_aligned(workspace, 256) &&
                    (!has_bias || description.bias != nullptr);
  if (!fits) return CUBLAS_STATUS_INVALID_VALUE;
  if (g_refusals.launches) return CUBLAS_STATUS_EXECUTION_FAILED;

  const auto range = [](const void* place, std::size_t bytes) {
    return DeviceRange{.begin = reinterpret_cast<CUdeviceptr>(place), .bytes = bytes};
  };
  const Product product = batch->product;
  Operation operation;
  operation.text = "cublasLtMatmul " + std::string(type_name(product.type)) + " " +
                   std::to_string(product.columns) + "x" + std::to_string(product.depth) + "x" +
                   std::to_string(product.rows) + " batch " + std::to_string(batch->count) +
                   " epilogue " + std::to_string(description.epilogue);
  operation.touches = {range(a, Batch::bytes_of(described(a_layout))),
                       range(b, Batch::bytes_of(described(b_layout))),
                       range(d, Batch::bytes_of(described(d_layout)))};
  const void* const bias = has_bias ? description.bias : nullptr;
  if (has_bias) {
    operation.touches.push_back(
        range(bias, static_cast<std::size_t>(product.rows) * element_bytes(product.type)));
  }
  if (algorithm.workspace > 0) operation.touches.push_back(range(workspace, workspace_bytes));
  operation.run = [batch = *batch, a, b, bias, d, workspace, workspace_bytes] {
    if (workspace_bytes > 0) std::memset(workspace, 0x5A, workspace_bytes);
    for (std::int64_t i = 0; i < batch.count; ++i) {
      multiply(batch.product, static_cast<const std::byte*>(a) + i * batch.a_stride,
               static_cast<const std::byte*>(b) + i * batch.b_stride, bias,
               static_cast<std::byte*>(d) + i * batch.d_stride);
    }
  };
  const CUresult result = enqueue(reinterpret_cast<CUstream>(stream), std::move(operation));
  return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
