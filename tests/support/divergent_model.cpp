// What the steps of divergent programs mean: every rank's numbers, one step after another.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/support/divergent_program.h"

namespace tutti::test {

namespace {

using ByRank = std::vector<Numbers>;

constexpr std::size_t kMostNumbers = 24;
// That the products of so many members are exact in f32.
std::int64_t most_factor(std::size_t members) { return members <= 4 ? 20 : 7; }

std::int64_t sum_of(const Numbers& x) {
  return std::accumulate(x.begin(), x.end(), std::int64_t{0});
}

// Element by element, or with the sum of y where the lengths differ.
Numbers combine(const Numbers& x, const Numbers& y,
                const std::function<std::int64_t(std::int64_t, std::int64_t)>& f) {
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.push_back(f(x[i], x.size() == y.size() ? y[i] : sum_of(y)));
  }
  return out;
}

std::int64_t reduced_pair(Reduce reduction, std::int64_t x, std::int64_t y) {
  switch (reduction) {
    case Reduce::product:
      return x * y;
    case Reduce::min:
      return std::min(x, y);
    case Reduce::max:
      return std::max(x, y);
    default:
      return x + y;
  }
}

Numbers numbers_part(const Numbers& x, std::size_t part, std::size_t parts) {
  const auto length = static_cast<std::ptrdiff_t>(x.size() / parts);
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(part) * length;
  return {first, first + length};
}

class Model {
 public:
  Model(const std::vector<ByRank>& places, DivergentStep& step) : places_(places), step_(step) {}

  bool run() {
    if (step_.op < DivergentOp::all_reduce) {
      step_.expected = {local()};
      return true;
    }
    if (!suits()) return false;
    if (step_.op == DivergentOp::tree) {
      step_.expected = {over_group(0, all_reduced(0)), over_group(1, all_reduced(1))};
    } else if (step_.op == DivergentOp::looped_max) {
      // The largest first, then its steps' numbers: all ranks have the same.
      ByRank largest = all_reduced(0);
      for (Numbers& x : largest) {
        for (std::int64_t& number : x) number += step_.number * (step_.number - 1) / 2;
      }
      step_.expected = {over_group(0, largest)};
    } else if (step_.op == DivergentOp::two_gathers) {
      ByRank next = gathered(0);
      for (Numbers& x : next) {
        for (std::int64_t& number : x) ++number;
      }
      step_.expected = {over_group(0, next), over_group(1, all_reduced(1))};
    } else if (step_.op == DivergentOp::scaled_sum || step_.op == DivergentOp::short_batch) {
      step_.expected = {compiled()};
    } else {
      step_.expected = {over_group(0, collective())};
    }
    return true;
  }

 private:
  const ByRank& operand(std::size_t number) const { return places_[step_.operands[number]]; }
  std::size_t members() const { return step_.group.size(); }
  // The operand of the group's member at a position.
  const Numbers& of(std::size_t number, std::size_t position) const {
    return operand(number)[static_cast<std::size_t>(step_.group[position])];
  }
  std::size_t length(std::size_t number) const { return operand(number)[0].size(); }
  std::size_t root() const { return static_cast<std::size_t>(step_.number); }

  // Every step keeps a place's length the same on all ranks, so that any collective may follow.
  bool suits() const {
    switch (step_.op) {
      case DivergentOp::all_gather:
      case DivergentOp::gather:
      case DivergentOp::two_gathers:
        if (length(0) * members() > kMostNumbers) return false;
        break;
      case DivergentOp::uneven_all_gather:
        if (std::ranges::max(step_.sizes) > static_cast<std::int64_t>(length(0))) return false;
        break;
      case DivergentOp::reduce_scatter:
      case DivergentOp::scatter:
      case DivergentOp::all_to_all:
        if (length(0) % members() != 0) return false;
        break;
      default:
        break;
    }
    if (step_.reduction != Reduce::product) return true;
    for (const std::size_t place : step_.operands) {
      for (const Numbers& x : places_[place]) {
        for (const std::int64_t number : x) {
          if (std::abs(number) > most_factor(members())) return false;
        }
      }
    }
    return true;
  }

  ByRank local() const {
    ByRank out;
    for (std::size_t rank = 0; rank < operand(0).size(); ++rank) {
      const Numbers& x = operand(0)[rank];
      const Numbers& y = step_.operands.size() > 1 ? operand(1)[rank] : x;
      const std::int64_t number = step_.number;
      switch (step_.op) {
        case DivergentOp::add:
          out.push_back(combine(x, y, std::plus()));
          break;
        case DivergentOp::subtract:
          out.push_back(combine(x, y, std::minus()));
          break;
        case DivergentOp::multiply:
          out.push_back(combine(x, y, std::multiplies()));
          break;
        case DivergentOp::maximum:
          out.push_back(combine(x, y, [](auto a, auto b) { return std::max(a, b); }));
          break;
        case DivergentOp::scale:
          out.push_back(combine(x, x, [&](auto a, auto) { return a * number; }));
          break;
        case DivergentOp::clamp:
          out.push_back(
              combine(x, x, [&](auto a, auto) { return std::clamp(a, -number, number); }));
          break;
        default:
          out.emplace_back(x.rbegin(), x.rend());
      }
    }
    return out;
  }

  // Puts what the members have (by position) at their ranks.
  ByRank over_group(std::size_t number, const ByRank& of_members) const {
    ByRank out;
    for (const Numbers& x : operand(number)) {
      out.emplace_back(of_members[0].size(), sum_of(x));
    }
    for (std::size_t position = 0; position < members(); ++position) {
      out[static_cast<std::size_t>(step_.group[position])] = of_members[position];
    }
    return out;
  }

  Numbers reduction_of(std::size_t number) const {
    Numbers out = of(number, 0);
    for (std::size_t position = 1; position < members(); ++position) {
      out = combine(out, of(number, position),
                    [&](auto a, auto b) { return reduced_pair(step_.reduction, a, b); });
    }
    return out;
  }
  ByRank all_reduced(std::size_t number) const { return ByRank(members(), reduction_of(number)); }

  ByRank gathered(std::size_t number) const {
    Numbers all;
    for (std::size_t position = 0; position < members(); ++position) {
      const Numbers& x = of(number, position);
      const bool uneven = step_.op == DivergentOp::uneven_all_gather;
      all.insert(all.end(), x.begin(), uneven ? x.begin() + step_.sizes[position] : x.end());
    }
    return ByRank(members(), all);
  }

  ByRank only_root(ByRank values) const {
    for (std::size_t position = 0; position < members(); ++position) {
      if (position != root()) values[position].assign(values[position].size(), 0);
    }
    return values;
  }

  // By position.
  ByRank collective() const {
    ByRank out(members());
    switch (step_.op) {
      case DivergentOp::all_reduce:
        return all_reduced(0);
      case DivergentOp::reduce:
        return only_root(all_reduced(0));
      case DivergentOp::all_gather:
      case DivergentOp::uneven_all_gather:
        return gathered(0);
      case DivergentOp::gather:
        return only_root(gathered(0));
      case DivergentOp::reduce_scatter:
        for (std::size_t i = 0; i < members(); ++i)
          out[i] = numbers_part(reduction_of(0), i, members());
        return out;
      case DivergentOp::scatter:
        for (std::size_t i = 0; i < members(); ++i)
          out[i] = numbers_part(of(0, root()), i, members());
        return out;
      case DivergentOp::broadcast:
        return ByRank(members(), of(0, root()));
      case DivergentOp::all_to_all:
        for (std::size_t to = 0; to < members(); ++to) {
          for (std::size_t by = 0; by < members(); ++by) {
            const Numbers part = numbers_part(of(0, by), to, members());
            out[to].insert(out[to].end(), part.begin(), part.end());
          }
        }
        return out;
      case DivergentOp::permute:
        for (Numbers& x : out) x.assign(length(0), 0);
        break;
      default:  // a message or nothing: who gets nothing keeps what it has
        for (std::size_t i = 0; i < members(); ++i) out[i] = of(0, i);
    }
    for (const auto& [source, target] : step_.pairs) {
      out[static_cast<std::size_t>(target)] = of(0, static_cast<std::size_t>(source));
    }
    return out;
  }

  ByRank compiled() const {
    ByRank out;
    for (std::size_t rank = 0; rank < operand(0).size(); ++rank) {
      // A rank outside of the group sums over itself.
      const bool member = std::ranges::count(step_.group, static_cast<std::int64_t>(rank)) != 0;
      Numbers total(length(0), 0);
      for (std::size_t other = 0; other < operand(0).size(); ++other) {
        const bool together =
            member ? std::ranges::count(step_.group, static_cast<std::int64_t>(other)) != 0
                   : other == rank;
        if (together) total = combine(total, contribution(other), std::plus());
      }
      const std::int64_t added = step_.op == DivergentOp::scaled_sum ? sum_of(operand(1)[rank]) : 0;
      for (std::int64_t& number : total) number += added;
      out.push_back(std::move(total));
    }
    return out;
  }

  Numbers contribution(std::size_t rank) const {
    Numbers x = operand(0)[rank];
    for (std::int64_t& number : x) {
      // The batch of n elements is 0, 1, ... n - 1.
      if (step_.op == DivergentOp::scaled_sum) {
        number *= step_.number;
      } else {
        number += step_.sizes[rank] * (step_.sizes[rank] - 1) / 2;
      }
    }
    return x;
  }

  const std::vector<ByRank>& places_;
  DivergentStep& step_;
};

}  // namespace

bool expect_results(const std::vector<ByRank>& places, DivergentStep& step) {
  return Model(places, step).run();
}

}  // namespace tutti::test
