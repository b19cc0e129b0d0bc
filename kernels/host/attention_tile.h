#pragma once

#include <tutti/kernels/host/attention.h>
#include <tutti/kernels/host/attention_rows.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

// What both directions of attention work with.
namespace tutti::kernels::attention {

// The dtype in which elements of T are computed.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

struct Sizes {
  std::int64_t matrices = 1;  // in all leading dimensions
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t depth = 0;  // of a query and a key
  std::int64_t width = 0;  // of a value

  // Throws InternalError where the operands do not fit.
  explicit Sizes(const Attention& spec);
};

// Where a matrix of an operand begins and how to walk in it.
struct Place {
  std::int64_t offset;
  std::int64_t row_stride;
  std::int64_t column_stride;
};
Place place_of(const StridedView& view, std::int64_t matrix);

// Rows whose elements are adjacent.
template <class C>
struct Rows {
  const C* data;
  std::int64_t stride;
};

template <class T, class C>
void convert(const T* from, C* to, std::int64_t count) {
  if constexpr (std::is_same_v<T, C>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(C));
  } else {
    widen(from, to, count);
  }
}
template <class T, class C>
void convert_back(const C* from, T* to, std::int64_t count) {
  if constexpr (std::is_same_v<T, C>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(C));
  } else {
    narrow(from, to, count);
  }
}

// Copies rows [begin, begin + count) of a matrix densely.
template <class T, class C>
void copy_rows(const T* base, const Place& place, std::int64_t begin, std::int64_t count,
               std::int64_t columns, C* to) {
  for (std::int64_t i = 0; i < count; ++i, to += columns) {
    const T* row = base + place.offset + (begin + i) * place.row_stride;
    if (place.column_stride == 1) {
      convert(row, to, columns);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[j] = static_cast<C>(row[j * place.column_stride]);
      }
    }
  }
}

// The rows where they are, if they can be multiplied there, or a copy in `copy`.
template <class T, class C>
Rows<C> rows_of(const T* base, const Place& place, std::int64_t begin, std::int64_t count,
                std::int64_t columns, C* copy) {
  if constexpr (std::is_same_v<T, C>) {
    if (place.column_stride == 1 && place.row_stride >= columns) {
      return {base + place.offset + begin * place.row_stride, place.row_stride};
    }
  }
  copy_rows(base, place, begin, count, columns, copy);
  return {copy, columns};
}

// The products of one call, by the thread that computes it.
template <class C>
class Products {
 public:
  explicit Products(const KnownProducts& known) : known_(known) {}

  // c[m, n] = a b or c += a b; a and b with their row and column strides.
  struct Operand {
    const C* data;
    std::int64_t row_stride;
    std::int64_t column_stride;
  };
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Operand& a, const Operand& b,
                C* c, std::int64_t c_row_stride, bool accumulate) {
    const Product product = {
        dtype_of<C>,  m,         n, k, a.row_stride, a.column_stride, b.row_stride, b.column_stride,
        c_row_stride, accumulate};
    known_.get(product).run(library_, a.data, b.data, c);
  }

 private:
  const KnownProducts& known_;
  LibraryUse library_;
};

template <class C>
typename Products<C>::Operand as_is(Rows<C> rows) {
  return {rows.data, rows.stride, 1};
}
template <class C>
typename Products<C>::Operand transposed(Rows<C> rows) {
  return {rows.data, 1, rows.stride};
}

// Scores of queries [query, query + rows) and keys [key, key + count) that are not to be seen
// become -inf, and so does what pads a row.
template <class C>
void hide(const Attention& spec, const bool* mask, std::int64_t matrix, std::int64_t query,
          std::int64_t rows, std::int64_t key, std::int64_t count, C* scores) {
  constexpr C kNever = -std::numeric_limits<C>::infinity();
  const std::int64_t padded = padded_scores(count);
  const Place place = spec.mask ? place_of(*spec.mask, matrix) : Place{};
  for (std::int64_t i = 0; i < rows; ++i, scores += padded) {
    const std::int64_t seen =
        spec.causal ? std::clamp<std::int64_t>(query + i + 1 - key, 0, count) : count;
    std::fill(scores + seen, scores + padded, kNever);
    if (!spec.mask) continue;
    const bool* row =
        mask + place.offset + (query + i) * place.row_stride + key * place.column_stride;
    for (std::int64_t j = 0; j < seen; ++j) {
      scores[j] = row[j * place.column_stride] ? scores[j] : kNever;
    }
  }
}

// How many keys a block of queries that ends before `query_end` sees at most.
inline std::int64_t keys_seen(const Attention& spec, const Sizes& sizes, std::int64_t query_end) {
  return spec.causal ? std::min(sizes.keys, query_end) : sizes.keys;
}

// How many of `count` keys from `key` on come before the last one that the mask shows to any of
// these queries, and itself; 0: it hides them all.
inline std::int64_t keys_shown(const Attention& spec, const bool* mask, std::int64_t matrix,
                               std::int64_t query, std::int64_t rows, std::int64_t key,
                               std::int64_t count) {
  if (!spec.mask) return count;
  const Place place = place_of(*spec.mask, matrix);
  const std::int64_t different = place.row_stride == 0 ? 1 : rows;
  std::int64_t shown = 0;
  for (std::int64_t i = 0; i < different && shown < count; ++i) {
    const bool* const row =
        mask + place.offset + (query + i) * place.row_stride + key * place.column_stride;
    if (place.column_stride == 1) {
      const auto rest = static_cast<std::size_t>(count - shown);
      const void* const last = memrchr(row + shown, 1, rest);
      if (last != nullptr) shown = static_cast<const bool*>(last) - row + 1;
      continue;
    }
    std::int64_t end = count;
    while (end > shown && !row[(end - 1) * place.column_stride]) --end;
    shown = end;
  }
  return shown;
}

// Calls f(type) for the floating-point dtypes.
template <class F>
void visit_floating(DType dtype, F&& f) {
  visit_dtype(dtype, [&]<class T>(std::type_identity<T> type) {
    if constexpr (is_floating(dtype_of<T>)) f(type);
  });
}

}  // namespace tutti::kernels::attention
