#pragma once

#include <tutti/ir/support/narrow_float.h>

#include <cstdint>

namespace tutti::kernels {

// The conversions of ir/support/narrow_float.h for runs of elements, with the machine's
// instructions where it has them. The same bits, except that signalling NaNs may become quiet.
#define TUTTI_CONVERSIONS(T)                                \
  void widen(const T* from, float* to, std::int64_t count); \
  void narrow(const float* from, T* to, std::int64_t count);
TUTTI_CONVERSIONS(Float8E4M3FN)
TUTTI_CONVERSIONS(Float8E5M2)
TUTTI_CONVERSIONS(Float16)
TUTTI_CONVERSIONS(BFloat16)
#undef TUTTI_CONVERSIONS

}  // namespace tutti::kernels
