#include <tutti/ir/function.h>
#include <tutti/ir/passes/bound_sizes.h>
#include <tutti/ir/passes/decompose_varying.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/text/print.h>

#include <algorithm>

namespace tutti::ir {

namespace {

std::vector<std::string> names_of(std::span<const SizeSymbol> symbols) {
  std::vector<std::string> out;
  for (const SizeSymbol& symbol : symbols) out.push_back(symbol.name);
  return out;
}

bool varies(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto value_varies = [&](Value value) { return size_varies(graph, value); };
  if (std::ranges::any_of(graph.operands(id), value_varies)) return true;
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    if (value_varies(graph.result(id, i))) return true;
  }
  for (const Attribute& attribute : node.attributes) {
    for (const FunctionPtr& function : functions_of(attribute)) {
      if (function->graph().sizes != nullptr) return true;
    }
  }
  if (graph.sizes == nullptr) return false;
  const auto found = graph.sizes->attributes.lower_bound({id, 0, 0});
  return found != graph.sizes->attributes.end() && std::get<0>(found->first) == id;
}

}  // namespace

SizeBounds::SizeBounds(const Graph& from, std::vector<std::string> parameters,
                       BoundFunctions& functions)
    : from_(decompose_varying(from)),
      parameters_(std::move(parameters)),
      to_(from_.name),
      builder_(to_),
      values_(from_.value_count()),
      functions_(functions) {
  to_.mesh = from_.mesh;
  to_.default_device = from_.default_device;
  to_.reserve_calls(from_.call_count());
  if (from_.sizes == nullptr) return;
  for (const auto& [place, size] : from_.sizes->dimensions) {
    const Value value{place.first};
    if (largest(size) == from_.type(value).shape[place.second]) continue;
    const NodeId id = from_.producer(value);
    throw TypeError(print(from_, id) + ": the size " + size.text(symbols()) +
                        " is not largest where the sizes that it depends on are; such a size has "
                        "no bound to plan with",
                    from_.node(id).location);
  }
}

Graph SizeBounds::run(const Type& number) {
  for (const Parameter& parameter : from_.parameters()) {
    values_[parameter.value.id] =
        to_.add_parameter(parameter.name, from_.type(parameter.value), parameter.donate,
                          from_.node(from_.producer(parameter.value)).location);
  }
  scalars_.resize(symbols().size());
  for (const std::string& name : parameters_) {
    const Value value = to_.add_parameter(name, number);
    const auto own = std::ranges::find(symbols(), name, &SizeSymbol::name);
    if (own != symbols().end()) scalars_[static_cast<std::size_t>(own - symbols().begin())] = value;
  }
  if (to_.mesh != nullptr) {
    const Replication everywhere{.dimensions = all_dimensions(*to_.mesh), .literal = false};
    for (Value& scalar : scalars_) scalar = builder_.adapt(scalar, everywhere);
  }
  for (node_ = static_cast<NodeId>(from_.parameters().size()); node_ < from_.node_count();
       ++node_) {
    builder_.at(from_.node(node_).location).calls(from_.calls(node_));
    if (varies(from_, node_)) {
      bound_node(*this);
    } else {
      copy();
    }
  }
  const bool is_program = number.replication.literal;
  std::vector<Value> results;
  for (const Value value : from_.results()) {
    // What is the same on more ranks than before says no more than it did. What a function made of
    // sizes alone counted as the same on as many ranks as its arguments, and has to be.
    const Replication before = from_.type(value).replication;
    const auto more = static_cast<std::uint8_t>(to_.type(values_[value.id]).replication.dimensions &
                                                ~before.dimensions);
    const bool stays = before.literal && !is_program;
    results.push_back(stays ? values_[value.id] : builder_.vary(values_[value.id], more));
  }
  to_.set_results(std::move(results));
  copy_shardings(from_, to_);
  return std::move(to_);
}

std::span<const SizeSymbol> SizeBounds::symbols() const {
  if (from_.sizes == nullptr) return {};
  return from_.sizes->symbols;
}

std::vector<Value> SizeBounds::operands() const {
  std::vector<Value> out;
  for (const Value operand : from_.operands(node_)) out.push_back(values_[operand.id]);
  return out;
}

bool SizeBounds::attribute_varies(std::string_view name) const {
  const auto& specs = definition(op()).attributes;
  const auto found = std::ranges::find(specs, name, &AttributeSpec::name);
  if (from_.sizes == nullptr || found == specs.end()) return false;
  const auto number = static_cast<std::size_t>(found - specs.begin());
  const auto entry = from_.sizes->attributes.lower_bound({node_, number, 0});
  return entry != from_.sizes->attributes.end() && std::get<0>(entry->first) == node_ &&
         std::get<1>(entry->first) == number;
}

SizeExpression SizeBounds::attribute(std::string_view name, std::size_t place) const {
  const auto& specs = definition(op()).attributes;
  const auto found = std::ranges::find(specs, name, &AttributeSpec::name);
  return attribute_expression(from_, node_, static_cast<std::size_t>(found - specs.begin()), place);
}

Term SizeBounds::size(const SizeExpression& expression) {
  const auto [found, inserted] = sizes_.try_emplace(expression.text(symbols()));
  if (inserted) {
    const auto number = [&](std::int64_t value) { return builder_.constant(Array::scalar(value)); };
    Value sum;
    for (std::uint32_t bits = 0; bits < 1U << symbols().size(); ++bits) {
      const std::int64_t coefficient = expression.coefficient(bits);
      if (coefficient == 0) continue;
      Value product;
      for (std::size_t i = 0; i < symbols().size(); ++i) {
        if ((bits >> i & 1) == 0) continue;
        product = product.valid() ? builder_.add(Op::mul, {product, scalars_[i]}) : scalars_[i];
      }
      if (!product.valid()) {
        product = number(coefficient);
      } else if (coefficient != 1) {
        product = builder_.add(Op::mul, {product, number(coefficient)});
      }
      sum = sum.valid() ? builder_.add(Op::add, {sum, product}) : product;
    }
    found->second = sum.valid() ? sum : number(0);
  }
  return {&builder_, found->second};
}

std::int64_t SizeBounds::largest(const SizeExpression& expression) const {
  // Linear in each symbol, so at a corner of the bounds.
  std::int64_t out = INT64_MIN;
  for (std::size_t corner = 0; corner < std::size_t{1} << symbols().size(); ++corner) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < symbols().size(); ++i) {
      values.push_back((corner >> i & 1) == 0 ? symbols()[i].least : symbols()[i].most);
    }
    out = std::max(out, expression.at(values));
  }
  return out;
}

Term SizeBounds::below(int rank, int dimension, std::int64_t most, const SizeExpression& limit) {
  const std::string key = std::to_string(rank) + "," + std::to_string(dimension) + "," +
                          std::to_string(most) + "," + limit.text(symbols());
  if (const auto known = below_.find(key); known != below_.end()) return {&builder_, known->second};
  // Comparisons of 32 bits are faster.
  const DType dtype = most <= INT32_MAX ? DType::i32 : DType::i64;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape[static_cast<std::size_t>(dimension)] = most;
  const Term places = {&builder_, builder_.add(Op::iota, std::span<const Value>(),
                                               {dtype, shape, std::int64_t{dimension}})};
  const Term out = places < cast(size(limit), dtype);
  below_.emplace(key, out.value());
  return out;
}

Term SizeBounds::inside(const Shape& shape, std::span<const SizeExpression> sizes) {
  Term out;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d].is_constant()) continue;
    const auto dimension = static_cast<int>(d);
    const Term one = below(shape.rank(), dimension, shape[dimension], sizes[d]);
    out = out.valid() ? apply(Op::logical_and, out, one) : one;
  }
  return out;
}

Term SizeBounds::filled(Term x, std::span<const SizeExpression> sizes, const Array& fill) {
  const Term condition = inside(x.shape(), sizes);
  if (!condition.valid()) return x;
  return select(condition, x, {&builder_, builder_.constant(fill)});
}

Term SizeBounds::filled_operand(std::size_t i, std::span<const std::int64_t> dimensions,
                                const Array& fill) {
  std::vector<SizeExpression> sizes(static_cast<std::size_t>(operand(i).shape().rank()));
  for (const std::int64_t d : dimensions) {
    sizes[static_cast<std::size_t>(d)] = operand_size(i, static_cast<int>(d));
  }
  return filled(operand(i), sizes, fill);
}

Term SizeBounds::starts(std::span<const SizeExpression> starts) {
  std::vector<Value> parts;
  for (const SizeExpression& start : starts) {
    parts.push_back(size(start).apply(Op::expand_dims, {std::vector<std::int64_t>{0}}).value());
  }
  return {&builder_,
          parts.size() == 1 ? parts[0] : builder_.add(Op::concat, parts, {std::int64_t{0}})};
}

Term SizeBounds::part(Term x, std::span<const SizeExpression> starts,
                      std::span<const std::int64_t> sizes) {
  fail_if_async(x);
  // dynamic_slice moves a part back that does not fit, so that it gets room.
  std::vector<std::int64_t> high;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    const std::int64_t end = largest(starts[d]) + sizes[d];
    high.push_back(std::max<std::int64_t>(end - x.shape()[static_cast<int>(d)], 0));
  }
  if (std::ranges::any_of(high, [](std::int64_t room) { return room > 0; })) {
    const std::vector<std::int64_t> none(high.size());
    const Term zero = {&builder_, builder_.constant(Array(x.dtype(), {}))};
    x = apply(Op::pad, x, zero, {none, high, none});
  }
  return apply(Op::dynamic_slice, x, this->starts(starts),
               {std::vector<std::int64_t>(sizes.begin(), sizes.end())});
}

bool SizeBounds::has_leading_layout(std::span<const SizeExpression> sizes) const {
  bool before = false;  // whether a size that is not 1 came already
  for (const SizeExpression& size : sizes) {
    if (before && !size.is_constant()) return false;
    before = before || size != SizeExpression(1);
  }
  return true;
}

std::vector<std::int64_t> SizeBounds::largest_shape(std::span<const SizeExpression> sizes) const {
  std::vector<std::int64_t> most;
  for (const SizeSymbol& symbol : symbols()) most.push_back(symbol.most);
  std::vector<std::int64_t> out;
  for (const SizeExpression& size : sizes) out.push_back(size.at(most));
  return out;
}

Term SizeBounds::numbers(std::span<const SizeExpression> sizes) {
  const std::vector<std::int64_t> shape = largest_shape(sizes);
  const auto iota = [&](int d) {
    std::vector<std::int64_t> along(shape.size(), 1);
    along[static_cast<std::size_t>(d)] = shape[static_cast<std::size_t>(d)];
    return Term(&builder_, builder_.add(Op::iota, std::span<const Value>(),
                                        {DType::i64, along, std::int64_t{d}}));
  };
  Term number;
  Term stride;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    Term places = iota(static_cast<int>(d));
    if (stride.valid()) places = places * stride;
    number = number.valid() ? number + places : places;
    if (d != 0) stride = stride.valid() ? stride * size(sizes[d]) : size(sizes[d]);
  }
  return broadcast_to(number, Shape(shape));
}

Term SizeBounds::reshaped(Term x, std::span<const SizeExpression> before,
                          std::span<const SizeExpression> after) {
  const std::vector<std::int64_t> shape = largest_shape(after);
  // Leading sizes that are equal stay where they are.
  std::size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same]) ++same;
  if (has_leading_layout(before.subspan(same)) && has_leading_layout(after.subspan(same))) {
    return reshape(x, Shape(shape));
  }
  // Trailing ones, too, if what is left has the same number of elements: it is the leading part of
  // a layout in which each element is a block of these.
  std::size_t last = 0;
  while (same + last < before.size() && same + last < after.size() &&
         before[before.size() - 1 - last] == after[after.size() - 1 - last]) {
    ++last;
  }
  const auto middle = [&](std::span<const SizeExpression> sizes) {
    return sizes.subspan(same, sizes.size() - same - last);
  };
  if (has_leading_layout(middle(before)) && has_leading_layout(middle(after))) {
    return reshape(x, Shape(shape));
  }
  // Each element is taken from where it lies: its number in the instance's order says where.
  fail_if_async(x);
  const Term number = numbers(after);
  Term source;
  Term left = number;
  const auto strides = x.shape().strides();
  for (std::size_t d = before.size(); d-- > 0;) {
    const Term extent = size(before[d]);
    const Term place =
        (d == 0 ? left : apply(Op::mod, left, extent)) * static_cast<double>(strides[d]);
    source = source.valid() ? source + place : place;
    if (d != 0) left = apply(Op::div, left, extent);
  }
  const Term flat = reshape(x, {x.shape().elements()});
  return apply(Op::take, flat, broadcast_to(source, Shape(shape)), {std::int64_t{0}});
}

void SizeBounds::copy(std::span<const Value> operands, std::vector<Attribute> attributes) {
  const Node& node = from_.node(node_);
  const NodeId made = builder_.node(node.op, operands, std::move(attributes));
  keep_places(from_, node_, to_, made);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    values_[from_.result(node_, i).id] = to_.result(made, i);
  }
}

void SizeBounds::fail_if_async(Term x) const {
  if (!x.type().async) return;
  fail(
      "where its elements lie depends on sizes that vary, which is not known of an async value; "
      "wait for it first");
}

void SizeBounds::fail(const std::string& what) const {
  throw TypeError(std::string(name_of(op())) + ": " + what, from_.node(node_).location);
}

std::vector<Value> SizeBounds::bound_functions(std::span<FunctionPtr> functions) {
  std::vector<std::string> names;
  std::vector<Value> out;
  for (std::size_t i = 0; i < symbols().size(); ++i) {
    const auto has = [&](const FunctionPtr& function) {
      const auto& sizes = function->graph().sizes;
      return sizes != nullptr && std::ranges::find(sizes->symbols, symbols()[i].name,
                                                   &SizeSymbol::name) != sizes->symbols.end();
    };
    if (!std::ranges::any_of(functions, has)) continue;
    names.push_back(symbols()[i].name);
    out.push_back(scalars_[i]);
  }
  if (names.empty()) return out;
  for (FunctionPtr& function : functions) {
    const auto [found, inserted] = functions_.try_emplace({function, names});
    if (inserted) {
      const Graph& graph = function->graph();
      found->second = std::make_shared<const Function>(
          SizeBounds(graph, names, functions_).run(number_inside(graph)));
    }
    function = found->second;
  }
  return out;
}

Type number_inside(const Graph& function) {
  Type out{.dtype = DType::i64, .shape = {}, .device = function.default_device};
  // As those of the program: all ranks that meet have the same sizes; the collectives compare them.
  if (function.mesh != nullptr) {
    out.replication = {.dimensions = all_dimensions(*function.mesh), .literal = false};
  }
  if (function.parameters().empty()) return out;
  out.device = function.type(function.parameters()[0].value).device;
  return out;
}

bool bound_sizes(Graph& graph) {
  if (graph.sizes == nullptr) return false;
  BoundFunctions functions;
  graph = SizeBounds(graph, names_of(graph.sizes->symbols), functions)
              .run({.dtype = DType::i64,
                    .shape = {},
                    .replication = {.dimensions = 0, .literal = true},
                    .device = Device::any()});
  return true;
}

}  // namespace tutti::ir
