// error: .*discards qualifiers|no viable overloaded '='
#include <tutti/tutti.h>

using namespace tutti;

int main() {
  Tensor x = zeros({2, 2});
  x[0] = ones({2});
}
