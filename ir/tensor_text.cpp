#include <tutti/ir/tensor_text.h>

#include <ostream>
#include <sstream>
#include <type_traits>

namespace tutti::ir {

namespace {

constexpr std::int64_t kEdge = 3;     // elements shown at each end of a long dimension
constexpr std::int64_t kLong = 1000;  // a tensor with more elements is shortened

void print_element(std::ostream& out, const Array& array, std::int64_t at) {
  visit_dtype(array.dtype(), [&]<class T>(std::type_identity<T>) {
    const T value = array.data<T>()[static_cast<std::size_t>(at)];
    if constexpr (std::is_same_v<T, bool>) {
      out << (value ? "true" : "false");
    } else if constexpr (std::is_integral_v<T>) {
      out << +value;
    } else {
      out << static_cast<double>(value);
    }
  });
}

void print_dimension(std::ostream& out, const Array& array, int dimension, std::int64_t at,
                     bool shorten) {
  if (dimension == array.shape().rank()) {
    print_element(out, array, at);
    return;
  }
  const std::int64_t size = array.shape()[dimension];
  const std::int64_t stride = array.shape().strides()[static_cast<std::size_t>(dimension)];
  const bool last = dimension + 1 == array.shape().rank();
  const std::string separator =
      last ? ", " : ",\n" + std::string(static_cast<std::size_t>(dimension) + 1, ' ');
  out << "[";
  for (std::int64_t i = 0; i < size; ++i) {
    if (i > 0) out << separator;
    if (shorten && size > 2 * kEdge && i == kEdge) {
      out << "..." << separator;
      i = size - kEdge;
    }
    print_dimension(out, array, dimension + 1, at + i * stride, shorten);
  }
  out << "]";
}

}  // namespace

std::string tensor_text(const Array& array) {
  std::ostringstream text;
  text << name_of(array.dtype()) << array.shape().text() << " ";
  // Nothing may have many rows, too.
  const bool shorten = array.elements() > kLong || array.elements() == 0;
  print_dimension(text, array, 0, 0, shorten);
  return text.str();
}

}  // namespace tutti::ir
