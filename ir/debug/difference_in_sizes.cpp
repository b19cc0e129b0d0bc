#include <tutti/ir/debug/difference_in_sizes.h>
#include <tutti/ir/debug/difference_text.h>
#include <tutti/ir/function.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/text/print.h>

#include <bit>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace tutti::ir {

namespace {

using namespace difference_text;

const SymbolicSizes& varying_sizes_of(const Graph& graph) {
  static const SymbolicSizes none;
  return graph.sizes == nullptr ? none : *graph.sizes;
}

// "n<=64, 2<=m<=8"
std::string text_of_bounds(const std::vector<SizeSymbol>& symbols) {
  std::string out;
  for (const SizeSymbol& symbol : symbols) {
    out += (out.empty() ? "" : ", ") +
           (symbol.least == 1 ? "" : std::to_string(symbol.least) + "<=") + symbol.name +
           "<=" + std::to_string(symbol.most);
  }
  return out.empty() ? "none" : out;
}

// Which symbol of `a` each one of `b` is. They are numbered by their names, which may differ, but
// each follows from a dimension that depends on it alone. As many as there are in `b`, which has as
// many as `a`.
std::vector<std::size_t> counterparts(const SymbolicSizes& a, const SymbolicSizes& b) {
  constexpr std::size_t kOpen = kMostSymbols;
  std::vector<std::size_t> out(b.symbols.size(), kOpen);
  std::vector<bool> taken(a.symbols.size(), false);
  for (const auto& [place, in_a] : a.dimensions) {
    const auto in_b = b.dimensions.find(place);
    if (in_b == b.dimensions.end()) continue;
    const std::uint32_t x = in_a.symbols_used();
    const std::uint32_t y = in_b->second.symbols_used();
    if (std::popcount(x) != 1 || std::popcount(y) != 1) continue;
    const auto from = static_cast<std::size_t>(std::countr_zero(x));
    const auto to = static_cast<std::size_t>(std::countr_zero(y));
    if (taken[from] || out[to] != kOpen) continue;
    out[to] = from;
    taken[from] = true;
  }
  // Those that only functions inside have.
  std::size_t next = 0;
  for (std::size_t& number : out) {
    if (number != kOpen) continue;
    while (taken[next]) ++next;
    number = next++;
  }
  return out;
}

class SizeComparison {
 public:
  std::string compare(const Graph& a, const Graph& b) {
    std::string out = compare_own(a, b);
    for (NodeId id = 0; id < a.node_count() && out.empty(); ++id) out = compare_inside(a, b, id);
    return out;
  }

 private:
  static std::string compare_own(const Graph& a, const Graph& b) {
    const SymbolicSizes& x = varying_sizes_of(a);
    const SymbolicSizes& y = varying_sizes_of(b);
    const auto bounds = [&] {
      return "the sizes that vary are " + text_of_bounds(x.symbols) + " in A and " +
             text_of_bounds(y.symbols) + " in B";
    };
    if (x.symbols.size() != y.symbols.size()) return bounds();
    const std::vector<std::size_t> numbers = counterparts(x, y);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const SizeSymbol& in_a = x.symbols[numbers[i]];
      if (in_a.least != y.symbols[i].least || in_a.most != y.symbols[i].most) return bounds();
    }
    for (std::uint32_t id = 0; id < a.value_count(); ++id) {
      const Value value{id};
      for (int d = 0; d < a.type(value).shape.rank(); ++d) {
        if (size_expression(a, value, d) == size_expression(b, value, d).renumbered(numbers)) {
          continue;
        }
        return print(a, value) + " is " + symbolic_text(a, value) + " in A and " +
               symbolic_text(b, value) + " in B";
      }
    }
    for (const SymbolicSizes* const side : {&x, &y}) {
      for (const auto& [key, expression] : side->attributes) {
        const auto& [id, attribute, place] = key;
        if (attribute_expression(a, id, attribute, place) ==
            attribute_expression(b, id, attribute, place).renumbered(numbers)) {
          continue;
        }
        return described(a, id) + " is " + right_side(b, id, true) + " in B";
      }
    }
    return "";
  }

  std::string compare_inside(const Graph& a, const Graph& b, NodeId id) {
    for (std::size_t i = 0; i < a.node(id).attributes.size(); ++i) {
      const auto in_a = functions_of(a.node(id).attributes[i]);
      const auto in_b = functions_of(b.node(id).attributes[i]);
      for (std::size_t j = 0; j < in_a.size(); ++j) {
        if (!seen_.emplace(in_a[j].get(), in_b[j].get()).second) continue;
        const std::string inside = compare(in_a[j]->graph(), in_b[j]->graph());
        if (inside.empty()) continue;
        return "in @" + in_a[j]->graph().name + ", " +
               place_of_function(a, id, {.attribute = i, .index = j}) + ": " + inside;
      }
    }
    return "";
  }

  std::set<std::pair<const Function*, const Function*>> seen_;
};

}  // namespace

std::string difference_in_sizes(const Graph& a, const Graph& b) {
  return SizeComparison().compare(a, b);
}

}  // namespace tutti::ir
