#pragma once

// The tensors of a collective, with what every member has of them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/collective_reference.h"

namespace tutti::test {

using kernels::CollectiveKind;
using kernels::PartShape;

// One tensor [outer, axis, inner] of all members. Equal parts: `axis` is every operand's. Uneven:
// the members' `sizes`, or what each sends to each.
struct Tensor {
  std::int64_t outer = 1;
  std::int64_t axis = 0;
  std::int64_t inner = 1;
  std::vector<std::int64_t> sizes = {};
  Splits splits = {};

  PartShape shape(CollectiveKind kind, int member) const {
    const auto at = static_cast<std::size_t>(member);
    std::int64_t own = axis;
    if (!splits.empty()) own = total(splits[at]);
    if (!sizes.empty()) own = joins_operands(kind) ? sizes[at] : total(sizes);
    return {outer * own * inner, outer, own, inner, sizes};
  }
};

// Every share of the axis is what `share()` says.
template <class Share>
Tensor uneven_tensor(CollectiveKind kind, int members, std::int64_t outer, std::int64_t inner,
                     Share share) {
  Tensor tensor{.outer = outer, .inner = inner};
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(members));
  if (kind == CollectiveKind::all_to_all) {
    tensor.splits.assign(sizes.size(), sizes);
    for (auto& row : tensor.splits) std::generate(row.begin(), row.end(), share);
  } else if (has_axis(kind)) {
    std::generate(sizes.begin(), sizes.end(), share);
    tensor.sizes = sizes;
  } else {
    tensor.axis = share();
  }
  return tensor;
}

inline Tensor even_tensor(CollectiveKind kind, int members, std::int64_t outer, std::int64_t share,
                          std::int64_t inner) {
  const bool cut = cuts_results(kind) || kind == CollectiveKind::all_to_all;
  return {.outer = outer, .axis = cut ? share * members : share, .inner = inner};
}

}  // namespace tutti::test
