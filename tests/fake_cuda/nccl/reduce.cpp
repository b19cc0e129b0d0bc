#include "tests/fake_cuda/nccl/reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>
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

// Pair by pair, until one is left.
template <class Sum>
Sum combine_pairs(NcclOperation operation, std::vector<Sum>& terms) {
  for (std::size_t left = terms.size(); left > 1; left = (left + 1) / 2) {
    for (std::size_t i = 0; i < left / 2; ++i) {
      terms[i] = combine(operation, terms[2 * i], terms[2 * i + 1]);
    }
    if (left % 2 == 1) terms[left / 2] = terms[left - 1];
  }
  return terms[0];
}

template <class T>
void reduce_as(NcclOperation operation, ReductionOrder order, std::size_t count,
               const std::vector<const std::byte*>& operands, std::byte* to) {
  const std::size_t ranks = operands.size();
  const auto element = [&](std::size_t rank, std::size_t i) {
    T out;
    std::memcpy(&out, operands[rank] + i * sizeof(T), sizeof(T));
    return widen(out);
  };
  using Sum = decltype(element(0, 0));
  std::vector<Sum> terms(ranks);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t owner = i * ranks / count;
    const std::size_t first = order == ReductionOrder::ring    ? owner + 1
                              : order == ReductionOrder::owner ? owner
                                                               : 0;
    for (std::size_t k = 0; k < ranks; ++k) terms[k] = element((first + k) % ranks, i);
    Sum sum = terms[0];
    if (order == ReductionOrder::by_switch) {
      std::ranges::reverse(terms);
      sum = combine_pairs(operation, terms);
    } else {
      for (std::size_t k = 1; k < ranks; ++k) {
        sum = combine(operation, sum, terms[k]);
        if (order == ReductionOrder::ring) sum = widen(narrow<T>(sum));
      }
    }
    const T result = narrow<T>(sum);
    std::memcpy(to + i * sizeof(T), &result, sizeof(T));
  }
}

constexpr std::array<std::string_view, 4> kOrderNames = {"ring", "ranks", "owner", "switch"};

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

ReductionOrder reduction_order(const NcclCall& call, const std::string& communicator,
                               std::size_t ranks) {
  const char* const said = std::getenv("TUTTI_TEST_FAKE_NCCL_ORDER");
  const std::string_view name = said == nullptr ? kOrderNames[0] : said;
  const auto found = std::ranges::find(kOrderNames, name);
  if (found != kOrderNames.end()) return ReductionOrder(found - kOrderNames.begin());
  char* end = nullptr;
  const std::uint64_t seed = std::strtoull(said, &end, 10);
  if (end == said || *end != 0) {
    throw std::runtime_error("TUTTI_TEST_FAKE_NCCL_ORDER: there is no order " + std::string(name));
  }
  // The communicators of a process are numbered, behind its own number.
  const std::uint64_t number = std::stoull(communicator.substr(communicator.rfind('-') + 1));
  const std::uint64_t drawn = std::mt19937_64(1000 * seed + number)();
  const std::size_t small = std::size_t{32} << drawn % 4;
  if (call.count * bytes_of(call.type) <= small) return ReductionOrder::ranks;
  if (!call.all_in_windows) return ReductionOrder::ring;
  // Between two, the switch saves nothing.
  return ranks > 2 && (drawn >> 8) % 2 == 0 ? ReductionOrder::by_switch : ReductionOrder::owner;
}

void reduce(NcclType type, NcclOperation operation, ReductionOrder order, std::size_t count,
            const std::vector<const std::byte*>& operands, std::byte* to) {
  switch (type) {
    case NcclType::i8:
      return reduce_as<std::int8_t>(operation, order, count, operands, to);
    case NcclType::u8:
      return reduce_as<std::uint8_t>(operation, order, count, operands, to);
    case NcclType::i32:
      return reduce_as<std::int32_t>(operation, order, count, operands, to);
    case NcclType::u32:
      return reduce_as<std::uint32_t>(operation, order, count, operands, to);
    case NcclType::i64:
      return reduce_as<std::int64_t>(operation, order, count, operands, to);
    case NcclType::u64:
      return reduce_as<std::uint64_t>(operation, order, count, operands, to);
    case NcclType::f16:
      return reduce_as<_Float16>(operation, order, count, operands, to);
    case NcclType::f32:
      return reduce_as<float>(operation, order, count, operands, to);
    case NcclType::f64:
      return reduce_as<double>(operation, order, count, operands, to);
    case NcclType::bf16:
      return reduce_as<BFloat>(operation, order, count, operands, to);
  }
}

}  // namespace tutti::fake_cuda
