#pragma once

// The library's header, with all that it declares to be seen from outside of the library.
#pragma GCC visibility push(default)
#include <cublasLt.h>
#pragma GCC visibility pop
