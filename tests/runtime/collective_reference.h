#pragma once

// What a collective means, in the most obvious way: element by element, members in order, with the
// scalar semantics of ir/scalar.h. The tests of kernels and of backends compare with it.

#include <tutti/ir/scalar.h>
#include <tutti/kernels/host/collective_run.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace tutti::test {

using Bytes = std::vector<std::byte>;

inline constexpr std::array kAllDTypes = {
#define TUTTI_DTYPE(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_DTYPE)
#undef TUTTI_DTYPE
};

inline std::vector<kernels::Reduction> reductions_of(DType dtype) {
  std::vector<kernels::Reduction> reductions;
  for (const std::string_view name : kernels::kReductionNames) {
    const auto reduction = *kernels::reduction_from_name(name);
    if (kernels::reduce_elements(reduction, dtype) != nullptr) reductions.push_back(reduction);
  }
  return reductions;
}

inline std::size_t bytes_of(DType dtype, std::int64_t elements) {
  return static_cast<std::size_t>(elements * size_of(dtype));
}

// Values whose sums depend on the order of addition, and the special ones among them.
inline double random_value(std::minstd_rand& random) {
  constexpr std::array kSpecial = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1e-7,
                                   65504.0};
  if (random() % 32 == 0) return kSpecial[random() % kSpecial.size()];
  return std::ldexp(static_cast<double>(random() % 4096) - 2048,
                    static_cast<int>(random() % 8) - 9);
}

inline Bytes random_operand(DType dtype, std::int64_t elements, unsigned seed) {
  std::minstd_rand random(seed + 1);
  Bytes bytes(bytes_of(dtype, elements));
  for (std::int64_t i = 0; i < elements; ++i) {
    std::byte* element = bytes.data() + i * size_of(dtype);
    if (is_floating(dtype)) {
      const DType compute = ir::compute_dtype(dtype);
      ir::store_cell(dtype, ir::cell_of(compute, random_value(random)), element);
    } else if (dtype == DType::boolean) {
      *element = static_cast<std::byte>(random() % 2);
    } else {
      const std::uint64_t bits = random() * (static_cast<std::uint64_t>(random()) << 20);
      std::memcpy(element, &bits, static_cast<std::size_t>(size_of(dtype)));
    }
  }
  return bytes;
}

inline ir::ScalarOp primitive_of(kernels::Reduction reduction) {
  constexpr std::array kPrimitives = {
      ir::ScalarOp::add,     ir::ScalarOp::add,     ir::ScalarOp::mul,    ir::ScalarOp::minimum,
      ir::ScalarOp::maximum, ir::ScalarOp::bit_and, ir::ScalarOp::bit_or, ir::ScalarOp::bit_xor};
  return kPrimitives[static_cast<std::size_t>(reduction)];
}

inline Bytes reduced(kernels::Reduction reduction, DType dtype, std::span<const Bytes> operands) {
  const DType compute = ir::compute_dtype(dtype);
  Bytes result(operands[0].size());
  for (std::size_t at = 0; at < result.size(); at += static_cast<std::size_t>(size_of(dtype))) {
    ir::Cell total = ir::load_cell(dtype, operands[0].data() + at);
    for (const Bytes& operand : operands.subspan(1)) {
      const ir::Cell next = ir::load_cell(dtype, operand.data() + at);
      total = ir::evaluate(primitive_of(reduction), compute, {total, next});
    }
    if (reduction == kernels::Reduction::mean) {
      const ir::Cell members = ir::cell_of(compute, static_cast<double>(operands.size()));
      total = ir::evaluate(ir::ScalarOp::div, compute, {total, members});
    }
    ir::store_cell(dtype, total, result.data() + at);
  }
  return result;
}

// The results of all members for one tensor of a collective.
inline std::vector<Bytes> expected_results(kernels::CollectiveKind kind,
                                           kernels::Reduction reduction, DType dtype, int root,
                                           const kernels::PartShape& part,
                                           std::span<const Bytes> operands) {
  const std::size_t members = operands.size();
  const auto outer = static_cast<std::size_t>(part.outer);
  switch (kind) {
    case kernels::CollectiveKind::all_reduce:
      return {members, reduced(reduction, dtype, operands)};
    case kernels::CollectiveKind::broadcast:
      return {members, operands[static_cast<std::size_t>(root)]};
    case kernels::CollectiveKind::all_gather: {
      const std::size_t row = bytes_of(dtype, part.axis_size * part.inner);
      Bytes all;
      for (std::size_t o = 0; o < outer; ++o) {
        for (const Bytes& operand : operands) {
          const auto begin = operand.begin() + static_cast<std::ptrdiff_t>(o * row);
          all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
        }
      }
      return {members, all};
    }
    case kernels::CollectiveKind::reduce_scatter: {
      const Bytes total = reduced(reduction, dtype, operands);
      const std::size_t row =
          bytes_of(dtype, part.axis_size / static_cast<std::int64_t>(members) * part.inner);
      std::vector<Bytes> results(members);
      for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t member = 0; member < members; ++member) {
          const auto begin =
              total.begin() + static_cast<std::ptrdiff_t>((o * members + member) * row);
          results[member].insert(results[member].end(), begin,
                                 begin + static_cast<std::ptrdiff_t>(row));
        }
      }
      return results;
    }
    case kernels::CollectiveKind::barrier:
      break;
  }
  return std::vector<Bytes>(members);
}

// The same with one pattern for every NaN: which one comes out of NaN + NaN is the compiler's
// choice.
inline Bytes without_payloads(DType dtype, Bytes bytes) {
  if (!is_floating(dtype)) return bytes;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(size_of(dtype))) {
    const DType compute = ir::compute_dtype(dtype);
    const ir::Cell cell = ir::load_cell(dtype, bytes.data() + at);
    const double value = compute == DType::f64 ? cell.number : static_cast<double>(cell.single);
    if (std::isnan(value)) {
      ir::store_cell(dtype, ir::cell_of(compute, std::numeric_limits<double>::quiet_NaN()),
                     bytes.data() + at);
    }
  }
  return bytes;
}

// A shape of about `elements` elements that suits the kind.
inline kernels::PartShape shape_for(kernels::CollectiveKind kind, std::int64_t elements,
                                    int members) {
  if (kind == kernels::CollectiveKind::all_gather) {
    const std::int64_t axis = (elements + 5) / 6;
    return {2 * axis * 3, 2, axis, 3};
  }
  if (kind == kernels::CollectiveKind::reduce_scatter) {
    const std::int64_t axis = (elements + 6 * members - 1) / (6 * members) * members;
    return {2 * axis * 3, 2, axis, 3};
  }
  return {elements, 1, elements, 1};
}

inline std::int64_t result_elements(kernels::CollectiveKind kind, const kernels::PartShape& part,
                                    int members) {
  if (kind == kernels::CollectiveKind::all_gather) return part.elements * members;
  if (kind == kernels::CollectiveKind::reduce_scatter) return part.elements / members;
  return part.elements;
}

}  // namespace tutti::test
