#include <tutti/ir/tensor_text.h>
#include <tutti/lazy/tensor.h>

#include <ostream>

namespace tutti {

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << ir::tensor_text(detail::array_of(tensor, {}));  // an operator knows no line
}

std::ostream& operator<<(std::ostream& out, const AsyncTensor& async) {
  return out << async.wait();
}

}  // namespace tutti
