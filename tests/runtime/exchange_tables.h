#pragma once

// What every fabric has to carry out, as lists of exchanges for a number of ranks.

#include <random>
#include <utility>
#include <vector>

#include "tests/runtime/exchange.h"
#include "tests/runtime/ranks.h"

namespace tutti::runtime {

inline constexpr CollectiveKind kTensorKinds[] = {
    CollectiveKind::all_reduce, CollectiveKind::reduce,     CollectiveKind::all_gather,
    CollectiveKind::gather,     CollectiveKind::scatter,    CollectiveKind::reduce_scatter,
    CollectiveKind::broadcast,  CollectiveKind::all_to_all, CollectiveKind::collective_permute,
    CollectiveKind::send_recv,  CollectiveKind::scan_ranks,
};
// Of f32: far below and far above what each rank computes for itself.
inline constexpr std::int64_t kElementsOfBothWays[] = {300, 20'000};

class ExchangeTable {
 public:
  explicit ExchangeTable(std::int64_t ranks) : ExchangeTable(first_ranks(ranks)) {}
  explicit ExchangeTable(std::vector<std::int64_t> group)
      : group_(std::move(group)), random_(static_cast<unsigned>(group_.size())) {}

  // The whole group (its first two for send_recv), the root in the middle, a ring of pairs.
  ExchangeSpec spec(CollectiveKind kind) const {
    const int members = members_of(kind);
    ExchangeSpec spec{
        .group = {group_.begin(), group_.begin() + members}, .kind = kind, .root = members / 2};
    if (kind == CollectiveKind::collective_permute) {
      for (int from = 0; from < members; ++from)
        spec.pairs.emplace_back(from, (from + 1) % members);
    }
    return spec;
  }
  bool has(CollectiveKind kind) const {
    return kind != CollectiveKind::send_recv || group_.size() > 1;
  }

  // About that many elements, the axis in the middle.
  Tensor even(CollectiveKind kind, std::int64_t elements) const {
    const int members = members_of(kind);
    const bool cut = kernels::cuts_results(kind) || kind == CollectiveKind::all_to_all;
    const std::int64_t shares = cut ? 6 * members : 6;
    return test::even_tensor(kind, members, 2, (elements + shares - 1) / shares, 3);
  }
  // What a member has of the axis is up to `most`, sometimes nothing.
  Tensor uneven(CollectiveKind kind, std::int64_t outer, std::int64_t most, std::int64_t inner) {
    const int members = members_of(kind);
    if (kind == CollectiveKind::all_to_all) most /= members;
    return test::uneven_tensor(kind, members, outer, inner, [&]() -> std::int64_t {
      if (random_() % 4 == 0) return 0;
      return static_cast<std::int64_t>(random_() % static_cast<unsigned>(most + 1));
    });
  }
  template <class Choices>
  auto any_of(const Choices& choices) {
    return choices[random_() % std::size(choices)];
  }
  void add(ExchangeSpec spec) { exchanges.emplace_back(std::move(spec)); }
  void add_anywhere(ExchangeSpec spec) {
    spec.operands = any_of(kOperandPlaces);
    spec.results = any_of(kResultPlaces);
    add(std::move(spec));
  }

  std::vector<Exchange> exchanges;

 private:
  int members_of(CollectiveKind kind) const {
    return kind == CollectiveKind::send_recv ? 2 : static_cast<int>(group_.size());
  }

  std::vector<std::int64_t> group_;
  std::minstd_rand random_;
};

inline std::vector<Exchange> every_kind_and_place(std::int64_t ranks) {
  ExchangeTable table(ranks);
  for (const CollectiveKind kind : kTensorKinds) {
    if (!table.has(kind)) continue;
    for (const std::int64_t elements : kElementsOfBothWays) {
      for (const OperandPlace operands : kOperandPlaces) {
        for (const ResultPlace results : kResultPlaces) {
          ExchangeSpec spec = table.spec(kind);
          spec.tensors = {table.even(kind, elements)};
          spec.operands = operands;
          spec.results = results;
          table.add(std::move(spec));
        }
      }
    }
  }
  return std::move(table.exchanges);
}

inline std::vector<Exchange> every_kind_and_dtype(std::int64_t ranks) {
  ExchangeTable table(ranks);
  for (const DType dtype : test::kAllDTypes) {
    std::vector<std::int64_t> sizes{0, 1, 300};
    if (ranks <= 3) sizes.push_back(kernels::kOneShotBytes / size_of(dtype) + 1037);
    for (const CollectiveKind kind : kTensorKinds) {
      if (!table.has(kind)) continue;
      for (const std::int64_t elements : sizes) {
        ExchangeSpec spec = table.spec(kind);
        spec.dtype = dtype;
        spec.reduction = test::reductions_of(dtype).front();
        spec.tensors = {table.even(kind, elements)};
        table.add_anywhere(std::move(spec));
      }
    }
  }
  return std::move(table.exchanges);
}

inline std::vector<Exchange> every_reduction(std::int64_t ranks) {
  ExchangeTable table(ranks);
  const auto add = [&](DType dtype, std::int64_t elements) {
    for (const Reduction reduction : test::reductions_of(dtype)) {
      for (const CollectiveKind kind : kTensorKinds) {
        const bool scan = kind == CollectiveKind::scan_ranks;
        if (!kernels::reduces(kind) || (scan && reduction == Reduction::mean)) continue;
        ExchangeSpec spec = table.spec(kind);
        spec.dtype = dtype;
        spec.reduction = reduction;
        spec.scan = {.exclusive = scan && elements == 99, .reverse = scan && size_of(dtype) == 4};
        spec.tensors = {table.even(kind, elements)};
        table.add_anywhere(std::move(spec));
      }
    }
  };
  for (const DType dtype : test::kAllDTypes) add(dtype, 99);
  add(DType::bf16, 40'000);
  return std::move(table.exchanges);
}

inline std::vector<Exchange> every_root_and_permutation(std::int64_t ranks) {
  ExchangeTable table(ranks);
  const auto members = static_cast<int>(ranks);
  for (const std::int64_t elements : kElementsOfBothWays) {
    for (const CollectiveKind kind : kTensorKinds) {
      for (int root = 0; kernels::has_root(kind) && root < members; ++root) {
        ExchangeSpec spec = table.spec(kind);
        spec.root = root;
        spec.tensors = {table.even(kind, elements)};
        table.add_anywhere(std::move(spec));
      }
    }
    const std::vector<std::vector<std::pair<int, int>>> permutations = {
        {}, {{0, 0}}, {{members - 1, 0}}, {{0, members - 1}, {members / 2, 0}}};
    for (const auto& pairs : permutations) {
      if (members == 1 && pairs.size() > 1) continue;  // the same position twice
      ExchangeSpec spec = table.spec(CollectiveKind::collective_permute);
      spec.pairs = pairs;
      spec.tensors = {table.even(spec.kind, elements)};
      table.add_anywhere(std::move(spec));
    }
  }
  return std::move(table.exchanges);
}

// The axis first, last and in the middle.
inline std::vector<Exchange> uneven_parts(std::int64_t ranks) {
  constexpr std::pair<std::int64_t, std::int64_t> kAround[] = {{1, 1}, {1, 5}, {7, 1}, {3, 4}};
  ExchangeTable table(ranks);
  for (const CollectiveKind kind : kTensorKinds) {
    if (!kernels::has_axis(kind)) continue;
    for (const auto& [outer, inner] : kAround) {
      for (const std::int64_t elements : {0, 50, 120'000}) {
        ExchangeSpec spec = table.spec(kind);
        spec.tensors = {table.uneven(kind, outer, elements / (outer * inner), inner)};
        table.add_anywhere(std::move(spec));
      }
    }
  }
  return std::move(table.exchanges);
}

inline std::vector<Exchange> lists(std::int64_t ranks) {
  ExchangeTable table(ranks);
  for (const CollectiveKind kind : kTensorKinds) {
    if (!table.has(kind)) continue;
    for (const ResultPlace results : kResultPlaces) {
      for (const std::vector<std::int64_t>& sizes :
           {std::vector<std::int64_t>{3, 0, 100}, {0, 30'000, 1, 20'000}}) {
        ExchangeSpec spec = table.spec(kind);
        for (const std::int64_t size : sizes) {
          spec.tensors.push_back(table.even(kind, size));
          if (kernels::has_axis(kind)) spec.tensors.push_back(table.uneven(kind, 2, size / 2, 1));
        }
        spec.operands = kOperandPlaces[spec.tensors.size() % 2];
        spec.results = results;
        table.add(std::move(spec));
      }
    }
  }
  return std::move(table.exchanges);
}

// In turn in two groups, most of whose members are the same, in another order.
inline std::vector<Exchange> mixed_in_two_groups(std::int64_t ranks, int count) {
  std::vector<std::int64_t> low = first_ranks(ranks - 1);
  std::vector<std::int64_t> high = first_ranks(ranks);
  std::reverse(low.begin(), low.end());
  high.erase(high.begin());
  ExchangeTable tables[] = {ExchangeTable(low), ExchangeTable(high)};
  std::vector<Exchange> all;
  for (int i = 0; i < count; ++i) {
    ExchangeTable& table = tables[i % 2];
    ExchangeSpec spec = table.spec(table.any_of(kTensorKinds));
    spec.tensors = {table.even(spec.kind, table.any_of(kElementsOfBothWays))};
    table.add_anywhere(std::move(spec));
    all.push_back(std::move(table.exchanges.back()));
    table.exchanges.pop_back();
  }
  return all;
}

}  // namespace tutti::runtime
