#include "tests/support/collective_reference.h"

#include <tutti/ir/scalar.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace tutti::test {

namespace {

// Values whose sums depend on the order of addition, and the special ones among them.
double random_value(std::minstd_rand& random) {
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

ir::ScalarOp primitive_of(kernels::Reduction reduction) {
  constexpr std::array kPrimitives = {
      ir::ScalarOp::add,     ir::ScalarOp::add,     ir::ScalarOp::mul,    ir::ScalarOp::minimum,
      ir::ScalarOp::maximum, ir::ScalarOp::bit_and, ir::ScalarOp::bit_or, ir::ScalarOp::bit_xor};
  return kPrimitives[static_cast<std::size_t>(reduction)];
}

// Where a place on an axis lies when the axis is cut into lengths.
struct AxisPlace {
  std::size_t piece;
  std::int64_t offset;
};
AxisPlace place_on(std::span<const std::int64_t> lengths, std::int64_t place) {
  AxisPlace found{0, place};
  while (found.offset >= lengths[found.piece]) found.offset -= lengths[found.piece++];
  return found;
}

// A tensor [outer, axis, inner], each of its elements taken from the one of the same outer and
// inner place that source(axis place) names: an operand, and a place on its axis of a length.
struct Origin {
  const Bytes* operand;
  std::int64_t place;
  std::int64_t axis;
};
template <class Source>
Bytes assembled(DType dtype, std::int64_t outer, std::int64_t axis, std::int64_t inner,
                Source source) {
  Bytes result;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t place = 0; place < axis; ++place) {
      const Origin origin = source(place);
      const std::int64_t line = inner * size_of(dtype);
      const auto begin = origin.operand->begin() + (o * origin.axis + origin.place) * line;
      result.insert(result.end(), begin, begin + line);
    }
  }
  return result;
}

}  // namespace

std::vector<kernels::Reduction> reductions_of(DType dtype) {
  std::vector<kernels::Reduction> reductions;
  for (const std::string_view name : kernels::kReductionNames) {
    const auto reduction = *kernels::reduction_from_name(name);
    if (kernels::reduce_elements(reduction, dtype) != nullptr) reductions.push_back(reduction);
  }
  return reductions;
}

Bytes random_operand(DType dtype, std::int64_t elements, unsigned seed) {
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
      std::uint64_t bits = 0;
      for (const int place : {0, 20, 41}) bits ^= std::uint64_t{random()} << place;
      std::memcpy(element, &bits, static_cast<std::size_t>(size_of(dtype)));
    }
  }
  return bytes;
}

// What the elements of a combination of nobody's operands are.
Bytes changing_nothing(kernels::Reduction reduction, DType dtype, std::int64_t elements) {
  using kernels::Reduction;
  Bytes out(bytes_of(dtype, elements));
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    T element = T(0);
    if (reduction == Reduction::product) element = T(1);
    if constexpr (std::is_same_v<T, bool>) {
      element = reduction == Reduction::bit_and;
    } else if constexpr (std::is_integral_v<T>) {
      if (reduction == Reduction::min) element = std::numeric_limits<T>::max();
      if (reduction == Reduction::max) element = std::numeric_limits<T>::min();
      if (reduction == Reduction::bit_and) element = static_cast<T>(~T(0));
    } else {
      const auto most = static_cast<float>(reach_of(dtype));
      if (reduction == Reduction::min) element = T(most);
      if (reduction == Reduction::max) element = T(-most);
    }
    for (std::int64_t i = 0; i < elements; ++i) {
      std::memcpy(out.data() + bytes_of(dtype, i), &element, sizeof(T));
    }
  });
  return out;
}

Bytes reduced(kernels::Reduction reduction, DType dtype, std::span<const Bytes> operands) {
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

std::int64_t total(std::span<const std::int64_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

std::vector<Bytes> expected_results(kernels::CollectiveKind kind, kernels::Reduction reduction,
                                    DType dtype, int root, const kernels::PartShape& part,
                                    std::span<const Bytes> operands,
                                    std::span<const std::pair<int, int>> pairs,
                                    const Splits& splits, kernels::ScanRange scan) {
  using kernels::CollectiveKind;
  const std::size_t members = operands.size();
  const auto root_at = static_cast<std::size_t>(root);
  const auto count = static_cast<std::int64_t>(members);
  std::vector<Bytes> results(members);
  std::vector<std::int64_t> shares(part.sizes.begin(), part.sizes.end());
  const auto default_shares = [&](std::int64_t share) {
    if (shares.empty()) shares.assign(members, share);
  };
  const auto joined = [&] {
    default_shares(part.axis_size);
    return assembled(dtype, part.outer, total(shares), part.inner, [&](std::int64_t place) {
      const AxisPlace at = place_on(shares, place);
      return Origin{&operands[at.piece], at.offset, shares[at.piece]};
    });
  };
  const auto cut = [&](const Bytes& whole) {
    default_shares(part.axis_size / count);
    const std::int64_t axis = total(shares);
    std::int64_t begin = 0;
    for (std::size_t member = 0; member < members; ++member) {
      results[member] =
          assembled(dtype, part.outer, shares[member], part.inner,
                    [&](std::int64_t place) { return Origin{&whole, begin + place, axis}; });
      begin += shares[member];
    }
  };
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {members, reduced(reduction, dtype, operands)};
    case CollectiveKind::reduce:
      results.assign(members, Bytes(bytes_of(dtype, part.elements)));
      results[root_at] = reduced(reduction, dtype, operands);
      return results;
    case CollectiveKind::broadcast:
      return {members, operands[root_at]};
    case CollectiveKind::all_gather:
      return {members, joined()};
    case CollectiveKind::gather: {
      const Bytes all = joined();
      results.assign(members, Bytes(all.size()));
      results[root_at] = all;
      return results;
    }
    case CollectiveKind::reduce_scatter:
      cut(reduced(reduction, dtype, operands));
      return results;
    case CollectiveKind::scatter:
      cut(operands[root_at]);
      return results;
    case CollectiveKind::all_to_all: {
      const Splits even(members, std::vector<std::int64_t>(members, part.axis_size / count));
      const Splits& sends = splits.empty() ? even : splits;
      for (std::size_t member = 0; member < members; ++member) {
        std::vector<std::int64_t> arrivals;
        for (const auto& sent : sends) arrivals.push_back(sent[member]);
        results[member] =
            assembled(dtype, part.outer, total(arrivals), part.inner, [&](std::int64_t place) {
              const AxisPlace at = place_on(arrivals, place);
              const std::span<const std::int64_t> sent = sends[at.piece];
              return Origin{&operands[at.piece], total(sent.first(member)) + at.offset,
                            total(sent)};
            });
      }
      return results;
    }
    case CollectiveKind::collective_permute:
      results.assign(members, Bytes(bytes_of(dtype, part.elements)));
      for (const auto& [from, to] : pairs) {
        results[static_cast<std::size_t>(to)] = operands[static_cast<std::size_t>(from)];
      }
      return results;
    case CollectiveKind::scan_ranks:
      for (std::size_t member = 0; member < members; ++member) {
        const std::size_t own = scan.exclusive ? 0 : 1;
        const auto range =
            scan.reverse ? operands.subspan(member + 1 - own) : operands.first(member + own);
        results[member] = range.empty() ? changing_nothing(reduction, dtype, part.elements)
                                        : reduced(reduction, dtype, range);
      }
      return results;
    case CollectiveKind::send_recv:
      results[1] = operands[0];
      return results;
    case CollectiveKind::barrier:
      break;
  }
  return results;
}

Bytes without_payloads(DType dtype, Bytes bytes) {
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

kernels::PartShape shape_for(kernels::CollectiveKind kind, std::int64_t elements, int members) {
  if (!kernels::has_axis(kind)) return {elements, 1, elements, 1};
  const std::int64_t parts = kernels::joins_operands(kind) ? 1 : members;
  const std::int64_t axis = (elements + 6 * parts - 1) / (6 * parts) * parts;
  return {2 * axis * 3, 2, axis, 3};
}

}  // namespace tutti::test
