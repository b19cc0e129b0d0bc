// error: .*the compiled function takes other arguments, or another number of them
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  auto step = compile([](const auto& x, const auto& y) { return x + y; });
  step(zeros({2}));
}
