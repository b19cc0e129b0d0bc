#pragma once

#include <cstdint>

// Loops that do as much as the machine can, to measure what that is.
namespace tutti::kernels {

// a[i] = b[i] + 3 * c[i]
void triad(float* a, const float* b, const float* c, std::int64_t count);

// Runs so many rounds of multiply-adds on values in registers, in chains that don't wait for each
// other, fused where the machine can. Returns the flops of one round.
template <class T>
std::int64_t multiply_adds(std::int64_t rounds);
extern template std::int64_t multiply_adds<float>(std::int64_t rounds);
extern template std::int64_t multiply_adds<double>(std::int64_t rounds);

}  // namespace tutti::kernels
