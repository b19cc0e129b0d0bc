// TypeError: tensor: rows of different lengths
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  tensor({{1.F, 2.F}, {3.F}});  // here
}
