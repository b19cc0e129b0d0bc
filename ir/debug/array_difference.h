#pragma once

#include <tutti/ir/array.h>

#include <optional>
#include <string>
#include <vector>

namespace tutti::ir {

// Where two arrays of one dtype and shape differ.
struct ArrayDifference {
  std::vector<std::int64_t> index;  // of the first element that differs
  std::string expected;             // that element in both, as text
  std::string actual;
  std::int64_t count = 0;  // of all elements that differ
};

// Nothing if the arrays agree. Integers and bool agree bit for bit. Floating-point numbers agree if
// they differ by at most `tolerance` times the largest finite magnitude of `expected`, so that what
// nearly cancels out may differ in the order of its sum; 0 as -0, NaN as NaN, infinities as
// themselves only. InternalError for arrays of different dtypes or shapes.
std::optional<ArrayDifference> array_difference(const Array& expected, const Array& actual,
                                                double tolerance);

}  // namespace tutti::ir
