#include <tutti/ir/debug/array_difference.h>
#include <tutti/ir/text/literal.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tutti::ir {

namespace {

std::span<const std::byte> element_bytes(const Array& array, std::int64_t n) {
  const auto size = static_cast<std::size_t>(size_of(array.dtype()));
  return array.bytes().subspan(static_cast<std::size_t>(n) * size, size);
}

std::string element_text(const Array& array, std::int64_t n) {
  Array element(array.dtype(), {});
  std::ranges::copy(element_bytes(array, n), element.bytes().begin());
  std::string out;
  append_array(out, element);
  return out.substr(out.find(' ') + 1);  // behind the type
}

double largest_magnitude(const Array& array) {
  double out = 0;
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    const double magnitude = std::fabs(array.at(i));
    if (std::isfinite(magnitude)) out = std::max(out, magnitude);
  }
  return out;
}

bool agree(double expected, double actual, double allowed) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) == std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
  return std::fabs(expected - actual) <= allowed;
}

}  // namespace

std::optional<ArrayDifference> array_difference(const Array& expected, const Array& actual,
                                                double tolerance) {
  if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape()) {
    throw InternalError("arrays to compare are of one dtype and shape");
  }
  if (expected == actual) return std::nullopt;
  const bool floating = is_floating(expected.dtype());
  const double allowed = floating ? tolerance * largest_magnitude(expected) : 0;
  std::optional<ArrayDifference> out;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    if (std::ranges::equal(element_bytes(expected, i), element_bytes(actual, i))) continue;
    if (floating && agree(expected.at(i), actual.at(i), allowed)) continue;
    if (!out) {
      out.emplace();
      const auto strides = expected.shape().strides();
      std::int64_t rest = i;
      for (int d = 0; d < expected.shape().rank(); ++d) {
        out->index.push_back(rest / strides[static_cast<std::size_t>(d)]);
        rest %= strides[static_cast<std::size_t>(d)];
      }
      out->expected = element_text(expected, i);
      out->actual = element_text(actual, i);
    }
    ++out->count;
  }
  return out;
}

}  // namespace tutti::ir
