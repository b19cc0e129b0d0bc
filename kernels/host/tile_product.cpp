#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

namespace {

void convert(const float* from, float* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}
template <class T>
void convert(const T* from, float* to, std::int64_t count) {
  widen(from, to, count);
}

// Copies a matrix densely, in the direction in which its elements are adjacent. Returns whether the
// copy is row-major (else column-major).
template <class T>
bool copy_matrix(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                 std::int64_t column_stride, float* to) {
  if (column_stride != 1 && row_stride == 1) {
    copy_matrix(from, columns, rows, column_stride, row_stride, to);
    return false;
  }
  for (std::int64_t i = 0; i < rows; ++i, to += columns) {
    const T* row = from + i * row_stride;
    if (column_stride == 1) {
      convert(row, to, columns);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = row[j * column_stride];
    }
  }
  return true;
}

}  // namespace

namespace {

// Row-major, as i32.
void widen_matrix(DType from, const void* data, std::int64_t rows, std::int64_t columns,
                  std::int64_t row_stride, std::int64_t column_stride, std::int32_t* to) {
  visit_dtype(from, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(std::int32_t)) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const T* const row = static_cast<const T*>(data) + i * row_stride;
        for (std::int64_t j = 0; j < columns; ++j) {
          *to++ = static_cast<std::int32_t>(row[j * column_stride]);
        }
      }
    }
  });
}

}  // namespace

void multiply_widened(const Product& product, const void* a, const void* b, void* c) {
  const Product& p = product;
  constinit thread_local PerThread<Scratch> scratch;
  const auto memory = scratch.get().use<std::int32_t>((p.m + p.n) * p.k);
  std::int32_t* const a_copy = memory.get();
  std::int32_t* const b_copy = a_copy + p.m * p.k;
  widen_matrix(p.a_narrow.value_or(p.dtype), a, p.m, p.k, p.a_row_stride, p.a_column_stride,
               a_copy);
  widen_matrix(p.b_narrow.value_or(p.dtype), b, p.k, p.n, p.b_row_stride, p.b_column_stride,
               b_copy);
  const Product dense = {p.dtype, p.m, p.n, p.k, p.k, 1, p.n, 1, p.c_row_stride, p.accumulate};
  if (is_direct(dense)) {
    multiply_directly(dense, a_copy, b_copy, c);
  } else {
    multiply_by_loops(dense, a_copy, b_copy, c);
  }
}

void CopiedProduct::run(const void* a, const void* b, void* c) {
  visit_dtype(product_.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_floating(dtype_of<T>) && !std::is_same_v<T, double>) {
      run(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
    }
  });
}

template <class T>
void CopiedProduct::run(const T* a, const T* b, T* c) {
  const Product& p = product_;
  constinit thread_local PerThread<Scratch> scratch;
  const std::int64_t most_depth = std::min(kDepth, p.k);
  const auto memory = scratch.get().use<float>((p.m + p.n) * most_depth + p.m * p.n);
  float* const a_copy = memory.get();
  float* const b_copy = a_copy + p.m * most_depth;
  float* const sums = b_copy + p.n * most_depth;
  for (std::int64_t l = 0; l < p.k; l += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - l);
    const bool a_rows = copy_matrix(a + l * p.a_column_stride, p.m, depth, p.a_row_stride,
                                    p.a_column_stride, a_copy);
    const bool b_rows =
        copy_matrix(b + l * p.b_row_stride, depth, p.n, p.b_row_stride, p.b_column_stride, b_copy);
    multiply(depth, l > 0, a_rows ? depth : 1, a_rows ? 1 : p.m, b_rows ? p.n : 1,
             b_rows ? 1 : depth, a_copy, b_copy, sums);
  }
  for (std::int64_t i = 0; i < p.m; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      convert(sums + i * p.n, c + i * p.c_row_stride, p.n);
    } else {
      narrow(sums + i * p.n, c + i * p.c_row_stride, p.n);
    }
  }
}

void CopiedProduct::multiply(std::int64_t depth, bool accumulate, std::int64_t a_row_stride,
                             std::int64_t a_column_stride, std::int64_t b_row_stride,
                             std::int64_t b_column_stride, const float* a, const float* b,
                             float* c) {
  const Product piece = {DType::f32,      product_.m,   product_.n,      depth,      a_row_stride,
                         a_column_stride, b_row_stride, b_column_stride, product_.n, accumulate};
  if (!library_multiplies(DType::f32)) return multiply_by_loops(piece, a, b, c);
  if (!library_ || piece_ != piece) {
    library_.emplace(piece);
    piece_ = piece;
  }
  library_->run(a, b, c);
}

TileProduct::TileProduct(const Product& product)
    : product_(product),
      is_narrow_(product.a_narrow || product.b_narrow),
      is_direct_(!is_narrow_ && kernels::is_direct(product)) {
  if (is_narrow_ || is_direct_) return;
  const bool library = library_multiplies(product.dtype);
  const bool strides =
      library_takes(product.m, product.k, product.a_row_stride, product.a_column_stride) &&
      library_takes(product.k, product.n, product.b_row_stride, product.b_column_stride);
  if (library && strides) {
    library_.emplace(product);
  } else if (is_narrow_floating(product.dtype) || library) {
    if (product.accumulate) throw InternalError("no product of copies adds to what there is");
    copied_.emplace(product);
  }
}

void TileProduct::run(const void* a, const void* b, void* c) {
  if (is_narrow_) {
    if (!multiply_by_pairs(product_, a, b, c)) multiply_widened(product_, a, b, c);
  } else if (is_direct_) {
    multiply_directly(product_, a, b, c);
  } else if (library_) {
    library_->run(a, b, c);
  } else if (copied_) {
    copied_->run(a, b, c);
  } else {
    multiply_by_loops(product_, a, b, c);
  }
}

}  // namespace tutti::kernels
