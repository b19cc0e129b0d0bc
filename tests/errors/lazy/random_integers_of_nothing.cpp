// TypeError: randint: the interval \[5, 5\) is empty
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Key key(1);
  randint({3}, key, 5, 5);  // here
}
