#include <tutti/ir/tensor_text.h>
#include <tutti/lazy/tensor.h>

#include <ostream>

namespace tutti {

std::ostream& operator<<(std::ostream& out, const Printed& printed) {
  const auto text = [&](const Tensor& tensor) {
    return ir::tensor_text(detail::array_of(tensor, printed.where_));
  };
  if (printed.tensor_ != nullptr) return out << text(*printed.tensor_);
  return out << text(printed.async_->wait(printed.where_));
}

}  // namespace tutti
