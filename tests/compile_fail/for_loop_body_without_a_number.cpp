// error: .*the body of a for_loop takes the step's number and the carry
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  const Tensor out = for_loop(3, [](const Tensor& x) { return x + 1; }, zeros({2}));
}
