// error: .*a field is missing in TUTTI_FIELDS
#include <tutti/tutti.h>

using namespace tutti;

struct Layer {
  Tensor weight, bias;
  TUTTI_FIELDS(weight)
};

int main() { leaves(Layer{zeros({2}), zeros({2})}); }
