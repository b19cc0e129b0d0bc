// error: a compiled function returns a tree
#include <tutti/tutti.h>

void step(tutti::Tensor x) {
  auto nothing = tutti::compile([](tutti::Tensor) {});
  nothing(x);
}
