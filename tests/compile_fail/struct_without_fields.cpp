// error: .*not a tree: list the struct's fields with TUTTI_FIELDS
#include <tutti/tutti.h>

using namespace tutti;

struct Layer {
  Tensor weight;
};

int main() { leaves(Layer{zeros({2})}); }
