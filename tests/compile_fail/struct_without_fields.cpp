// error: not a tree: list the struct's fields with TUTTI_FIELDS
#include <tutti/tutti.h>

struct Model {
  tutti::Tensor weight;
};

void compute(const Model& model) { tutti::eval(model); }
