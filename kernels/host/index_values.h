#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tutti::kernels {

// An index of any integer dtype as i64; one beyond the range of i64 counts as too large.
template <class Index>
std::int64_t index_value(Index index) {
  if constexpr (std::is_same_v<Index, std::uint64_t>) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(index, INT64_MAX));
  } else {
    return static_cast<std::int64_t>(index);
  }
}

template <class Index>
std::int64_t clamped_index(Index index, std::int64_t size) {
  return std::clamp<std::int64_t>(index_value(index), 0, size - 1);
}

// Calls f(std::type_identity<Index>()) with the C++ type of an integer dtype. Throws InternalError
// for any other.
template <class F>
void visit_index_dtype(DType dtype, F&& f) {
  visit_dtype(dtype, [&]<class Index>(std::type_identity<Index> tag) {
    if constexpr (is_integer(dtype_of<Index>)) {
      f(tag);
    } else {
      throw InternalError("indices of " + std::string(name_of(dtype)) + "; they must be integers");
    }
  });
}

}  // namespace tutti::kernels
