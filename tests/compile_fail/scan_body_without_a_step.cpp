// error: .*the body of a scan takes the carry and a step
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  const auto [last, all] =
      scan([](const Tensor& c) { return std::pair(c, c); }, zeros({2}), zeros({3, 2}));
}
