#include <tutti/ir/attribute_integers.h>
#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/sizes/merge_samples.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace tutti::ir {

namespace {

// The graphs of one function, sample by sample.
using Graphs = std::vector<const Graph*>;

// Makes one graph of several, node by node.
class Merge {
 public:
  Merge(std::span<const SizeSymbol> symbols, std::span<const Sample> samples)
      : symbols_(symbols), samples_(samples) {}

  Graph run(const Graphs& graphs) {
    const Graph& from = *graphs[0];
    for (std::size_t s = 1; s < graphs.size(); ++s) check_alike(graphs, s);

    Graph out(from.name);
    out.mesh = from.mesh;
    out.default_device = from.default_device;
    auto sizes = std::make_shared<SymbolicSizes>();
    sizes->symbols.assign(symbols_.begin(), symbols_.end());
    for (NodeId id = 0; id < from.node_count(); ++id) node(graphs, id, out, *sizes);
    out.set_results(from.results());
    copy_shardings(from, out);
    choose_symbols(out, *sizes);
    if (!sizes->symbols.empty()) out.sizes = std::move(sizes);
    return out;
  }

 private:
  // "n = 64 ... n = 63 ..."
  [[noreturn]] void fail(const Graphs& graphs, std::size_t sample, NodeId id,
                         const std::string& what) const {
    const auto shown = [&](std::size_t s) {
      std::string text = "\n  for " + values_text(symbols_, samples_[s].values) + ": ";
      return text + (id < graphs[s]->node_count() ? print(*graphs[s], id) : "no such node");
    };
    const Location at = id < graphs[0]->node_count() ? graphs[0]->node(id).location : Location();
    throw NodeTypeError(id, what + shown(0) + shown(sample), at);
  }

  // Throws unless two graphs have the same nodes, but for numbers.
  void check_alike(const Graphs& graphs, std::size_t sample) const {
    const Graph& a = *graphs[0];
    const Graph& b = *graphs[sample];
    const std::string what = "the program differs for other sizes in more than numbers";
    for (NodeId id = 0; id < std::max(a.node_count(), b.node_count()); ++id) {
      if (id >= a.node_count() || id >= b.node_count()) fail(graphs, sample, id, what);
      const Node& x = a.node(id);
      const Node& y = b.node(id);
      if (x.op != y.op || x.result_count != y.result_count || x.fusion != y.fusion ||
          !std::ranges::equal(a.operands(id), b.operands(id)) ||
          x.attributes.size() != y.attributes.size()) {
        fail(graphs, sample, id, what);
      }
      for (std::uint32_t i = 0; i < x.result_count; ++i) {
        Type s = a.type(a.result(id, i));
        Type t = b.type(b.result(id, i));
        if (s.shape.rank() != t.shape.rank()) fail(graphs, sample, id, what);
        s.shape = t.shape = {};
        if (s != t) fail(graphs, sample, id, what);
      }
    }
    if (a.results() != b.results() || a.parameters().size() != b.parameters().size()) {
      throw TypeError(what + ": the results are not the same values");
    }
  }

  void node(const Graphs& graphs, NodeId id, Graph& out, SymbolicSizes& sizes) {
    const Graph& from = *graphs[0];
    const Node& node = from.node(id);
    std::vector<Type> types;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      const Value value = from.result(id, i);
      types.push_back(from.type(value));
      for (int d = 0; d < types.back().shape.rank(); ++d) {
        const SizeExpression size =
            expression(graphs, id, [&](std::size_t s) { return graphs[s]->type(value).shape[d]; });
        if (!size.is_constant()) sizes.dimensions.emplace(std::pair(value.id, d), size);
      }
    }
    if (node.op == Op::parameter) {
      const Parameter& parameter = from.parameters()[id];
      out.add_parameter(parameter.name, types[0], parameter.donate, node.location);
      return;
    }
    if (node.op == Op::constant && constant(graphs, id, out, sizes)) return;
    std::vector<Attribute> attributes;
    for (std::size_t i = 0; i < node.attributes.size(); ++i) {
      attributes.push_back(attribute(graphs, id, i, sizes));
    }
    const NodeId made =
        out.append(node.op, from.operands(id), std::move(attributes), types, node.location);
    out.set_calls(from.calls(id));
    out.set_fusion(made, node.fusion);
  }

  // The expression of a number that each sample has.
  SizeExpression expression(const Graphs& graphs, NodeId id,
                            const std::function<std::int64_t(std::size_t)>& number) const {
    const std::int64_t first = number(0);
    bool same = true;
    for (std::size_t s = 1; s < graphs.size() && same; ++s) same = number(s) == first;
    if (same) return first;
    std::vector<std::int64_t> at_corners;
    for (std::size_t s = 0; s < std::size_t{1} << symbols_.size(); ++s) {
      at_corners.push_back(number(s));
    }
    try {
      const SizeExpression out = SizeExpression::fit(at_corners, symbols_);
      for (std::size_t s = at_corners.size(); s < graphs.size(); ++s) {
        const std::int64_t wanted = out.at(samples_[s].values);
        if (wanted == number(s)) continue;
        fail(graphs, s, id,
             "a size is not a sum of products of the symbols for all their values: " +
                 std::to_string(number(s)) + ", not " + out.text(symbols_) + " = " +
                 std::to_string(wanted));
      }
      return out;
    } catch (const NodeTypeError&) {
      throw;
    } catch (const TypeError& error) {
      throw NodeTypeError(id, error.what(), graphs[0]->node(id).location);
    }
  }

  Attribute attribute(const Graphs& graphs, NodeId id, std::size_t number, SymbolicSizes& sizes) {
    const auto at = [&](std::size_t s) -> const Attribute& {
      return graphs[s]->node(id).attributes[number];
    };
    if (const auto* const one = std::get_if<FunctionPtr>(&at(0))) {
      std::vector<const Function*> functions;
      for (std::size_t s = 0; s < graphs.size(); ++s) {
        functions.push_back(std::get<FunctionPtr>(at(s)).get());
      }
      return function(*one, functions);
    }
    if (const auto* const list = std::get_if<std::vector<FunctionPtr>>(&at(0))) {
      std::vector<FunctionPtr> out;
      for (std::size_t i = 0; i < list->size(); ++i) {
        std::vector<const Function*> functions;
        for (std::size_t s = 0; s < graphs.size(); ++s) {
          const auto& other = std::get<std::vector<FunctionPtr>>(at(s));
          if (other.size() != list->size()) fail(graphs, s, id, "the branches differ");
          functions.push_back(other[i].get());
        }
        out.push_back(function((*list)[i], functions));
      }
      return out;
    }
    std::vector<std::vector<std::int64_t>> integers;
    for (std::size_t s = 0; s < graphs.size(); ++s) {
      integers.push_back(integers_of(at(s)));
      if (integers[s].size() != integers[0].size()) {
        fail(graphs, s, id, "the program differs for other sizes in more than numbers");
      }
    }
    for (std::size_t i = 0; i < integers[0].size(); ++i) {
      const SizeExpression value =
          expression(graphs, id, [&](std::size_t s) { return integers[s][i]; });
      if (!value.is_constant()) sizes.attributes.emplace(std::tuple(id, number, i), value);
    }
    for (std::size_t s = 1; s < graphs.size(); ++s) {
      if (!equal(with_integers(at(s), integers[0]), at(0))) {
        fail(graphs, s, id, "what is no size differs for other sizes");
      }
    }
    return at(0);
  }

  FunctionPtr function(const FunctionPtr& first, const std::vector<const Function*>& functions) {
    if (const auto known = functions_.find(functions); known != functions_.end()) {
      return known->second;
    }
    bool same = true;
    Graphs graphs;
    for (const Function* const one : functions) {
      same = same && one->hash() == first->hash();
      graphs.push_back(&one->graph());
    }
    FunctionPtr out = same ? first : std::make_shared<const Function>(run(graphs));
    return functions_.emplace(functions, std::move(out)).first->second;
  }

  // A scalar that is a size, or one over a size, becomes a node that says so. Returns whether.
  bool constant(const Graphs& graphs, NodeId id, Graph& out, SymbolicSizes& sizes) const {
    const auto array = [&](std::size_t s) -> const Array& {
      return *std::get<ArrayPtr>(graphs[s]->node(id).attributes[0]);
    };
    bool same = true;
    for (std::size_t s = 1; s < graphs.size() && same; ++s) same = array(s) == array(0);
    if (same) return false;
    const Array& first = array(0);
    for (const bool reciprocal : {false, true}) {
      std::vector<std::int64_t> numbers;
      for (std::size_t s = 0; s < graphs.size(); ++s) {
        const std::optional<std::int64_t> number = whole_number(array(s), reciprocal);
        if (!number) break;
        numbers.push_back(*number);
      }
      if (numbers.size() != graphs.size()) continue;
      const SizeExpression value =
          expression(graphs, id, [&](std::size_t s) { return numbers[s]; });
      const Type& type = graphs[0]->type(graphs[0]->result(id));
      out.append(Op::size, {}, {numbers[0], first.dtype(), reciprocal}, std::span(&type, 1),
                 graphs[0]->node(id).location);
      sizes.attributes.emplace(std::tuple(id, std::size_t{0}, std::size_t{0}), value);
      return true;
    }
    for (std::size_t s = 1; s < graphs.size(); ++s) {
      if (array(s) == array(0)) continue;
      fail(graphs, s, id,
           "a constant differs for other sizes, and is neither a size nor one over "
           "a size");
    }
    return false;
  }

  // The integer that a scalar is, or that it is one over.
  static std::optional<std::int64_t> whole_number(const Array& array, bool reciprocal) {
    if (array.shape().rank() != 0) return std::nullopt;
    const double value = array.at(0);
    const double wanted = std::round(reciprocal ? 1 / value : value);
    if (!(std::abs(wanted) < 0x1p53)) return std::nullopt;
    const Array again = Array::scalar_of(array.dtype(), reciprocal ? 1 / wanted : wanted);
    if (again != array) return std::nullopt;
    return static_cast<std::int64_t>(wanted);
  }

  // Keeps the symbols that anything of a function depends on, in the order of their names.
  static void choose_symbols(const Graph& graph, SymbolicSizes& sizes) {
    const std::vector<SizeSymbol> inner = symbols_of_functions(graph);
    std::uint32_t used = 0;
    for (const auto& [place, expression] : sizes.dimensions) used |= expression.symbols_used();
    for (const auto& [place, expression] : sizes.attributes) used |= expression.symbols_used();
    std::vector<SizeSymbol> kept;
    for (std::size_t i = 0; i < sizes.symbols.size(); ++i) {
      const bool inside =
          std::ranges::find(inner, sizes.symbols[i].name, &SizeSymbol::name) != inner.end();
      if (inside || (used >> i & 1) != 0) kept.push_back(sizes.symbols[i]);
    }
    std::ranges::sort(kept, {}, &SizeSymbol::name);
    if (kept == sizes.symbols) return;
    std::vector<std::size_t> numbers;
    for (const SizeSymbol& symbol : sizes.symbols) {
      numbers.push_back(static_cast<std::size_t>(std::ranges::find(kept, symbol) - kept.begin()));
    }
    sizes.symbols = std::move(kept);
    for (auto& [place, expression] : sizes.dimensions) {
      expression = expression.renumbered(numbers);
    }
    for (auto& [place, expression] : sizes.attributes) {
      expression = expression.renumbered(numbers);
    }
  }

  std::span<const SizeSymbol> symbols_;
  std::span<const Sample> samples_;
  std::map<std::vector<const Function*>, FunctionPtr> functions_;  // by those of all samples
};

}  // namespace

Graph merge_samples(std::span<const SizeSymbol> symbols, std::span<const Sample> samples) {
  Graphs graphs;
  for (const Sample& sample : samples) graphs.push_back(&sample.graph);
  return Merge(symbols, samples).run(graphs);
}

}  // namespace tutti::ir
