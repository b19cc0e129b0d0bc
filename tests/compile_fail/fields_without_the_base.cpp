// error: .*a field is missing in TUTTI_FIELDS
#include <tutti/tutti.h>

using namespace tutti;

struct Scaled : nn::Linear {
  Tensor scale;
  TUTTI_FIELDS(scale)
};

int main() { leaves(Scaled{nn::linear(Key(1), 2, 2), ones({2})}); }
