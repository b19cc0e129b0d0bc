#include "tests/support/ops/collective_oracle.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace tutti::test {

namespace {

using List = std::vector<std::int64_t>;

// The members of a rank's group.
List members_of(std::size_t rank, const Attributes& attributes) {
  return attributes.group("group")->members_with(static_cast<std::int64_t>(rank));
}

std::size_t position_of(std::size_t rank, const Attributes& attributes) {
  return static_cast<std::size_t>(
      attributes.group("group")->position_of(static_cast<std::int64_t>(rank)));
}

const Plain& operand_of(const RankPlains& x, std::int64_t rank) {
  return x[static_cast<std::size_t>(rank)][0];
}

double combined(const std::string& op, double a, double b) {
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
  if (op == "product") return a * b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "and") return static_cast<double>(whole(a) & whole(b));
  if (op == "or") return static_cast<double>(whole(a) | whole(b));
  if (op == "xor") return static_cast<double>(whole(a) ^ whole(b));
  return a + b;
}

// `size` slices of x along the axis, from number `begin`.
Plain slices(const Plain& x, std::int64_t axis, std::int64_t begin, std::int64_t size) {
  List sizes(x.shape.begin(), x.shape.end());
  sizes[static_cast<std::size_t>(axis)] = size;
  const bool single = x.shape[static_cast<int>(axis)] == 1;  // at() would not look at the index
  return filled(Shape(sizes), [&](std::span<const std::int64_t> index) {
    List from(index.begin(), index.end());
    from[static_cast<std::size_t>(axis)] += single ? 0 : begin;
    return x.at(from);
  });
}

// The part of x, cut along the axis, of the member at a position.
Plain part_of(const Plain& x, const Attributes& attributes, std::size_t position) {
  const std::int64_t axis = attributes.integer("axis");
  List sizes = attributes.integers("sizes");
  if (sizes.empty()) {
    const std::int64_t members = attributes.group("group")->size();
    sizes = List(static_cast<std::size_t>(members), x.shape[static_cast<int>(axis)] / members);
  }
  const std::int64_t begin = std::accumulate(
      sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(position), std::int64_t{0});
  return slices(x, axis, begin, sizes[position]);
}

// Zeros elsewhere than at the roots.
std::vector<Plain> at_root(std::vector<Plain> x, const Attributes& attributes) {
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    if (std::cmp_not_equal(position_of(rank, attributes), attributes.integer("root"))) {
      x[rank] = Plain(x[rank].shape);
    }
  }
  return x;
}

}  // namespace

std::vector<Plain> all_reduce_oracle(const RankPlains& x, const Attributes& attributes) {
  const std::string& op = attributes.text("op");
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const List members = members_of(rank, attributes);
    Plain total = operand_of(x, members[0]);
    for (std::int64_t i = 0; i < total.shape.elements(); ++i) {
      for (std::size_t m = 1; m < members.size(); ++m) {
        total[i] = combined(op, total[i], operand_of(x, members[m])[i]);
      }
      if (op == "mean") total[i] /= static_cast<double>(members.size());
    }
    out.push_back(std::move(total));
  }
  return out;
}

// Where nobody's operand is combined, 0: of sums.
std::vector<Plain> scan_ranks_oracle(const RankPlains& x, const Attributes& attributes) {
  const std::string& op = attributes.text("op");
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const List members = members_of(rank, attributes);
    const std::size_t own = position_of(rank, attributes);
    Plain total(operand_of(x, members[0]).shape);
    for (std::int64_t i = 0; i < total.shape.elements(); ++i) {
      bool first = true;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const bool before = attributes.flag("reverse") ? m > own : m < own;
        if (!before && (m != own || attributes.flag("exclusive"))) continue;
        const double next = operand_of(x, members[m])[i];
        total[i] = first ? next : combined(op, total[i], next);
        first = false;
      }
    }
    out.push_back(std::move(total));
  }
  return out;
}

std::vector<Plain> rooted_reduce_oracle(const RankPlains& x, const Attributes& attributes) {
  return at_root(all_reduce_oracle(x, attributes), attributes);
}

std::vector<Plain> all_gather_oracle(const RankPlains& x, const Attributes& attributes) {
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    Plains parts;
    for (const std::int64_t member : members_of(rank, attributes)) {
      parts.push_back(operand_of(x, member));
    }
    out.push_back(concat_oracle(parts, attributes));
  }
  return out;
}

std::vector<Plain> gather_oracle(const RankPlains& x, const Attributes& attributes) {
  return at_root(all_gather_oracle(x, attributes), attributes);
}

std::vector<Plain> reduce_scatter_oracle(const RankPlains& x, const Attributes& attributes) {
  std::vector<Plain> out = all_reduce_oracle(x, attributes);
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out[rank] = part_of(out[rank], attributes, position_of(rank, attributes));
  }
  return out;
}

std::vector<Plain> scatter_oracle(const RankPlains& x, const Attributes& attributes) {
  std::vector<Plain> out = broadcast_oracle(x, attributes);
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out[rank] = part_of(out[rank], attributes, position_of(rank, attributes));
  }
  return out;
}

std::vector<Plain> broadcast_oracle(const RankPlains& x, const Attributes& attributes) {
  const auto root = static_cast<std::size_t>(attributes.integer("root"));
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out.push_back(operand_of(x, members_of(rank, attributes)[root]));
  }
  return out;
}

std::vector<Plain> all_to_all_oracle(const RankPlains& x, const Attributes& attributes) {
  const std::int64_t axis = attributes.integer("axis");
  const auto members = static_cast<std::size_t>(attributes.group("group")->size());
  const List& matrix = attributes.integers("send_sizes");
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    const std::size_t own = position_of(rank, attributes);
    Plains parts;
    for (std::size_t source = 0; source < members; ++source) {
      const Plain& whole = operand_of(x, members_of(rank, attributes)[source]);
      const std::int64_t equal =
          whole.shape[static_cast<int>(axis)] / static_cast<std::int64_t>(members);
      const auto size = [&](std::size_t to) {
        return matrix.empty() ? equal : matrix[source * members + to];
      };
      std::int64_t begin = 0;
      for (std::size_t to = 0; to < own; ++to) begin += size(to);
      parts.push_back(slices(whole, axis, begin, size(own)));
    }
    out.push_back(concat_oracle(parts, attributes));
  }
  return out;
}

std::vector<Plain> collective_permute_oracle(const RankPlains& x, const Attributes& attributes) {
  const List& pairs = attributes.integers("pairs");
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out.emplace_back(x[rank][0].shape);
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      if (std::cmp_not_equal(position_of(rank, attributes), pairs[i + 1])) continue;
      out.back() = operand_of(x, members_of(rank, attributes)[static_cast<std::size_t>(pairs[i])]);
    }
  }
  return out;
}

std::vector<Plain> ring_oracle(const RankPlains& x, const Attributes&) {
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    out.push_back(x[(rank + x.size() - 1) % x.size()][0]);
  }
  return out;
}

std::vector<Plain> rank_index_oracle(const RankPlains& x, const Attributes& attributes) {
  std::vector<Plain> out;
  for (std::size_t rank = 0; rank < x.size(); ++rank) {
    Plain position({});
    position[0] = static_cast<double>(position_of(rank, attributes));
    out.push_back(position);
  }
  return out;
}

std::vector<Plain> over_world(const RankPlains& x,
                              const std::function<double(double, double)>& finish) {
  std::vector<Plain> out;
  for (const Plains& own : x) {
    out.push_back(own[0]);
    for (std::int64_t i = 0; i < own[0].shape.elements(); ++i) {
      double total = 0;
      for (const Plains& other : x) total += other[0][i];
      out.back()[i] = finish(total, own[0][i]);
    }
  }
  return out;
}

}  // namespace tutti::test
