#include <tutti/ir/names.h>
#include <tutti/ir/stablehlo/restored.h>
#include <tutti/ir/stablehlo/rules.h>
#include <tutti/ir/stablehlo/share.h>
#include <tutti/ir/stablehlo/translate.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/token_reader.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

// Functions are put in where they are called; these bounds keep texts from standing for programs
// that no memory holds.
constexpr std::size_t kMostOperations = 2'000'000;
constexpr std::size_t kMostNodes = 10'000'000;
constexpr std::size_t kDeepestCalls = 100;

}  // namespace

Translator::Translator(const TreeModule& module, std::string_view text,
                       const std::string& file_name)
    : module_(module), text_(text), file_name_(file_name) {
  for (const std::span<const Rule> family :
       {elementwise_rules(), conversion_rules(), special_function_rules(), shape_rules(),
        reduction_rules(), window_rules(), product_rules(), index_rules(), scatter_rules(),
        order_rules(), control_rules(), collective_rules(), sharding_rules(), random_rules(),
        linear_algebra_rules()}) {
    for (const Rule& rule : family) rules_.emplace(rule.name, &rule);
  }
  mesh_ = mesh_of(*this);
}

void Translator::fail(std::size_t offset, const std::string& message) const {
  fail_at(text_, file_name_, offset, message);
}

std::int64_t Translator::ranks() const {
  if (mesh_ != nullptr) return mesh_->ranks();
  const std::int64_t partitions = count_in_module("mhlo.num_partitions");
  if (partitions > 1 && ranks_are_replicas()) {
    fail(module_.attributes.offset, "replicas and partitions at once; only one of them is read");
  }
  return partitions * count_in_module("mhlo.num_replicas");
}

std::int64_t Translator::count_in_module(std::string_view name) const {
  constexpr std::int64_t kMostRanks = 1 << 20;
  const Attribute* const count = module_.attributes.find(name);
  if (count == nullptr) return 1;
  if (count->integer < 1 || count->integer > kMostRanks) {
    fail(count->offset, "a module has 1 to " + std::to_string(kMostRanks) + " ranks");
  }
  return count->integer;
}

Graph Translator::run(const TreeFunction& function) {
  uses_.assign(function.body.arguments.size(), {});
  Graph out = translate(function, {});
  if (mesh_ == nullptr) return out;
  std::vector<AxesOfDimensions> shardings;
  bool any = false;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const BlockArgument& argument = function.body.arguments[i];
    const Attribute* written = argument.attributes.find("sdy.sharding");
    if (written == nullptr) written = argument.attributes.find("mhlo.sharding");
    AxesOfDimensions sharding;
    if (!uses_[i].whole && uses_[i].shardings.size() == 1) {
      sharding = uses_[i].shardings[0];
    } else if (written != nullptr) {
      sharding = axes_from(*this, *written, argument.type.shape.rank());
    }
    any = any || is_split(sharding);
    shardings.push_back(std::move(sharding));
  }
  return any ? translate(function, shardings) : std::move(out);
}

Graph Translator::translate(const TreeFunction& function,
                            std::span<const AxesOfDimensions> shardings) {
  Graph graph(function.name);
  graph.mesh = mesh_;
  Builder builder(graph);
  builder_ = &builder;
  scope_.clear();
  operations_ = 0;
  nodes_ = 0;
  counted_ = 0;
  gathered_.clear();
  for (std::size_t i = 0; i < function.body.arguments.size(); ++i) {
    const BlockArgument& argument = function.body.arguments[i];
    if (argument.type.kind != TreeType::Kind::tensor) {
      fail(argument.type.offset, "an argument that is no tensor");
    }
    const Attribute& facts = argument.attributes;
    const bool donate = facts.find("tf.aliasing_output") != nullptr ||
                        (facts.find("jax.buffer_donor") != nullptr &&
                         facts.find("jax.buffer_donor")->is_word("true"));
    Bound bound{
        .value = {}, .parts = nullptr, .sharding = nullptr, .argument = static_cast<int>(i)};
    Type type = argument.type.type();
    if (mesh_ != nullptr) type.replication.dimensions = all_dimensions(*mesh_);
    if (i < shardings.size() && is_split(shardings[i])) {
      bound.sharding = std::make_shared<const AxesOfDimensions>(shardings[i]);
      type = part_of(*this, type, shardings[i], argument.type.offset);
    }
    bound.value = graph.add_parameter(std::string(argument.name), type, donate);
    if (bound.sharding != nullptr) {
      graph.set_parameter_sharding(i, names_of(*mesh_, *bound.sharding));
    }
    scope_[argument.name] = {bound};
  }
  if (function.body.operations.empty()) {
    fail(function.offset, "function @" + function.name + " has no body");
  }
  const std::vector<Bound> results = block(function.body);
  check_returned(function, results);
  std::vector<Value> values;
  for (const Bound& result : results) {
    if (!result.value.valid()) fail(function.offset, "a result that is no tensor");
    values.push_back(result.value);
  }
  graph.set_results(values);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].sharding == nullptr || !is_split(*results[i].sharding)) continue;
    graph.set_result_sharding(i, names_of(*mesh_, *results[i].sharding));
  }
  return graph;
}

const Bound* Translator::find(const Reference& reference) const {
  const auto found = scope_.find(reference.name);
  const bool known = found != scope_.end() && reference.index < found->second.size();
  return known ? &found->second[reference.index] : nullptr;
}

const Bound& Translator::lookup(const Reference& reference) const {
  if (const Bound* const bound = find(reference)) return *bound;
  fail(reference.offset, "%" + std::string(reference.name.substr(0, 40)) +
                             " is not defined above; a value comes before its uses");
}

ArgumentUse* Translator::use_of(const Bound& bound) {
  return bound.argument < 0 ? nullptr : &uses_[static_cast<std::size_t>(bound.argument)];
}

Term Translator::whole(const Reference& reference) {
  const Bound& bound = lookup(reference);
  if (!bound.value.valid()) fail(reference.offset, "a tuple or token where a tensor is needed");
  return whole(bound);
}

Term Translator::whole(const Bound& bound) {
  if (ArgumentUse* const use = use_of(bound)) use->whole = true;
  if (bound.sharding == nullptr || !is_split(*bound.sharding)) return {builder_, bound.value};
  if (levels_ > 0) return gathered(*this, bound);
  const std::pair key(bound.value.id, *bound.sharding);
  if (const auto known = gathered_.find(key); known != gathered_.end()) return known->second;
  return gathered_.emplace(key, gathered(*this, bound)).first->second;
}

std::vector<Bound> Translator::block(const Region& region) {
  for (const Operation& operation : region.operations) {
    if (!is_return(operation)) {
      define(operation, results_of(operation));
      continue;
    }
    std::vector<Bound> out;
    for (const Reference& operand : operation.operands) out.push_back(lookup(operand));
    return out;
  }
  const std::size_t offset = region.operations.empty() ? 0 : region.operations.back().offset;
  fail(offset, "a region or function without its return");
}

std::vector<Bound> Translator::region(const Region& region, std::span<const Bound> arguments) {
  if (arguments.size() != region.arguments.size()) {
    const std::size_t offset = region.operations.empty() ? 0 : region.operations.front().offset;
    fail(offset, "a region of " + std::to_string(region.arguments.size()) + " arguments where " +
                     std::to_string(arguments.size()) + " are given");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    scope_[region.arguments[i].name] = {arguments[i]};
  }
  std::vector<Bound> out = block(region);
  for (const BlockArgument& argument : region.arguments) scope_.erase(argument.name);
  for (const Operation& operation : region.operations) {
    for (const ResultName& result : operation.results) scope_.erase(result.name);
  }
  return out;
}

std::vector<Bound> Translator::lifted_region(const Region& region,
                                             std::span<const Bound> arguments) {
  const Restored<bool> lifted(lifted_, true);
  return this->region(region, arguments);
}

std::vector<Bound> Translator::call(const std::string& name, std::size_t offset,
                                    std::span<const Bound> arguments) {
  const auto found = module_.function_of.find(name);
  if (found == module_.function_of.end()) fail(offset, "there is no function @" + name);
  const TreeFunction& function = module_.functions[found->second];
  if (std::ranges::find(calls_, function.name) != calls_.end()) {
    fail(offset, "function @" + name + " calls itself");
  }
  if (calls_.size() == kDeepestCalls) fail(offset, "calls within calls, too deep");
  if (function.body.arguments.size() != arguments.size()) {
    fail(offset, "@" + name + " takes " + std::to_string(function.body.arguments.size()) +
                     " arguments, not " + std::to_string(arguments.size()));
  }
  struct Inside {
    std::vector<std::string_view>& calls;
    ~Inside() { calls.pop_back(); }
  };
  calls_.push_back(function.name);
  const Inside inside{calls_};
  Scope inner;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BlockArgument& argument = function.body.arguments[i];
    if (!fits(arguments[i], argument.type)) {
      fail(offset, "@" + name + " is given " + difference(arguments[i], argument.type));
    }
    inner[argument.name] = {arguments[i]};
  }
  std::swap(scope_, inner);
  std::vector<Bound> out = block(function.body);
  std::swap(scope_, inner);
  check_returned(function, out);
  return out;
}

const Rule& Translator::rule(const Operation& operation) const {
  const auto found = rules_.find(operation.name);
  if (found != rules_.end()) return *found->second;
  fail_unknown(operation);
}

void Translator::fail_unknown(const Operation& operation) const {
  const std::string name = operation.name.substr(0, 60);
  if (name.find("dynamic") != name.npos || name.starts_with("shape.") ||
      name.find("dimension_size") != name.npos) {
    fail(operation.offset, name +
                               " has sizes that are known only when the program runs; export "
                               "the program with fixed shapes");
  }
  std::vector<std::string_view> names;
  for (const auto& [known, rule] : rules_) names.push_back(known);
  std::ranges::sort(names);
  fail(operation.offset,
       name + " is not supported" + suggestion(name, names) + "; docs/stablehlo.md lists what is");
}

std::vector<Bound> Translator::results_of(const Operation& operation) {
  if (++operations_ > kMostOperations) {
    fail(operation.offset, "more than " + std::to_string(kMostOperations) +
                               " operations, with functions put in where they are called");
  }
  const Rule& rule = this->rule(operation);
  builder_->at(Location(file_name_, operation.line));
  Step step(*this, operation);
  try {
    if (lifted_ && !rule.elementwise) {
      translate_lifted(step, rule);
    } else {
      if (!lifted_ && rule.elementwise) check_shapes(operation);
      rule.translate(step);
    }
  } catch (const TypeError& error) {
    step.fail(error.message());  // which says the line itself
  }
  check(operation, step.results);
  count_nodes(operation.offset);
  return std::move(step.results);
}

void Translator::count_nodes(std::size_t offset) {
  const std::size_t made = builder_->graph().node_count();
  nodes_ += made - counted_;
  counted_ = made;
  if (nodes_ > kMostNodes) {
    fail(offset, "more than " + std::to_string(kMostNodes) +
                     " nodes, with functions put in where they are called");
  }
}

// Scalars are whole tensors here; what only changes a scalar's shape changes nothing.
void Translator::translate_lifted(Step& step, const Rule& rule) {
  const Operation& operation = step.operation;
  const auto is_scalar = [](const TreeType& type) { return type.shape.rank() == 0; };
  const bool scalars = std::ranges::all_of(operation.operand_types, is_scalar) &&
                       std::ranges::all_of(operation.result_types, is_scalar);
  const bool shapes = rule.name == "stablehlo.broadcast_in_dim" || rule.name == "stablehlo.reshape";
  if (!scalars || !shapes) {
    step.fail(
        "is not supported in the region of another operation, which is applied to whole "
        "tensors; elementwise operations are");
  }
  step.result(step.operand(0));
}

void Translator::check(const Operation& operation, const std::vector<Bound>& results) const {
  std::size_t named = 0;
  for (const ResultName& result : operation.results) named += result.count;
  if (named != results.size()) {
    fail(operation.offset, operation.name + " has " + std::to_string(results.size()) +
                               " results, but " + std::to_string(named) + " are named");
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const TreeType& written = operation.result_types[i];
    if (fits(results[i], written)) continue;
    fail(operation.offset, operation.name + " gives " + difference(results[i], written));
  }
}

bool Translator::fits(const Bound& bound, const TreeType& written) const {
  if (!bound.value.valid()) return true;
  const Type& type = builder_->type(bound.value);
  const bool shapes = lifted_ || bound.sharding != nullptr || type.shape == written.shape;
  return shapes && type.dtype == written.dtype;
}

std::string Translator::difference(const Bound& bound, const TreeType& written) const {
  const Type& type = builder_->type(bound.value);
  const Type plain{.dtype = type.dtype, .shape = type.shape};
  return plain.text() + ", but " + written.type().text() + " is written";
}

void Translator::check_returned(const TreeFunction& function,
                                std::span<const Bound> results) const {
  const std::vector<TreeType>& types = function.result_types;
  if (types.size() != results.size()) {
    fail(function.offset, "@" + function.name + " returns " + std::to_string(results.size()) +
                              " values, but " + std::to_string(types.size()) + " are written");
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (fits(results[i], types[i])) continue;
    fail(types[i].offset, "@" + function.name + " returns " + difference(results[i], types[i]));
  }
}

// The IR would repeat the smaller operand of an elementwise operation. A select's condition and a
// clamp's bounds may be scalars.
void Translator::check_shapes(const Operation& operation) const {
  if (operation.name == "func.call" || operation.name == "stablehlo.composite") return;
  const bool selects = operation.name == "stablehlo.select";
  const bool clamps = operation.name == "stablehlo.clamp";
  const Shape* common = nullptr;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const Bound& bound = lookup(operation.operands[i]);
    if (!bound.value.valid() || bound.sharding != nullptr) continue;
    const Shape& shape = builder_->type(bound.value).shape;
    const bool may_be_scalar = (selects && i == 0) || (clamps && i != 1);
    if (may_be_scalar && shape.rank() == 0) continue;
    if (common != nullptr && *common != shape) {
      fail(operation.offset,
           operation.name + ": operands of shapes " + common->text() + " and " + shape.text());
    }
    common = &shape;
  }
}

void Translator::define(const Operation& operation, std::vector<Bound> results) {
  std::size_t next = 0;
  for (const ResultName& name : operation.results) {
    std::vector<Bound> bound;
    for (std::size_t i = 0; i < name.count; ++i) bound.push_back(std::move(results[next++]));
    if (!scope_.try_emplace(name.name, std::move(bound)).second) {
      fail(name.offset, "%" + std::string(name.name.substr(0, 40)) + " is defined twice");
    }
  }
}

}  // namespace tutti::ir::stablehlo
