// error: .*the body of a scan gives a pair
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  scan([](const Tensor& c, const Tensor& x) { return c + x; }, zeros({2}), zeros({3, 2}));
}
