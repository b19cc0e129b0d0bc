// error: deleted function
#include <tutti/tutti.h>

float first(const tutti::Tensor& x) {
  const std::span<const float> elements = x.array().data<float>();
  return elements[0];
}
