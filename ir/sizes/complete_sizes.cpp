#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/sizes/merge_samples.h>

#include <bit>
#include <memory>
#include <utility>

namespace tutti::ir {

void complete_sizes(Graph& graph) {
  const std::vector<SizeSymbol> symbols = graph.sizes->symbols;
  std::vector<Sample> samples;
  const auto add = [&](std::vector<std::int64_t> values) {
    Graph made = instance(graph, values);
    samples.push_back({std::move(values), std::move(made)});
  };
  for (std::vector<std::int64_t>& values : corners(symbols)) add(std::move(values));
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    std::vector<std::int64_t> values = samples[0].values;
    values[i] = symbols[i].least;
    add(std::move(values));
  }
  // A size that is no sum of products may be one at all of these. Of others the program may not
  // exist.
  const auto try_to_add = [&](auto&& value_of) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < symbols.size(); ++i) values.push_back(value_of(i));
    try {
      add(std::move(values));
    } catch (const NodeTypeError&) {
    }
  };
  const std::size_t all = (std::size_t{1} << symbols.size()) - 1;
  for (std::size_t few = 0; few < all; ++few) {
    if (std::has_single_bit(all & ~few)) continue;  // that was one of the above
    try_to_add(
        [&](std::size_t i) { return (few >> i & 1) == 0 ? symbols[i].least : symbols[i].most; });
  }
  try_to_add(
      [&](std::size_t i) { return symbols[i].least + (symbols[i].most - symbols[i].least) / 2; });
  graph = merge_samples(symbols, samples);
}

std::vector<std::string> raise_lower_bounds(Graph& graph) {
  std::vector<std::string> reasons;
  if (graph.sizes == nullptr) return reasons;
  auto sizes = std::make_shared<SymbolicSizes>(*graph.sizes);
  std::vector<std::int64_t> most;
  for (const SizeSymbol& symbol : sizes->symbols) most.push_back(symbol.most);
  for (std::size_t i = 0; i < sizes->symbols.size(); ++i) {
    SizeSymbol& symbol = sizes->symbols[i];
    std::string why;  // of the largest size for which the program does not exist
    const auto exists = [&](std::int64_t size) {
      std::vector<std::int64_t> values = most;
      values[i] = size;
      try {
        instance(graph, values);
        return true;
      } catch (const NodeTypeError& error) {
        why = error.what();
        return false;
      }
    };
    if (exists(symbol.least)) continue;
    std::int64_t bad = symbol.least;
    std::int64_t good = symbol.most - 1;  // a corner
    while (good - bad > 1) {
      const std::int64_t middle = bad + (good - bad) / 2;
      std::string kept = std::exchange(why, {});
      if (exists(middle)) {
        good = middle;
        why = std::move(kept);
      } else {
        bad = middle;
      }
    }
    symbol.least = good;
    reasons.push_back(std::to_string(good) + " <= " + symbol.name + ": " + why);
  }
  graph.sizes = std::move(sizes);
  return reasons;
}

}  // namespace tutti::ir
