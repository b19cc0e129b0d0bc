// error: .*the compiled function takes other arguments, or another number of them
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  auto step = compile([](const Tensor& x, const Tensor& y) { return x + y; });
  const Tensor sum = step(zeros({2}));
}
