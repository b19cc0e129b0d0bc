#pragma once

#include <cstdint>

namespace tutti::ir {

// What the scores of queries and keys of size `d` are multiplied by: the attribute `scale`, or
// 1 / sqrt(d) where it is 0.
double attention_scale(double scale, std::int64_t d);

}  // namespace tutti::ir
