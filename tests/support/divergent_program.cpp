// Makes programs: which steps, of which groups.

#include "tests/support/divergent_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

namespace tutti::test {

namespace {

constexpr std::int64_t kLarge = 500;  // above it a step follows that makes values small again
constexpr std::int64_t kFewElements = 20;

class Maker {
 public:
  Maker(std::uint64_t seed, std::int64_t ranks) : random_(seed) {
    program_.seed = seed;
    program_.ranks = ranks;
    program_.compiled_group = some_group();
    program_.compiled_algorithm = some_algorithm();
    for (int i = 0; i < 3; ++i) groups_.push_back(some_group());
    std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    groups_.push_back(all);
    places_.resize(DivergentProgram::kPlaces);
  }

  DivergentProgram make() {
    const std::int64_t length = some_length();
    for (std::size_t place = 0; place < DivergentProgram::kPlaces; ++place) {
      add_numbers(place, chance(2) ? length : some_length());
    }
    for (int steps = 5 + below(20); steps > 0;) {
      if (add_step()) --steps;
    }
    return std::move(program_);
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  std::size_t some_place() { return static_cast<std::size_t>(below(DivergentProgram::kPlaces)); }
  std::int64_t some_length() {
    constexpr std::int64_t kLengths[] = {0, 1, 2, 3, 4, 6, 12, 12};
    return kLengths[below(std::ssize(kLengths))];
  }
  std::string some_algorithm() {
    constexpr const char* kAlgorithms[] = {"auto", "auto", "off", "one_shot", "two_shot"};
    return kAlgorithms[below(std::ssize(kAlgorithms))];
  }
  // At least two members, in any order.
  std::vector<std::int64_t> some_group() {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(program_.ranks));
    std::iota(ranks.begin(), ranks.end(), 0);
    for (std::size_t i = ranks.size(); i > 1; --i) {
      std::swap(ranks[i - 1], ranks[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }
    ranks.resize(static_cast<std::size_t>(2 + below(static_cast<int>(program_.ranks) - 1)));
    return ranks;
  }

  void add_numbers(std::size_t place, std::int64_t length) {
    DivergentStep step{.op = DivergentOp::make, .operands = {}, .results = {place}};
    std::vector<Numbers> values(static_cast<std::size_t>(program_.ranks));
    for (Numbers& of_rank : values) {
      for (std::int64_t i = 0; i < length; ++i) of_rank.push_back(below(9) - 4);
    }
    step.expected = {std::move(values)};
    append(std::move(step));
  }

  bool add_step() {
    constexpr DivergentOp kLast = DivergentOp::two_gathers;
    DivergentStep step{.op = static_cast<DivergentOp>(below(static_cast<int>(kLast) + 1)),
                       .operands = {some_place(), some_place()},
                       .results = {some_place()}};
    if (step.op == DivergentOp::make) {
      add_numbers(step.results[0], some_length());
      return true;
    }
    if (step.op == DivergentOp::tree || step.op == DivergentOp::two_gathers) {
      step.results.push_back((step.results[0] + 1) % DivergentProgram::kPlaces);
    }
    step.number = step.op == DivergentOp::scale || step.op == DivergentOp::scaled_sum
                      ? below(7) - 3
                      : kFewElements;
    if (step.op >= DivergentOp::all_reduce) choose_group(step);
    if (!expect_results(places_, step)) return false;
    append(std::move(step));
    return true;
  }

  void choose_group(DivergentStep& step) {
    step.group = groups_[static_cast<std::size_t>(below(static_cast<int>(groups_.size())))];
    step.tag = chance(4) ? "other" : "";  // the same ranks may be two groups
    step.algorithm = some_algorithm();
    if (step.op >= DivergentOp::scaled_sum) step.group = program_.compiled_group;
    const auto members = static_cast<int>(step.group.size());
    constexpr Reduce kReductions[] = {Reduce::sum, Reduce::sum, Reduce::min, Reduce::max,
                                      Reduce::product};
    step.reduction = kReductions[below(std::ssize(kReductions))];
    if (step.op == DivergentOp::short_batch) {
      const int rank = below(static_cast<int>(program_.ranks));
      step.sizes.assign(static_cast<std::size_t>(program_.ranks), 3);
      step.sizes[static_cast<std::size_t>(rank)] = chance(2) ? 3 : below(3);
    } else if (step.op == DivergentOp::looped_max) {
      step.reduction = Reduce::max;
      step.number = 1 + below(3);
    } else if (step.op != DivergentOp::scaled_sum) {
      step.number = below(members);
    }
    if (step.op == DivergentOp::message) {
      const int source = below(members);
      step.pairs = {{source, (source + 1 + below(members - 1)) % members}};
    }
    if (step.op == DivergentOp::permute) {
      const int shift = below(members);
      for (int source = 0; source < members; ++source) {
        if (!chance(3)) step.pairs.emplace_back(source, (source + shift) % members);
      }
    }
    if (step.op == DivergentOp::uneven_all_gather) {
      for (int member = 0; member < members; ++member) step.sizes.push_back(below(4));
    }
  }

  void append(DivergentStep step) {
    std::vector<std::size_t> large;
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      std::int64_t most = 0;
      for (const Numbers& numbers : step.expected[i]) {
        for (const std::int64_t number : numbers) most = std::max(most, std::abs(number));
      }
      if (most > kLarge) large.push_back(step.results[i]);
      places_[step.results[i]] = step.expected[i];
    }
    program_.steps.push_back(std::move(step));
    for (const std::size_t place : large) {
      DivergentStep clamp{.op = DivergentOp::clamp, .operands = {place}, .results = {place}};
      clamp.number = kFewElements;
      expect_results(places_, clamp);
      append(std::move(clamp));
    }
  }

  std::mt19937_64 random_;
  DivergentProgram program_;
  std::vector<std::vector<std::int64_t>> groups_;
  std::vector<std::vector<Numbers>> places_;
};

constexpr const char* kNames[] = {"make",       "add",
                                  "subtract",   "multiply",
                                  "maximum",    "scale",
                                  "clamp",      "reverse",
                                  "all_reduce", "reduce",
                                  "all_gather", "uneven_all_gather",
                                  "gather",     "reduce_scatter",
                                  "scatter",    "broadcast",
                                  "all_to_all", "permute",
                                  "message",    "barrier",
                                  "tree",       "looped_max",
                                  "scaled_sum", "short_batch",
                                  "two_gathers"};
static_assert(std::size(kNames) == static_cast<std::size_t>(DivergentOp::two_gathers) + 1);

template <class T>
void print_list(std::ostream& out, const std::vector<T>& list) {
  out << "[";
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : " ") << list[i];
  out << "]";
}

}  // namespace

DivergentProgram make_divergent_program(std::uint64_t seed, std::int64_t ranks) {
  return Maker(seed, ranks).make();
}

std::string text(const DivergentProgram& program) {
  std::ostringstream out;
  out << "seed " << program.seed << ", " << program.ranks << " ranks\n";
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const DivergentStep& step = program.steps[i];
    out << "step " << i << ": places ";
    print_list(out, step.results);
    out << " = " << kNames[static_cast<std::size_t>(step.op)] << " of ";
    print_list(out, step.operands);
    if (!step.group.empty()) {
      out << " over ";
      print_list(out, step.group);
      out << " " << step.algorithm;
    }
    out << " number " << step.number << "; by rank";
    for (const auto& by_rank : step.expected) {
      for (const Numbers& numbers : by_rank) {
        out << " ";
        print_list(out, numbers);
      }
      out << ";";
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace tutti::test
