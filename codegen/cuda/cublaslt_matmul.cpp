#include <tutti/codegen/cuda/cublaslt_matmul.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>

#include <array>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

using runtime::Accelerator;
using runtime::CublasLt;

// What an algorithm may use; cuBLAS itself takes so much on an H100.
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{32} << 20;
// No algorithm wants more alignment (bytes); buffers have at least this.
constexpr std::int64_t kOperandAlignment = 64;

struct DataTypes {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

DataTypes types_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::bf16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::f32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::f64:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    default:
      throw InternalError("cuBLASLt multiplies no " + std::string(name_of(dtype)));
  }
}

cublasLtEpilogue_t epilogue_of(std::optional<Epilogue::Kind> kind) {
  if (!kind) return CUBLASLT_EPILOGUE_DEFAULT;
  switch (*kind) {
    case Epilogue::Kind::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::Kind::bias_relu:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case Epilogue::Kind::bias_gelu_tanh:
      return CUBLASLT_EPILOGUE_GELU_BIAS;
  }
  __builtin_unreachable();
}

// A description that the library made, with the function that destroys it.
template <class T>
using Owned = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

// cuBLASLt's matrices are column-major. A row-major matrix is the transposed column-major one, and
// c = a b is c^T = b^T a^T: so b is the library's first operand and a its second one.
class CublasLtMatmul final : public runtime::DeviceCode {
 public:
  CublasLtMatmul(const CublasLt& library, const MatmulLayout& product,
                 std::optional<Epilogue::Kind> epilogue)
      : library_(library),
        product_(product),
        epilogue_(epilogue),
        types_(types_of(product.dtype)),
        operation_(make_operation()),
        a_(make_matrix(product.a, product.k, product.m, product.a_stride)),
        b_(make_matrix(product.b, product.n, product.k, product.b_stride)),
        c_(make_matrix({.transposed = false, .leading = product.n}, product.n, product.m,
                       product.c_stride)),
        preference_(make_preference()) {}

  void launch(Accelerator& accelerator, void* const* buffers) const override {
    auto& cuda = runtime::CudaAccelerator::of(accelerator);
    const runtime::CudaStream::Entered entered = cuda.stream()->enter();
    const cublasLtHandle_t handle = cuda.stream()->cublaslt(library_);
    // The library has what it was told about this launch in its descriptions.
    const std::scoped_lock lock(mutex_);
    std::size_t buffer = 2;
    if (epilogue_) set_operation(CUBLASLT_MATMUL_DESC_BIAS_POINTER, buffers[buffer++]);
    const Algorithm& algorithm = algorithm_on(cuda.stream()->index(), handle);
    std::byte* workspace = nullptr;
    if (algorithm.workspace_bytes > 0) {
      workspace = accelerator.workspace(Accelerator::kCounterBytes + algorithm.workspace_bytes) +
                  Accelerator::kCounterBytes;
    }
    const auto element = [&](void* base, std::int64_t offset) {
      return static_cast<std::byte*>(base) + offset * size_of(product_.dtype);
    };
    const Scale one(product_.dtype, 1);
    const Scale zero(product_.dtype, 0);
    for (const MatmulLayout::Call& call : product_.calls) {
      void* const result = element(buffers[buffer], call.c);
      library_.check(
          library_.cublasLtMatmul(handle, operation_.get(), one.get(), element(buffers[1], call.b),
                                  b_.get(), element(buffers[0], call.a), a_.get(), zero.get(),
                                  result, c_.get(), result, c_.get(), &algorithm.chosen, workspace,
                                  algorithm.workspace_bytes, cuda.stream()->handle()),
          "cublasLtMatmul", text());
    }
  }

 private:
  struct Algorithm {
    cublasLtMatmulAlgo_t chosen{};
    std::size_t workspace_bytes = 0;
  };

  // A factor in the type that it is multiplied in.
  class Scale {
   public:
    Scale(DType dtype, float value) : single_(value), number_(value), wide_(dtype == DType::f64) {}
    const void* get() const {
      return wide_ ? static_cast<const void*>(&number_) : static_cast<const void*>(&single_);
    }

   private:
    float single_;
    double number_;
    bool wide_;
  };

  std::string text() const {
    return "multiplying " + std::string(name_of(product_.dtype)) + " " +
           std::to_string(product_.m) + "x" + std::to_string(product_.k) + "x" +
           std::to_string(product_.n) + ", batch " + std::to_string(product_.batch);
  }

  template <class T>
  void set_operation(cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    library_.check(
        library_.cublasLtMatmulDescSetAttribute(operation_.get(), attribute,
                                                static_cast<const void*>(&value), sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
  }

  Owned<cublasLtMatmulDescOpaque_t> make_operation() {
    cublasLtMatmulDesc_t made = nullptr;
    library_.check(library_.cublasLtMatmulDescCreate(&made, types_.compute, types_.scale),
                   "cublasLtMatmulDescCreate");
    Owned<cublasLtMatmulDescOpaque_t> owned(made, library_.cublasLtMatmulDescDestroy);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      library_.check(
          library_.cublasLtMatmulDescSetAttribute(made, attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
    };
    const auto operation = [](const MatrixLayout& matrix) {
      return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, operation(product_.b));
    set(CUBLASLT_MATMUL_DESC_TRANSB, operation(product_.a));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(epilogue_));
    return owned;
  }

  // A matrix with `columns` elements in a row and so many rows, or the other way round in memory.
  Owned<cublasLtMatrixLayoutOpaque_t> make_matrix(const MatrixLayout& matrix, std::int64_t columns,
                                                  std::int64_t rows, std::int64_t stride) {
    if (matrix.transposed) std::swap(columns, rows);
    cublasLtMatrixLayout_t made = nullptr;
    library_.check(library_.cublasLtMatrixLayoutCreate(
                       &made, types_.element, static_cast<std::uint64_t>(columns),
                       static_cast<std::uint64_t>(rows), matrix.leading),
                   "cublasLtMatrixLayoutCreate", text());
    Owned<cublasLtMatrixLayoutOpaque_t> owned(made, library_.cublasLtMatrixLayoutDestroy);
    const auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
      library_.check(
          library_.cublasLtMatrixLayoutSetAttribute(made, attribute, &value, sizeof(value)),
          "cublasLtMatrixLayoutSetAttribute");
    };
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(product_.batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
    return owned;
  }

  Owned<cublasLtMatmulPreferenceOpaque_t> make_preference() {
    cublasLtMatmulPreference_t made = nullptr;
    library_.check(library_.cublasLtMatmulPreferenceCreate(&made),
                   "cublasLtMatmulPreferenceCreate");
    Owned<cublasLtMatmulPreferenceOpaque_t> owned(made, library_.cublasLtMatmulPreferenceDestroy);
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      library_.check(
          library_.cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
    // Parts of a sum are never added as 16-bit floats.
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    using Call = MatmulLayout::Call;
    const std::uint32_t a = alignment(&Call::a, product_.a_stride);
    const std::uint32_t b = alignment(&Call::b, product_.b_stride);
    const std::uint32_t c = alignment(&Call::c, product_.c_stride);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, b);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, a);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, c);
    return owned;
  }

  // What all matrices of an operand are aligned to (bytes).
  std::uint32_t alignment(std::int64_t MatmulLayout::Call::* start, std::int64_t stride) const {
    const std::int64_t bytes = size_of(product_.dtype);
    std::int64_t all = std::gcd(kOperandAlignment, stride * bytes);
    for (const MatmulLayout::Call& call : product_.calls) all = std::gcd(all, call.*start * bytes);
    return static_cast<std::uint32_t>(all);
  }

  // The library's choice for a GPU, once. mutex_ is held.
  const Algorithm& algorithm_on(int device, cublasLtHandle_t handle) const {
    const auto known = algorithms_.find(device);
    if (known != algorithms_.end()) return known->second;
    std::array<cublasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    const cublasStatus_t status = library_.cublasLtMatmulAlgoGetHeuristic(
        handle, operation_.get(), b_.get(), a_.get(), c_.get(), c_.get(), preference_.get(),
        static_cast<int>(found.size()), found.data(), &count);
    library_.check(status, "cublasLtMatmulAlgoGetHeuristic", text());
    for (const auto& candidate : std::span(found).first(static_cast<std::size_t>(count))) {
      if (candidate.state != CUBLAS_STATUS_SUCCESS) continue;
      return algorithms_[device] = {.chosen = candidate.algo,
                                    .workspace_bytes = candidate.workspaceSize};
    }
    throw EnvironmentError("cuBLASLt has no algorithm for " + text());
  }

  const CublasLt& library_;
  const MatmulLayout product_;
  const std::optional<Epilogue::Kind> epilogue_;
  const DataTypes types_;
  const Owned<cublasLtMatmulDescOpaque_t> operation_;
  const Owned<cublasLtMatrixLayoutOpaque_t> a_;
  const Owned<cublasLtMatrixLayoutOpaque_t> b_;
  const Owned<cublasLtMatrixLayoutOpaque_t> c_;
  const Owned<cublasLtMatmulPreferenceOpaque_t> preference_;
  mutable std::mutex mutex_;  // of what follows, and of what operation_ says of the bias
  mutable std::map<int, Algorithm> algorithms_;
};

}  // namespace

const CublasLt* find_cublaslt() {
  static const CublasLt* const found = []() -> const CublasLt* {
    try {
      return &CublasLt::process();
    } catch (const EnvironmentError&) {
      return nullptr;
    }
  }();
  return found;
}

std::shared_ptr<const runtime::DeviceCode> cublaslt_matmul(const CublasLt& library,
                                                           const MatmulLayout& layout,
                                                           std::optional<Epilogue::Kind> epilogue) {
  return std::make_shared<const CublasLtMatmul>(library, layout, epilogue);
}

}  // namespace tutti::codegen::cuda
