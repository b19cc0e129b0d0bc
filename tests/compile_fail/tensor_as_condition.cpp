// error: could not convert .*bool|not contextually convertible to .*bool
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  const Tensor x = tensor(1.F);
  return x > 0.F ? 1 : 0;  // elementwise: read it with item<bool>()
}
