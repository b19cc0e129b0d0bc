// error: .*a field is missing in TUTTI_FIELDS
#include <tutti/tutti.h>

using namespace tutti;

class Layer {
 public:
  explicit Layer(Tensor weight) : weight_(weight), bias_(weight) {}
  TUTTI_FIELDS(weight_)

 private:
  Tensor weight_, bias_;
};

int main() { leaves(Layer(zeros({2}))); }
