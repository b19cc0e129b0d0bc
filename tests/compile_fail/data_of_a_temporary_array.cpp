// error: (use of|call to) deleted function
#include <tutti/tutti.h>

float total(const tutti::Tensor& x) {
  float sum = 0;
  for (const float element : x.array().data<float>()) sum += element;
  return sum;
}
