#pragma once

// The functions that the double has, as the library has them. Types are those of our own header,
// which a test compares with the real one.
#include <tutti/runtime/dylib/nccl.h>

#pragma GCC visibility push(default)
namespace tutti::runtime::nccl {
extern "C" {
#define TUTTI_DECLARE(result, name, parameters) result name parameters;
TUTTI_NCCL_FUNCTIONS(TUTTI_DECLARE)
TUTTI_NCCL_NEWER_FUNCTIONS(TUTTI_DECLARE)
#undef TUTTI_DECLARE
}
}  // namespace tutti::runtime::nccl
#pragma GCC visibility pop
