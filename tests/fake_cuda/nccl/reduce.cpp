#include "tests/fake_cuda/nccl/reduce.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace tutti::fake_cuda {

namespace {

struct BFloat {
  std::uint16_t bits;
};

float widen(_Float16 x) { return static_cast<float>(x); }
float widen(BFloat x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float out = 0;
  std::memcpy(&out, &bits, sizeof(out));
  return out;
}
template <class T>
T widen(T x) {
  return x;
}

template <class T, class Sum>
T narrow(Sum x) {
  return static_cast<T>(x);
}
template <>
BFloat narrow<BFloat, float>(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  bits += 0x7FFF + (bits >> 16 & 1);  // to the nearest, ties to even
  return {static_cast<std::uint16_t>(bits >> 16)};
}

// Integers wrap.
template <class Sum>
struct Wrapping {
  using type = Sum;
};
template <class Sum>
  requires std::is_integral_v<Sum>
struct Wrapping<Sum> {
  using type = std::uint64_t;
};

template <class Sum>
Sum combine(NcclOperation operation, Sum a, Sum b) {
  using Wide = typename Wrapping<Sum>::type;
  switch (operation) {
    case NcclOperation::sum:
      return static_cast<Sum>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case NcclOperation::product:
      return static_cast<Sum>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case NcclOperation::max:
      return std::max(a, b);
    case NcclOperation::min:
      return std::min(a, b);
  }
  throw std::runtime_error("an operation that the double does not know");
}

// Each hop of the ring has it in the type of the operands, and rounds it to that.
template <class T>
void reduce_as(NcclOperation operation, std::size_t count,
               const std::vector<const std::byte*>& operands, std::byte* to) {
  const std::size_t ranks = operands.size();
  const auto element = [&](std::size_t rank, std::size_t i) {
    T out;
    std::memcpy(&out, operands[rank] + i * sizeof(T), sizeof(T));
    return widen(out);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t owner = i * ranks / count;
    auto sum = element((owner + 1) % ranks, i);
    for (std::size_t k = 2; k <= ranks; ++k) {
      sum = widen(narrow<T>(combine(operation, sum, element((owner + k) % ranks, i))));
    }
    const T result = narrow<T>(sum);
    std::memcpy(to + i * sizeof(T), &result, sizeof(T));
  }
}

}  // namespace

std::size_t bytes_of(NcclType type) {
  switch (type) {
    case NcclType::i8:
    case NcclType::u8:
      return 1;
    case NcclType::f16:
    case NcclType::bf16:
      return 2;
    case NcclType::i32:
    case NcclType::u32:
    case NcclType::f32:
      return 4;
    default:
      return 8;
  }
}

void reduce(NcclType type, NcclOperation operation, std::size_t count,
            const std::vector<const std::byte*>& operands, std::byte* to) {
  switch (type) {
    case NcclType::i8:
      return reduce_as<std::int8_t>(operation, count, operands, to);
    case NcclType::u8:
      return reduce_as<std::uint8_t>(operation, count, operands, to);
    case NcclType::i32:
      return reduce_as<std::int32_t>(operation, count, operands, to);
    case NcclType::u32:
      return reduce_as<std::uint32_t>(operation, count, operands, to);
    case NcclType::i64:
      return reduce_as<std::int64_t>(operation, count, operands, to);
    case NcclType::u64:
      return reduce_as<std::uint64_t>(operation, count, operands, to);
    case NcclType::f16:
      return reduce_as<_Float16>(operation, count, operands, to);
    case NcclType::f32:
      return reduce_as<float>(operation, count, operands, to);
    case NcclType::f64:
      return reduce_as<double>(operation, count, operands, to);
    case NcclType::bf16:
      return reduce_as<BFloat>(operation, count, operands, to);
  }
}

}  // namespace tutti::fake_cuda
