#pragma once

// What a collective means, in the most obvious way: element by element, members in order, with the
// scalar semantics of ir/scalar.h. The tests of kernels and of backends compare with it.

#include <tutti/kernels/host/collective_run.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::test {

using Bytes = std::vector<std::byte>;

inline constexpr std::array kAllDTypes = {
#define TUTTI_DTYPE(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_DTYPE)
#undef TUTTI_DTYPE
};

std::vector<kernels::Reduction> reductions_of(DType dtype);

inline std::size_t bytes_of(DType dtype, std::int64_t elements) {
  return static_cast<std::size_t>(elements * size_of(dtype));
}

// Values whose sums depend on the order of addition, and the special ones among them.
Bytes random_operand(DType dtype, std::int64_t elements, unsigned seed);

// The operands combined in their order.
Bytes reduced(kernels::Reduction reduction, DType dtype, std::span<const Bytes> operands);

std::int64_t total(std::span<const std::int64_t> lengths);

// What the members send to each other in an all_to_all: sends[from][to] of the axis.
using Splits = std::vector<std::vector<std::int64_t>>;

// The results of all members for one tensor of a collective. `splits` is for an uneven all_to_all;
// the sender of send_recv has no result.
std::vector<Bytes> expected_results(kernels::CollectiveKind kind, kernels::Reduction reduction,
                                    DType dtype, int root, const kernels::PartShape& part,
                                    std::span<const Bytes> operands,
                                    std::span<const std::pair<int, int>> pairs = {},
                                    const Splits& splits = {}, kernels::ScanRange scan = {});

// The same with one pattern for every NaN: which one comes out of NaN + NaN is the compiler's
// choice.
Bytes without_payloads(DType dtype, Bytes bytes);

// A shape of about `elements` elements that suits the kind, with equal parts.
kernels::PartShape shape_for(kernels::CollectiveKind kind, std::int64_t elements, int members);

}  // namespace tutti::test
