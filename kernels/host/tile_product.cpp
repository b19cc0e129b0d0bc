#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::kernels {

namespace {

void convert(const float* from, float* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}
template <class T>
void convert(const T* from, float* to, std::int64_t count) {
  widen(from, to, count);
}

// Whether the dense copy of a matrix is row-major (else column-major): as its elements are
// adjacent.
bool copies_rows(std::int64_t row_stride, std::int64_t column_stride) {
  return column_stride == 1 || row_stride != 1;
}

// Copies a matrix densely.
template <class T>
void copy_matrix(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                 std::int64_t column_stride, float* to) {
  if (!copies_rows(row_stride, column_stride)) {
    std::swap(rows, columns);
    std::swap(row_stride, column_stride);
  }
  for (std::int64_t i = 0; i < rows; ++i, to += columns) {
    const T* row = from + i * row_stride;
    if (column_stride == 1) {
      convert(row, to, columns);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = row[j * column_stride];
    }
  }
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

CopiedProduct::CopiedProduct(const Product& product) : product_(product) {
  if (!library_multiplies(DType::f32)) return;
  pieces_.emplace(product.k, [this](std::int64_t number) { return piece(number); });
}

Product CopiedProduct::piece(std::int64_t number) const {
  const Product& p = product_;
  const std::int64_t depth = std::min(kDepth, p.k - number * kDepth);
  const bool a_rows = copies_rows(p.a_row_stride, p.a_column_stride);
  const bool b_rows = copies_rows(p.b_row_stride, p.b_column_stride);
  return {.dtype = DType::f32,
          .m = p.m,
          .n = p.n,
          .k = depth,
          .a_row_stride = a_rows ? depth : 1,
          .a_column_stride = a_rows ? 1 : p.m,
          .b_row_stride = b_rows ? p.n : 1,
          .b_column_stride = b_rows ? 1 : depth,
          .c_row_stride = p.n,
          .accumulate = number > 0};
}

void CopiedProduct::run(LibraryUse& library, const void* a, const void* b, void* c) const {
  visit_dtype(product_.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_floating(dtype_of<T>) && !std::is_same_v<T, double>) {
      run(library, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
    }
  });
}

template <class T>
void CopiedProduct::run(LibraryUse& library, const T* a, const T* b, T* c) const {
  const Product& p = product_;
  constinit thread_local PerThread<Scratch> scratch;
  const std::int64_t most_depth = std::min(kDepth, p.k);
  const auto memory = scratch.get().use<float>((p.m + p.n) * most_depth + p.m * p.n);
  float* const a_copy = memory.get();
  float* const b_copy = a_copy + p.m * most_depth;
  float* const sums = b_copy + p.n * most_depth;
  for (std::int64_t number = 0; number < divide_up(p.k, kDepth); ++number) {
    const std::int64_t l = number * kDepth;
    const std::int64_t depth = std::min(kDepth, p.k - l);
    copy_matrix(a + l * p.a_column_stride, p.m, depth, p.a_row_stride, p.a_column_stride, a_copy);
    copy_matrix(b + l * p.b_row_stride, depth, p.n, p.b_row_stride, p.b_column_stride, b_copy);
    multiply(library, number, a_copy, b_copy, sums);
  }
  for (std::int64_t i = 0; i < p.m; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      convert(sums + i * p.n, c + i * p.c_row_stride, p.n);
    } else {
      narrow(sums + i * p.n, c + i * p.c_row_stride, p.n);
    }
  }
}

void CopiedProduct::multiply(LibraryUse& library, std::int64_t number, const float* a,
                             const float* b, float* c) const {
  if (!pieces_) return multiply_by_loops(piece(number), a, b, c);
  (*pieces_)[number].run(library, a, b, c);
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
  if (library && strides && PackedProduct::suits(product)) {
    packed_.emplace(product);
  } else if (library && strides) {
    library_.emplace(product);
  } else if (is_narrow_floating(product.dtype) || library) {
    if (product.accumulate) throw InternalError("no product of copies adds to what there is");
    copied_.emplace(product);
  }
}

void TileProduct::run(LibraryUse& library, const void* a, const void* b, void* c) const {
  if (is_narrow_) {
    if (!multiply_by_pairs(product_, a, b, c)) multiply_widened(product_, a, b, c);
  } else if (is_direct_) {
    multiply_directly(product_, a, b, c);
  } else if (library_) {
    library_->run(library, a, b, c);
  } else if (packed_) {
    packed_->run(library, a, b, c);
  } else if (copied_) {
    copied_->run(library, a, b, c);
  } else {
    multiply_by_loops(product_, a, b, c);
  }
}

KnownProducts::~KnownProducts() {
  const Entry* next = newest_.load();
  while (next != nullptr) delete std::exchange(next, next->older);
}

const TileProduct& KnownProducts::get(const Product& product) const {
  if (const TileProduct* const known = find(product)) return *known;
  const std::lock_guard lock(adding_);
  if (const TileProduct* const known = find(product)) return *known;
  const auto* const added =
      new Entry{.product = TileProduct(product), .older = newest_.load(std::memory_order_relaxed)};
  newest_.store(added, std::memory_order_release);
  return added->product;
}

const TileProduct* KnownProducts::find(const Product& product) const {
  for (const Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older) {
    if (entry->product.product() == product) return &entry->product;
  }
  return nullptr;
}

}  // namespace tutti::kernels
