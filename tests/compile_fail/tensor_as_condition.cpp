// error: could not convert|no viable conversion|not contextually convertible
// A tensor has no truth value: == compares element by element.
#include <tutti/tutti.h>

int compare(const tutti::Tensor& a, const tutti::Tensor& b) {
  if (a == b) return 1;
  return 0;
}
