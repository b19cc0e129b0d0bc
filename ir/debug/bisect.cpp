#include <tutti/ir/debug/array_difference.h>
#include <tutti/ir/debug/bisect.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace tutti::ir {

namespace {

// Narrow numbers are computed in f32 and rounded once or a few times.
Tolerance epsilons(double narrow, double wide) {
  return [=](DType dtype) {
    const double epsilon = std::ldexp(1, -mantissa_bits(dtype));  // from 1 to the next number
    return epsilon * (is_narrow_floating(dtype) ? narrow : wide);
  };
}

std::string array_text(const Array& array) {
  return std::string(name_of(array.dtype())) + array.shape().text();
}

std::string array_text(const ArrayDifference& difference, std::int64_t elements) {
  std::string out = "differs";
  if (!difference.index.empty()) {
    out += " at [";
    for (const std::int64_t index : difference.index) {
      out += (out.back() == '[' ? "" : ", ") + std::to_string(index);
    }
    out += "]";
  }
  out += ": " + difference.actual + " instead of " + difference.expected;
  const std::int64_t more = difference.count - 1;
  if (more > 0) {
    out += std::string(more == 1 ? "; so does " : "; so do ") + std::to_string(more) +
           " more of its " + std::to_string(elements) + " elements";
  }
  return out;
}

void hash_sharding(Hasher& hasher, const Sharding& sharding) {
  hasher.add(sharding.size());
  for (const std::vector<std::string>& names : sharding) {
    hasher.add(names.size());
    for (const std::string& name : names) hasher.add(name);
  }
}

// Of what a program computes, and of which arguments: those are found by the parameters' names, and
// are parts by their shardings.
Hash128 hash_of_program(const Graph& graph) {
  Hasher hasher;
  hasher.add(structural_hash(graph));
  for (const Parameter& parameter : graph.parameters()) {
    hasher.add(parameter.name);
    hash_sharding(hasher, parameter.sharding);
  }
  for (std::size_t i = 0; i < graph.results().size(); ++i) {
    hash_sharding(hasher, graph.result_sharding(i));
  }
  return hasher.finish();
}

}  // namespace

RankPrograms RankPrograms::same(Graph graph, std::size_t ranks) {
  RankPrograms out;
  out.graphs.push_back(std::move(graph));
  out.of_rank.assign(ranks, 0);
  return out;
}

RankPrograms RankPrograms::distinct(const std::vector<Graph>& by_rank) {
  RankPrograms out;
  std::unordered_map<Hash128, std::size_t, Hash128Hasher> known;
  for (const Graph& graph : by_rank) {
    const auto [found, is_new] = known.try_emplace(hash_of_program(graph), out.graphs.size());
    if (is_new) out.graphs.push_back(graph);
    out.of_rank.push_back(found->second);
  }
  return out;
}

std::vector<const Graph*> RankPrograms::by_rank() const {
  std::vector<const Graph*> out;
  for (const std::size_t program : of_rank) out.push_back(&graphs[program]);
  return out;
}

std::vector<std::int64_t> RankPrograms::ranks_of(std::size_t program) const {
  std::vector<std::int64_t> out;
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    if (of_rank[rank] == program) out.push_back(static_cast<std::int64_t>(rank));
  }
  return out;
}

std::optional<std::string> difference_of(const Array& expected, const Array& actual,
                                         const Tolerance& tolerance) {
  if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape()) {
    return "is " + array_text(actual) + ", not " + array_text(expected);
  }
  const auto difference = array_difference(expected, actual, tolerance(expected.dtype()));
  if (!difference) return std::nullopt;
  return array_text(*difference, expected.elements());
}

std::string text_of_ranks(const std::vector<std::int64_t>& ranks) {
  std::string out = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  }
  return out;
}

std::string place_of(const PassCulprit& culprit, const RankPrograms& programs) {
  std::string out;
  if (programs.graphs.size() > 1 && !culprit.ranks.empty()) {
    out += " on " + text_of_ranks(culprit.ranks);
  }
  if (!culprit.function.empty()) out += " in @" + culprit.function;
  return out;
}

std::string blame_of(const PassCulprit& culprit, const RankPrograms& programs) {
  const std::string place = place_of(culprit, programs);
  return "the pass " + culprit.pass + " is to blame" +
         (place.empty() ? "" : ", for what it does" + place) + ": after it " + culprit.finding;
}

Tolerance tolerance_of_passes() { return epsilons(4, 16); }
Tolerance tolerance_of_code() { return epsilons(8, 256); }

std::optional<std::string> result_difference(const RankArrays& expected, const RankArrays& actual,
                                             const Tolerance& tolerance) {
  if (expected.size() != actual.size()) {
    return "there are " + std::to_string(actual.size()) + " ranks, not " +
           std::to_string(expected.size());
  }
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const std::string place = " on rank " + std::to_string(rank) + " ";
    if (expected[rank].size() != actual[rank].size()) {
      return "there are " + std::to_string(actual[rank].size()) + " results" + place + "and not " +
             std::to_string(expected[rank].size());
    }
    for (std::size_t i = 0; i < expected[rank].size(); ++i) {
      const auto finding = difference_of(expected[rank][i], actual[rank][i], tolerance);
      if (finding) return "result " + std::to_string(i) + place + *finding;
    }
  }
  return std::nullopt;
}

}  // namespace tutti::ir
