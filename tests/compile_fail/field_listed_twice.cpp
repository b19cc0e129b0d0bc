// error: .*a field is in TUTTI_FIELDS twice
#include <tutti/tutti.h>

using namespace tutti;

struct Layer {
  Tensor weight, bias;
  TUTTI_FIELDS(weight, weight)
};

int main() { leaves(Layer{zeros({2}), zeros({2})}); }
