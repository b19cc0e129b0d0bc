#pragma once

// The driver's header, with all that it declares to be seen from outside of the library.
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop
