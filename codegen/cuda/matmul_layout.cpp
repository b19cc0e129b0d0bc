#include <tutti/codegen/cuda/matmul_layout.h>
#include <tutti/codegen/matmul_call.h>

#include <algorithm>

namespace tutti::codegen::cuda {

namespace {

// More calls than this pay only if each has work for a whole GPU (floating-point operations).
constexpr std::int64_t kFewCalls = 4;
constexpr double kLargeCall = 2e9;

std::optional<MatrixLayout> layout_of(std::int64_t rows, std::int64_t columns,
                                      std::int64_t row_stride, std::int64_t column_stride) {
  // The stride of a dimension of size 1 means nothing.
  if ((column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1)) {
    return MatrixLayout{.transposed = false, .leading = rows == 1 ? columns : row_stride};
  }
  if ((row_stride == 1 || rows == 1) && (column_stride >= rows || columns == 1)) {
    return MatrixLayout{.transposed = true, .leading = columns == 1 ? rows : column_stride};
  }
  return std::nullopt;
}

std::optional<MatrixLayout> layout_of(const View& view) {
  const int rank = view.shape.rank();
  const auto stride = [&](int d) { return view.strides[static_cast<std::size_t>(d)]; };
  return layout_of(view.shape[rank - 2], view.shape[rank - 1], stride(rank - 2), stride(rank - 1));
}

// A dimension of the batch.
struct BatchDimension {
  std::int64_t size;
  std::int64_t a, b, c;  // strides
};

// As few as possible; c is dense.
std::vector<BatchDimension> batch_dimensions(const kernels::Matmul& product) {
  std::vector<BatchDimension> out;
  std::int64_t c = product.m * product.n;
  for (std::size_t d = product.batch.size(); d-- > 0;) {
    const BatchDimension next = {product.batch[d], product.a_batch_strides[d],
                                 product.b_batch_strides[d], c};
    c *= next.size;
    if (next.size == 1) continue;
    if (!out.empty()) {
      BatchDimension& inner = out.back();
      if (next.a == inner.a * inner.size && next.b == inner.b * inner.size) {
        inner.size *= next.size;
        continue;
      }
    }
    out.push_back(next);
  }
  return out;
}

// Whether the dimensions before the matrix have one stride, broadcast ones left out.
bool has_one_batch_stride(const View& view) {
  std::int64_t expected = -1;
  for (int d = view.shape.rank() - 3; d >= 0; --d) {
    const std::int64_t stride = view.strides[static_cast<std::size_t>(d)];
    if (view.shape[d] == 1 || stride == 0) continue;
    if (expected >= 0 && stride != expected) return false;
    expected = stride * view.shape[d];
  }
  return true;
}

bool has_negative_stride(const View& view) {
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (view.shape[d] > 1 && view.strides[static_cast<std::size_t>(d)] < 0) return true;
  }
  return false;
}

}  // namespace

bool cublaslt_multiplies(DType dtype) { return is_floating(dtype) && size_of(dtype) > 1; }

std::optional<MatmulLayout> matmul_layout(const ir::Type& result,
                                          const std::vector<View>& operands) {
  if (has_negative_stride(operands[0]) || has_negative_stride(operands[1])) return std::nullopt;
  const kernels::Matmul product = matmul_spec(result, operands);
  const auto a = layout_of(product.m, product.k, product.a_row_stride, product.a_column_stride);
  const auto b = layout_of(product.k, product.n, product.b_row_stride, product.b_column_stride);
  if (!a || !b) return std::nullopt;
  MatmulLayout out{.dtype = result.dtype,
                   .m = product.m,
                   .n = product.n,
                   .k = product.k,
                   .a = *a,
                   .b = *b,
                   .calls = {{operands[0].offset, operands[1].offset, 0}}};
  std::vector<BatchDimension> dimensions = batch_dimensions(product);
  const auto largest =
      std::ranges::max_element(dimensions, {}, [](const BatchDimension& d) { return d.size; });
  if (largest != dimensions.end()) {
    out.batch = largest->size;
    out.a_stride = largest->a;
    out.b_stride = largest->b;
    out.c_stride = largest->c;
    dimensions.erase(largest);
  }
  for (const BatchDimension& d : dimensions) {
    std::vector<MatmulLayout::Call> calls;
    for (std::int64_t i = 0; i < d.size; ++i) {
      for (const MatmulLayout::Call& call : out.calls) {
        calls.push_back({call.a + i * d.a, call.b + i * d.b, call.c + i * d.c});
      }
    }
    out.calls = std::move(calls);
  }
  return out;
}

bool matmul_takes_view(const ir::Type& result, const std::vector<View>& operands,
                       std::size_t operand) {
  const View& view = operands[operand];
  if (view.source != View::Source::buffer) return false;
  if (view.dense() || !cublaslt_multiplies(result.dtype)) return true;
  if (has_negative_stride(view) || !layout_of(view)) return false;
  if (has_one_batch_stride(view)) return true;
  double work = 2;
  for (const std::int64_t size : result.shape) work *= static_cast<double>(size);
  work *= static_cast<double>(operands[0].shape[operands[0].shape.rank() - 1]);
  std::int64_t matrices = 1;
  std::int64_t largest = 1;
  for (int d = 0; d < view.shape.rank() - 2; ++d) {
    matrices *= view.shape[d];
    largest = std::max(largest, view.shape[d]);
  }
  const std::int64_t calls = matrices / std::max<std::int64_t>(largest, 1);
  return calls <= kFewCalls || work / static_cast<double>(calls) >= kLargeCall;
}

}  // namespace tutti::codegen::cuda
