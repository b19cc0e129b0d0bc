#pragma once

#include <cstdint>

namespace tutti {

// How many pieces of `size` cover `all`: the quotient rounded up. Both positive, `all` also zero.
constexpr std::int64_t divide_up(std::int64_t all, std::int64_t size) {
  return (all + size - 1) / size;
}

}  // namespace tutti
