// error: .*a field is missing in TUTTI_FIELDS
#include <tutti/tutti.h>

using namespace tutti;

struct Layer {
  Tensor weight;
  bool transposed, frozen;  // as large with one as with both
  TUTTI_FIELDS(weight, transposed)
};

int main() { leaves(Layer{zeros({2}), true, true}); }
