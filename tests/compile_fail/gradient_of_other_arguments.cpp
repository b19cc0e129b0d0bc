// error: .*the function to differentiate takes other arguments
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  const auto slope = grad([](const Tensor& x, const Tensor& y) { return sum(x * y); });
  const Tensor out = slope(ones({2}));
}
