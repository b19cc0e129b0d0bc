// Views of results of collectives that may still be under way.

#include <tutti/lazy/ops.h>

namespace tutti {

AsyncTensor reshape(const AsyncTensor& x, std::vector<std::int64_t> shape,
                    std::source_location at) {
  return x.then([=](const Tensor& t) { return reshape(Operand(t, at), shape); }, at);
}

AsyncTensor transpose(const AsyncTensor& x, std::vector<std::int64_t> permutation,
                      std::source_location at) {
  return x.then([=](const Tensor& t) { return transpose(Operand(t, at), permutation); }, at);
}

AsyncTensor broadcast_to(const AsyncTensor& x, std::vector<std::int64_t> shape,
                         std::source_location at) {
  return x.then([=](const Tensor& t) { return broadcast_to(Operand(t, at), shape); }, at);
}

AsyncTensor expand_dims(const AsyncTensor& x, std::vector<std::int64_t> axes,
                        std::source_location at) {
  return x.then([=](const Tensor& t) { return expand_dims(Operand(t, at), axes); }, at);
}

AsyncTensor squeeze(const AsyncTensor& x, Axes axes, std::source_location at) {
  return x.then([=](const Tensor& t) { return squeeze(Operand(t, at), axes); }, at);
}

AsyncTensor slice(const AsyncTensor& x, std::vector<Range> ranges, std::source_location at) {
  return x.then([=](const Tensor& t) { return slice(Operand(t, at), ranges); }, at);
}

AsyncTensor reverse(const AsyncTensor& x, std::vector<std::int64_t> axes, std::source_location at) {
  return x.then([=](const Tensor& t) { return reverse(Operand(t, at), axes); }, at);
}

}  // namespace tutti
