// TypeError: a group has rank 1 twice
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Group group({0, 1, 1});  // here
}
