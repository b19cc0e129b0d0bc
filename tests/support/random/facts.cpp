#include "tests/support/random/facts.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/term.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random/control_facts.h"
#include "tests/support/random/draw.h"

namespace tutti::test {

namespace {

using ir::Op;
using ir::OpClass;
using ir::ScalarOp;

// How much of a dtype's precision two right computations may disagree by, in units of its last
// place, and from where on a value is of no use any more.
struct Precision {
  double unit;
  double units;
  double most;           // |x| at most
  double most_relative;  // noise at most, times the largest |x| (or 1)
  double exact_integers;
};
Precision precision_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {0x1p-52, 8, 1e6, 1e-8, 0x1p53};
    case DType::f32:
      return {0x1p-23, 8, 1e5, 1e-3, 0x1p24};
    case DType::f16:
      return {0x1p-10, 1, 1e3, 0.1, 0x1p11};
    case DType::f8_e4m3fn:
      return {0x1p-3, 1, 100, 0.3, 0x1p4};
    case DType::f8_e5m2:
      return {0x1p-2, 1, 1e3, 0.4, 0x1p3};
    default:
      return {0x1p-7, 1, 1e3, 0.2, 0x1p8};
  }
}

// Whether modes may compute the expression to different bits: math libraries differ.
bool rounds(const ir::ScalarExpression& meaning) {
  return std::ranges::any_of(
      meaning.nodes, [](const ir::ScalarNode& node) { return ir::is_transcendental(node.op); });
}

// Whether the expression makes large differences of small ones between floating-point numbers.
bool jumps(const ir::ScalarExpression& meaning) {
  return std::ranges::any_of(meaning.nodes, [](const ir::ScalarNode& node) {
    return ir::is_comparison(node.op) || node.op == ScalarOp::floor || node.op == ScalarOp::ceil ||
           node.op == ScalarOp::round || node.op == ScalarOp::mod || node.op == ScalarOp::bitcast;
  });
}

bool holds_floats(const Facts& facts) { return is_floating(facts.values[0].dtype()); }

template <class F>
void each_number(const Facts& facts, F&& f) {
  for (const Array& array : facts.values) {
    for (std::int64_t i = 0; i < array.elements(); ++i) f(array.at(i));
  }
}

// Whether adding and multiplying up to all elements of the operands is exact in any order: they are
// integers, and no result can be larger than `limit`.
bool combines_exactly(std::span<const Facts* const> operands, bool multiplies, double limit) {
  double bound = 1;
  bool whole = true;
  for (const Facts* const operand : operands) {
    if (!holds_floats(*operand)) continue;
    double sum = 0;
    double product = 1;
    each_number(*operand, [&](double x) {
      whole = whole && std::isfinite(x) && x == std::floor(x);
      sum += std::abs(x);
      product *= std::max(std::abs(x), 1.0);
    });
    bound *= multiplies ? product : 1 + sum;
  }
  return whole && bound <= limit;
}

// Whether the op, of exact operands, has only one right result. An op that is not known here is
// taken for one that adds and multiplies.
bool is_exact(Op op, std::span<const ir::Attribute> attributes,
              std::span<const Facts* const> operands, DType result) {
  if (!is_floating(result)) return true;
  const ir::Definition& entry = ir::definition(op);
  if (entry.meaning) return !rounds(*entry.meaning);
  const double narrow = precision_of(result).exact_integers;
  const double wide = std::max(narrow, precision_of(DType::f32).exact_integers);
  const ir::Attributes named(entry.attributes, attributes);
  switch (op) {
    case Op::pad:
    case Op::concat:
    case Op::take:
    case Op::take_along_axis:
    case Op::to_device:
    case Op::max:
    case Op::min:
    case Op::cummax:
    case Op::cummin:
    case Op::uniform:
      return true;
    case Op::normal:
      return false;
    case Op::prod:
    case Op::cumprod:
      return combines_exactly(operands, true, wide);
    case Op::sum:
    case Op::matmul:
      return combines_exactly(operands, false, wide);
    case Op::all_reduce:
    case Op::reduce:
    case Op::reduce_scatter:
    case Op::scan_ranks: {
      const std::string& how = named.text("op");
      if (how == "min" || how == "max") return true;
      const std::int64_t members = named.group("group")->size();
      if (how == "mean" && (members & (members - 1)) != 0) return false;
      return combines_exactly(operands, how == "product", narrow);
    }
    default:
      break;
  }
  if (entry.kind == OpClass::view || entry.kind == OpClass::make || entry.kind == OpClass::wait ||
      entry.kind == OpClass::collective) {
    return true;
  }
  return combines_exactly(operands, false, narrow);
}

// Why the op must not follow operands of which some are rounded; empty if it may.
std::string jump(Op op, DType result) {
  const ir::Definition& entry = ir::definition(op);
  if (op == Op::is_nan || op == Op::is_finite || op == Op::select) return {};
  const bool to_other = !is_floating(result);
  if (!to_other && !(entry.meaning && jumps(*entry.meaning))) return {};
  return std::string(entry.name) + " of rounded numbers";
}

// The array with every floating-point number moved up or down by some units of its last place.
Array moved(const Array& array, double units, Draw& draw) {
  if (!is_floating(array.dtype())) return array;
  Array out = array;
  const double unit = units * precision_of(array.dtype()).unit;
  const DType compute = ir::compute_dtype(array.dtype());
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    const double x = out.at(i);
    if (!std::isfinite(x)) continue;
    ir::store_cell(out.dtype(), ir::cell_of(compute, x * (draw.coin() ? 1 + unit : 1 - unit)),
                   out.bytes().data() + i * size_of(out.dtype()));
  }
  return out;
}

using Columns = std::vector<std::vector<Array>>;  // [operand or result][rank]

Columns interpret_node(Op op, std::span<const ir::Attribute> attributes, const Columns& operands,
                       std::size_t ranks) {
  ir::Graph graph("node");
  ir::Builder builder(graph);
  std::vector<ir::Value> values;
  for (const std::vector<Array>& operand : operands) {
    values.push_back(
        graph.add_parameter("x" + std::to_string(values.size()),
                            {.dtype = operand[0].dtype(), .shape = operand[0].shape()}));
  }
  const ir::NodeId node =
      builder.node(op, values, std::vector<ir::Attribute>(attributes.begin(), attributes.end()));
  const std::uint32_t count = graph.node(node).result_count;
  std::vector<ir::Value> results;
  for (std::uint32_t i = 0; i < count; ++i) results.push_back(graph.result(node, i));
  graph.set_results(results);
  RankArrays inputs(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const std::vector<Array>& operand : operands) inputs[rank].push_back(operand[rank]);
  }
  const RankArrays outputs = ir::interpret(graph, inputs);
  Columns out(count);
  for (const std::vector<Array>& of_rank : outputs) {
    for (std::size_t i = 0; i < count; ++i) out[i].push_back(of_rank[i]);
  }
  return out;
}

// A composite is as exact as what it stands for.
std::vector<Facts> facts_of_composite(Op op, std::span<const ir::Attribute> attributes,
                                      std::span<const Facts* const> operands, std::size_t ranks) {
  ir::Graph graph("composite");
  ir::Builder builder(graph);
  std::vector<ir::Value> values;
  std::vector<Facts> facts;
  for (const Facts* const operand : operands) {
    values.push_back(graph.add_parameter(
        "x" + std::to_string(values.size()),
        {.dtype = operand->values[0].dtype(), .shape = operand->values[0].shape()}));
    facts.push_back(*operand);
  }
  ir::Decomposition parts(&builder, op, values, attributes);
  ir::definition(op).decompose(parts);
  graph.set_results(parts.results());
  append_facts(graph, static_cast<ir::NodeId>(operands.size()), facts, ranks);
  std::vector<Facts> out;
  for (const ir::Value result : graph.results()) out.push_back(facts[result.id]);
  return out;
}

// Whether a rounded result is still of use.
std::string check_range(Op op, const Facts& facts) {
  const Precision precision = precision_of(facts.values[0].dtype());
  double largest = 1;
  bool finite = true;
  each_number(facts, [&](double x) {
    finite = finite && std::isfinite(x);
    largest = std::max(largest, std::abs(x));
  });
  if (finite && largest <= precision.most && facts.noise() <= precision.most_relative * largest) {
    return {};
  }
  return std::string(name_of(op)) + " leaves the range of useful numbers";
}

}  // namespace

double Facts::noise() const {
  double out = 0;
  for (std::size_t rank = 0; rank < otherwise.size(); ++rank) {
    for (std::int64_t i = 0; i < values[rank].elements(); ++i) {
      const double distance = std::abs(values[rank].at(i) - otherwise[rank].at(i));
      out = std::isnan(distance) ? INFINITY : std::max(out, distance);
    }
  }
  return out;
}

std::vector<Facts> facts_of(Op op, std::span<const ir::Attribute> attributes,
                            std::span<const Facts* const> operands, std::size_t ranks) {
  // The same elements under another name.
  if (op == Op::vary || op == Op::wait || op == Op::identity || op == Op::to_device) {
    return {*operands[0]};
  }
  if (ir::definition(op).kind == OpClass::composite) {
    return facts_of_composite(op, attributes, operands, ranks);
  }
  if (ir::definition(op).kind == OpClass::control) {
    return facts_of_control(op, attributes, operands, ranks);
  }
  Columns columns;
  std::string misfit;
  bool rounded = false;
  for (const Facts* const operand : operands) {
    columns.push_back(operand->values);
    rounded = rounded || !operand->otherwise.empty();
    if (misfit.empty()) misfit = operand->misfit;
  }
  Columns values = interpret_node(op, attributes, columns, ranks);
  std::vector<Facts> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const DType dtype = values[i][0].dtype();
    if (misfit.empty() && rounded) misfit = jump(op, dtype);
    out[i].values = std::move(values[i]);
    rounded = rounded || !is_exact(op, attributes, operands, dtype);
  }
  if (rounded && misfit.empty()) {
    Draw draw(operands.size() + 17);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i]->otherwise.empty()) columns[i] = operands[i]->otherwise;
      // As sums of them are rounded in any order. Narrow floats are combined in f32.
      const DType dtype = columns[i][0].dtype();
      if (ir::compute_dtype(dtype) != dtype) continue;
      for (Array& array : columns[i]) array = moved(array, precision_of(dtype).units, draw);
    }
    Columns otherwise = interpret_node(op, attributes, columns, ranks);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!holds_floats(out[i])) continue;
      const double units = precision_of(out[i].values[0].dtype()).units;
      for (const Array& array : otherwise[i]) {
        out[i].otherwise.push_back(moved(array, units, draw));
      }
      if (misfit.empty()) misfit = check_range(op, out[i]);
    }
  }
  for (Facts& facts : out) facts.misfit = misfit;
  return out;
}

void append_facts(const ir::Graph& graph, ir::NodeId first, std::vector<Facts>& facts,
                  std::size_t ranks) {
  for (ir::NodeId id = first; id < graph.node_count(); ++id) {
    std::vector<const Facts*> operands;
    for (const ir::Value operand : graph.operands(id)) operands.push_back(&facts[operand.id]);
    auto results = facts_of(graph.node(id).op, graph.node(id).attributes, operands, ranks);
    for (Facts& result : results) facts.push_back(std::move(result));
  }
}

std::vector<Facts> facts_of(const ir::Graph& graph, const RankArrays& inputs) {
  std::vector<Facts> out(graph.parameters().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const std::vector<Array>& of_rank : inputs) out[i].values.push_back(of_rank[i]);
  }
  append_facts(graph, static_cast<ir::NodeId>(out.size()), out, inputs.size());
  return out;
}

testing::AssertionResult agrees(const Array& actual, const Facts& expected, std::size_t rank) {
  if (!expected.misfit.empty()) return testing::AssertionSuccess();
  if (expected.exact()) return same_bits(actual, expected.values[rank]);
  Tolerance tolerance = tolerance_of(actual.dtype());
  // The noise is a sample of what roundings may add up to.
  if (actual.dtype() == DType::f64) tolerance.relative = tolerance.absolute;
  tolerance.absolute += 32 * expected.noise();
  return within(actual, expected.values[rank], tolerance);
}

}  // namespace tutti::test
