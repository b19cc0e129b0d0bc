// error: .*a compiled function returns a tree
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  auto step = compile([](const Tensor& x) { eval(x); });
  step(tensor(1.F));
}
