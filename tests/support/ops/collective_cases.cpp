#include "tests/support/ops/collective_cases.h"

#include <algorithm>
#include <numeric>

namespace tutti::test {

RankGroups::RankGroups(std::int64_t ranks) : count(ranks) {
  ir::Group all{
      .tag = "world", .ranks = SizeList(static_cast<std::size_t>(ranks)), .stride = ranks};
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  world = std::make_shared<const ir::Group>(all);
  std::rotate(all.ranks.begin(), all.ranks.end() - 1, all.ranks.end());
  all.tag = "turned";
  if (ranks == 4) all.stride = 2;
  turned = std::make_shared<const ir::Group>(all);
}

SizeList uneven_sizes(const ir::GroupPtr& group) {
  SizeList out;
  for (std::int64_t i = 0; i < group->size(); ++i) out.push_back((3 * i + 2) % 4);
  return out;
}

std::int64_t total(const SizeList& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

SizeList exchange_matrix(const ir::GroupPtr& group) {
  SizeList out;
  for (std::int64_t i = 0; i < group->size() * group->size(); ++i) out.push_back(5 * i % 3);
  return out;
}

SizeList ring_pairs(const ir::GroupPtr& group) {
  SizeList out;
  for (std::int64_t i = 0; i < group->size(); ++i) {
    out.insert(out.end(), {i, (i + 1) % group->size()});
  }
  return out;
}

SizeList shift_pairs(const ir::GroupPtr& group) {
  SizeList out;
  for (std::int64_t i = 1; i < group->size(); ++i) out.insert(out.end(), {i, i - 1});
  return out;
}

Group group_of(const Attributes& attributes) {
  const ir::Group& data = *attributes.group("group");
  std::vector<SizeList> partition;
  for (std::size_t i = 0; i < data.ranks.size(); i += static_cast<std::size_t>(data.stride)) {
    partition.emplace_back(data.ranks.begin() + static_cast<std::ptrdiff_t>(i),
                           data.ranks.begin() + static_cast<std::ptrdiff_t>(i) + data.stride);
  }
  return {partition, data.tag};
}

}  // namespace tutti::test
