#pragma once

#include <tutti/ir/support/half.h>

#include <cstdint>

namespace tutti::kernels {

// The conversions of ir/support/half.h for runs of elements, with the machine's instructions where
// it has them. The same bits, except that signalling NaNs may become quiet.
void widen(const Float16* from, float* to, std::int64_t count);
void widen(const BFloat16* from, float* to, std::int64_t count);
void narrow(const float* from, Float16* to, std::int64_t count);
void narrow(const float* from, BFloat16* to, std::int64_t count);

}  // namespace tutti::kernels
