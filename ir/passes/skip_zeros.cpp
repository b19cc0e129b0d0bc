#include <tutti/ir/alike_transposes.h>
#include <tutti/ir/blocks.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/splat.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/term.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

// A convolution over x with s - 1 zeros between its elements multiplies mostly zeros: the gradient
// of one with strides is that, and so is a transposed one. Results that lie s apart look at x
// through the same places of the window, s apart, too. So they are a convolution over x itself with
// a part of the window, and the whole is s of these, woven together; s * s in two dimensions.
namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

// Multiplications of which those by zeros take longer than a few calls more.
constexpr std::int64_t kLeastWork = std::int64_t{1} << 22;
// Convolutions that one becomes, and elements from one of x to the next.
constexpr std::int64_t kMostPhases = 16;
constexpr std::int64_t kMostStep = 64;
// Zeros around x, and results, which are some more while phases are put together.
constexpr std::int64_t kMostZeros = std::int64_t{1} << 40;
constexpr std::int64_t kMostResults = std::int64_t{1} << 50;

List in_order(int rank) {
  List out(static_cast<std::size_t>(rank));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Term moved(Term x, const List& order) {
  return order == in_order(x.shape().rank()) ? x : transpose(x, order);
}

Term cut(Term x, const List& start, const List& stop, const List& step) {
  const auto is = [](std::int64_t number) {
    return [number](std::int64_t each) { return each == number; };
  };
  const bool whole = std::ranges::all_of(start, is(0)) && std::ranges::all_of(step, is(1)) &&
                     std::ranges::equal(stop, x.shape());
  return whole ? x : x.apply(Op::slice, {start, stop, step});
}

// x with zeros around its elements and between them, by dimension.
struct Spread {
  Value of;
  List permutation;  // of its dimensions, before there are zeros
  List low, high, interior;
};

// Results p, p + s, p + 2s ... in one dimension of a convolution over x of n elements.
struct Phase {
  std::int64_t first = 0;   // p
  std::int64_t count = 0;   // results
  std::int64_t place = 0;   // of the window, the first that meets elements
  std::int64_t places = 0;  // of the window, s apart
  std::int64_t low = 0;     // zeros around x; below zero: elements that nobody looks at
  std::int64_t high = 0;
};

// One dimension of a convolution.
struct Dimension {
  std::int64_t step = 1;      // from an element to the next; 1: no zeros between them
  std::int64_t results = 0;   // of the convolution
  std::vector<Phase> phases;  // one where there is no step, or but for one all are zeros
  bool is_woven() const { return phases.size() > 1; }
  bool is_spread() const { return step > 1 && phases.size() == 1; }
};

class ZerosBetween {
 public:
  ZerosBetween(const Graph& graph, std::int64_t least_work)
      : graph_(graph), least_work_(least_work) {
    std::vector<Value> convolutions;
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      if (graph.node(id).op == Op::conv) convolutions.push_back(graph.result(id));
    }
    for (const auto& [value, transpose] : alike_transposes(graph, convolutions)) {
      transposes_.emplace(value, graph.attributes(transpose).integers("permutation"));
    }
  }

  bool visit(Rewriter& rewriter, NodeId id) const {
    if (graph_.node(id).op != Op::conv) return false;
    const Shape& result = graph_.type(graph_.result(id)).shape;
    const Shape& weight = graph_.type(graph_.operand(id, 1)).shape;
    if (result.elements() == 0 || weight.elements() == 0) return false;
    if (result.elements() > kMostResults) return false;
    const std::int64_t work = weight.elements() / weight[0];  // for each result
    if (result.elements() < (least_work_ + work - 1) / work) return false;
    const std::optional<Spread> spread = spread_of(graph_.operand(id, 0));
    if (!spread) return false;
    const std::optional<std::vector<Dimension>> dimensions = dimensions_of(id, *spread);
    if (!dimensions) return false;
    const auto woven = std::ranges::count_if(*dimensions, &Dimension::is_woven);
    if (result.rank() + woven > Shape::kMaxRank) return false;
    std::int64_t parts = 1;
    for (const Dimension& dimension : *dimensions) {
      parts = std::min(kMostPhases + 1, parts * std::ssize(dimension.phases));
    }
    if (parts > kMostPhases) return false;
    const Value out = apart(rewriter, id, *spread, *dimensions).value();
    if (rewriter.to().type(out) != graph_.type(graph_.result(id))) return false;
    rewriter.replace(id, out);
    return true;
  }

 private:
  // What a convolution is over, where that has zeros between elements.
  std::optional<Spread> spread_of(Value x) const {
    Spread out{
        .of = x, .permutation = in_order(shape(x).rank()), .low = {}, .high = {}, .interior = {}};
    for (;;) {
      const NodeId id = graph_.producer(out.of);
      const Op op = graph_.node(id).op;
      const Attributes attributes = graph_.attributes(id);
      if (op == Op::transpose) {
        for (std::int64_t& d : out.permutation) {
          d = attributes.integers("permutation")[static_cast<std::size_t>(d)];
        }
      } else if (op == Op::pad) {
        if (!is_splat(graph_, graph_.operand(id, 1), 0)) return {};
        for (const std::int64_t d : out.permutation) {
          const auto axis = static_cast<std::size_t>(d);
          out.low.push_back(attributes.integers("low")[axis]);
          out.high.push_back(attributes.integers("high")[axis]);
          out.interior.push_back(attributes.integers("interior")[axis]);
        }
      } else if (op != Op::slice || graph_.type(graph_.operand(id, 0)).shape != shape(out.of)) {
        return {};
      }
      out.of = graph_.operand(id, 0);
      if (op == Op::pad) break;
    }
    const auto is_zero = [](std::int64_t number) { return number == 0; };
    for (const List* const list : {&out.low, &out.high, &out.interior}) {
      if ((*list)[0] != 0 || (*list)[1] != 0) return {};
    }
    if (std::ranges::all_of(out.interior, is_zero)) return {};
    return out;
  }

  const Shape& shape(Value value) const { return graph_.type(value).shape; }

  std::optional<std::vector<Dimension>> dimensions_of(NodeId id, const Spread& spread) const {
    const Attributes attributes = graph_.attributes(id);
    const Shape& x = shape(spread.of);
    const Shape& weight = shape(graph_.operand(id, 1));
    std::vector<Dimension> out;
    for (int d = 2; d < weight.rank(); ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const std::size_t i = axis - 2;
      const std::int64_t low = spread.low[axis] + attributes.integers("low")[i];
      const std::int64_t high = spread.high[axis] + attributes.integers("high")[i];
      if (std::max(low, high) > kMostZeros) return {};
      Dimension dimension{
          .step = spread.interior[axis] + 1, .results = shape(graph_.result(id))[d], .phases = {}};
      if (dimension.step == 1) {
        dimension.phases.push_back({.first = 0,
                                    .count = dimension.results,
                                    .place = 0,
                                    .places = weight[d],
                                    .low = low,
                                    .high = high});
      } else {
        const std::int64_t dilation = attributes.integers("dilation")[i];
        if (attributes.integers("stride")[i] != 1 || dimension.step > kMostStep) return {};
        if (std::gcd(dilation, dimension.step) != 1) return {};
        const std::int64_t n = x[static_cast<int>(spread.permutation[axis])];
        if (!add_phases(dimension, n, weight[d], dilation, low)) return {};
      }
      out.push_back(std::move(dimension));
    }
    return out;
  }

  // Says whether the dimension can be taken apart.
  static bool add_phases(Dimension& out, std::int64_t n, std::int64_t window, std::int64_t dilation,
                         std::int64_t low) {
    // Phases that are woven together have results alike, so that some may be more than wanted.
    const bool all = window >= out.step && out.results >= out.step;
    for (std::int64_t p = 0; p < std::min(out.step, out.results); ++p) {
      Phase phase{.first = p};
      while (phase.place < std::min(window, out.step) &&
             (p + dilation * phase.place - low) % out.step != 0) {
        ++phase.place;
      }
      if (phase.place == window) continue;  // sees zeros alone
      phase.places = (window - 1 - phase.place) / out.step + 1;
      phase.low = (low - p - dilation * phase.place) / out.step;
      phase.count = (out.results - (all ? 0 : p) + out.step - 1) / out.step;
      phase.high = phase.count - n - phase.low + dilation * (phase.places - 1);
      // A phase that looks at no element is left to the convolution as it was.
      const auto taken = [](std::int64_t zeros) { return std::min<std::int64_t>(zeros, 0); };
      if (n + taken(phase.low) + taken(phase.high) < 1) return false;
      out.phases.push_back(phase);
    }
    return all || out.phases.size() == 1;
  }

  // The convolution as several over what lies between the zeros.
  Term apart(Rewriter& rewriter, NodeId id, const Spread& spread,
             const std::vector<Dimension>& dimensions) const {
    Builder* const builder = &rewriter.builder();
    const Term plain(builder, rewriter.map(spread.of));
    const Term x = moved(plain, spread.permutation);
    const Term weight(builder, rewriter.map(graph_.operand(id, 1)));
    const auto transposed = transposes_.find(graph_.result(id));
    const List order =
        transposed != transposes_.end() ? transposed->second : in_order(x.shape().rank());

    std::vector<Value> parts;
    std::vector<std::size_t> at(dimensions.size(), 0);  // which phase, by dimension
    for (bool more = true; more;) {
      std::vector<Phase> phases;
      for (std::size_t d = 0; d < at.size(); ++d) phases.push_back(dimensions[d].phases[at[d]]);
      parts.push_back(moved(of_phases(id, x, weight, dimensions, phases), order).value());
      more = false;
      for (std::size_t d = at.size(); d-- > 0 && !more;) {
        more = ++at[d] < dimensions[d].phases.size();
        if (!more) at[d] = 0;
      }
    }
    const Term out = with_zeros(woven(builder, parts, dimensions, order), dimensions, order);
    return moved(out, inverse_permutation(order));
  }

  // The results of one phase in each dimension.
  Term of_phases(NodeId id, Term x, Term weight, const std::vector<Dimension>& dimensions,
                 const std::vector<Phase>& phases) const {
    const Attributes attributes = graph_.attributes(id);
    List x_start(2, 0), start(2, 0), step(2, 1), low, high;
    List x_stop = {x.shape()[0], x.shape()[1]};
    List stop = {weight.shape()[0], weight.shape()[1]};
    for (std::size_t d = 0; d < phases.size(); ++d) {
      const Phase& phase = phases[d];
      const int axis = static_cast<int>(d) + 2;
      x_start.push_back(std::max<std::int64_t>(0, -phase.low));
      x_stop.push_back(x.shape()[axis] - std::max<std::int64_t>(0, -phase.high));
      low.push_back(std::max<std::int64_t>(0, phase.low));
      high.push_back(std::max<std::int64_t>(0, phase.high));
      start.push_back(phase.place);
      stop.push_back(weight.shape()[axis]);
      step.push_back(dimensions[d].step);
    }
    const List ones(x_start.size(), 1);
    const Term x_part = cut(x, x_start, x_stop, ones);
    const Term weight_part = cut(weight, start, stop, step);
    return ir::apply(Op::conv, x_part, weight_part,
                     {attributes.integers("stride"), low, high, attributes.integers("dilation"),
                      attributes.integer("groups")});
  }

  // Puts the phases' results between each other, in the order of `order`: a column of the blocks is
  // one phase's.
  static Term woven(Builder* builder, const std::vector<Value>& parts,
                    const std::vector<Dimension>& dimensions, const List& order) {
    const Term first(builder, parts[0]);
    if (parts.size() == 1) return first;
    List sizes, steps;
    std::vector<std::size_t> places(dimensions.size());  // in `order`
    for (std::size_t i = 0; i < order.size(); ++i) {
      sizes.push_back(first.shape()[static_cast<int>(i)]);
      steps.push_back(1);
      if (order[i] < 2) continue;
      const auto d = static_cast<std::size_t>(order[i] - 2);
      places[d] = i;
      if (!dimensions[d].is_woven()) continue;
      sizes.back() = dimensions[d].results;
      steps.back() = dimensions[d].step;
    }
    const Blocks blocks = Blocks::of(Shape(sizes), steps).value();
    std::vector<Term> phases;
    for (const Value part : parts) phases.push_back(blocks.everywhere(Term(builder, part)));
    for (std::size_t d = dimensions.size(); d-- > 0;) {
      const std::size_t count = dimensions[d].phases.size();
      if (count == 1) continue;
      const Term column = blocks.column(first, places[d]);
      std::vector<Term> chosen;
      for (std::size_t i = 0; i < phases.size(); i += count) {
        chosen.push_back(phases[i]);
        for (std::size_t k = 1; k < count; ++k) {
          chosen.back() = select(column == static_cast<double>(k), phases[i + k], chosen.back());
        }
      }
      phases = std::move(chosen);
    }
    return blocks.joined(phases[0]);
  }

  // Zeros where all phases but one see nothing else.
  static Term with_zeros(Term x, const std::vector<Dimension>& dimensions, const List& order) {
    List low, high, interior;
    bool any = false;
    for (const std::int64_t axis : order) {
      const Dimension* const dimension =
          axis < 2 ? nullptr : &dimensions[static_cast<std::size_t>(axis - 2)];
      const bool spread = dimension != nullptr && dimension->is_spread();
      any = any || spread;
      const Phase phase = spread ? dimension->phases[0] : Phase();
      low.push_back(phase.first);
      interior.push_back(spread ? dimension->step - 1 : 0);
      high.push_back(spread ? dimension->results - phase.first -
                                  ((phase.count - 1) * dimension->step + 1)
                            : 0);
    }
    return any ? ir::apply(Op::pad, x, x.constant(0), {low, high, interior}) : x;
  }

  const Graph& graph_;
  const std::int64_t least_work_;
  std::map<Value, List> transposes_;  // by which all that uses a convolution does so
};

}  // namespace

bool skip_zeros(Graph& graph) { return skip_zeros(graph, kLeastWork); }

bool skip_zeros(Graph& graph, std::int64_t least_work) {
  const auto spreads = [&](NodeId id) {
    if (graph.node(id).op != Op::pad) return false;
    return std::ranges::any_of(graph.attributes(id).integers("interior"),
                               [](std::int64_t zeros) { return zeros > 0; });
  };
  bool any = false;
  for (NodeId id = 0; id < graph.node_count() && !any; ++id) any = spreads(id);
  if (!any) return false;
  const ZerosBetween between(graph, least_work);
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) { return between.visit(rewriter, id); });
}

}  // namespace tutti::ir
