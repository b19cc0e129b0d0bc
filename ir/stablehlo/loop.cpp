#include <tutti/ir/control.h>
#include <tutti/ir/stablehlo/loop.h>
#include <tutti/ir/stablehlo/monoid.h>

#include <algorithm>

// Loops and branches. What their regions use of the values around them becomes operands of the
// node, and parameters of its functions.
namespace tutti::ir::stablehlo {

namespace {

// An input of functions, and the operand that it is.
struct Input {
  FunctionInput inside;
  Value outside;
};

Input input_of(Step& step, const Reference& name, Value value) {
  const Graph& graph = step.builder().graph();
  return {
      .inside = {.name = name, .type = graph.type(value), .constant = constant_of(graph, value)},
      .outside = value};
}

std::vector<Input> captured(Step& step, std::span<const Region* const> regions) {
  std::vector<Input> out;
  for (const Reference& reference : step.translator.captures(regions)) {
    if (!step.translator.lookup(reference).value.valid()) continue;
    out.push_back(input_of(step, reference, step.translator.whole(reference).value()));
  }
  return out;
}

// The mesh dimensions over which all of these are the same, each for itself if it is a constant.
std::uint8_t common(Step& step, std::span<const Value> values) {
  const Mesh* const mesh = step.translator.mesh().get();
  std::uint8_t out = mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  for (const Value value : values) {
    const Replication& own = step.builder().type(value).replication;
    if (!own.literal) out &= own.dimensions;
  }
  return out;
}

// Over which of these dimensions the first results of a function are the same as well.
std::uint8_t kept(const Function& function, std::size_t count, std::uint8_t replicated) {
  const Graph& graph = function.graph();
  for (std::size_t i = 0; i < std::min(count, graph.results().size()); ++i) {
    const Replication& own = graph.type(graph.results()[i]).replication;
    if (!own.literal) replicated &= own.dimensions;
  }
  return replicated;
}

void replicate(std::vector<FunctionInput>& inputs, std::uint8_t dimensions) {
  for (FunctionInput& input : inputs) {
    input.type.replication = {.dimensions = dimensions, .literal = false};
  }
}

// Each as it is; constants are the same everywhere.
void replicate_each(Step& step, const std::vector<Input>& like,
                    std::vector<FunctionInput>& inputs) {
  const Mesh* const mesh = step.translator.mesh().get();
  const std::uint8_t all = mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].type.replication = known_replication(like[i].inside.type.replication, all);
  }
}

// The first inputs, only where what a step gives for them is the same as well. Says whether that
// changed any.
bool replicate_like_results(const Function& body, std::size_t carries,
                            std::vector<FunctionInput>& inputs) {
  bool changed = false;
  for (std::size_t i = 0; i < std::min(carries, body.graph().results().size()); ++i) {
    const Replication& own = body.graph().type(body.graph().results()[i]).replication;
    std::uint8_t& dimensions = inputs[i].type.replication.dimensions;
    if (own.literal || (dimensions & ~own.dimensions) == 0) continue;
    dimensions &= own.dimensions;
    changed = true;
  }
  return changed;
}

std::vector<FunctionInput> inside(const std::vector<Input>& inputs) {
  std::vector<FunctionInput> out;
  for (const Input& input : inputs) out.push_back(input.inside);
  return out;
}

// The operands, without constants that functions make again.
std::vector<Value> outside(const std::vector<Input>& inputs) {
  std::vector<Value> out;
  for (const Input& input : inputs) {
    if (input.inside.constant == nullptr) out.push_back(input.outside);
  }
  return out;
}

// Whether the body gives an argument back as it is.
bool is_invariant(const Region& body, std::size_t i) {
  const Operation& last = body.operations.back();
  return i < last.operands.size() && last.operands[i].name == body.arguments[i].name;
}

// The body without the results that it only gives back.
Region without_invariants(const Region& body) {
  Region out = body;
  Operation& last = out.operations.back();
  std::vector<Reference> operands;
  for (std::size_t i = 0; i < last.operands.size(); ++i) {
    if (!is_invariant(body, i)) operands.push_back(last.operands[i]);
  }
  last.operands = std::move(operands);
  return out;
}

}  // namespace

void while_loop(Step& step) {
  const std::vector<Region>& regions = step.operation.regions;
  const auto count = static_cast<std::size_t>(step.count());
  if (regions.size() != 2 || regions[0].arguments.size() != count ||
      regions[1].arguments.size() != count || regions[1].operations.empty() ||
      regions[1].operations.back().operands.size() != count) {
    step.fail("expected a condition and a body, both with an argument for each operand");
  }
  const Region body = without_invariants(regions[1]);
  const Region* const both[] = {&regions[0], &body};
  // Carries first, then what stays the same: arguments, and values around the loop.
  std::vector<Input> carries;
  std::vector<Input> rest;
  for (std::size_t i = 0; i < count; ++i) {
    const Term value = step.operand(static_cast<int>(i));
    const Reference name{.name = regions[1].arguments[i].name, .index = 0, .offset = 0};
    Input input = input_of(step, name, value.value());
    const bool invariant = is_invariant(regions[1], i);
    if (!invariant) input.inside.constant = nullptr;
    (invariant ? rest : carries).push_back(input);
  }
  for (const Input& input : captured(step, both)) rest.push_back(input);
  if (carries.empty()) step.fail("a loop whose body changes nothing");

  std::vector<Input> inputs = carries;
  inputs.insert(inputs.end(), rest.begin(), rest.end());
  // The condition may have other names for the arguments.
  std::vector<FunctionInput> of_body = inside(inputs);
  std::vector<FunctionInput> of_condition = of_body;
  std::unordered_map<std::string_view, std::string_view> other_names;
  for (std::size_t i = 0; i < count; ++i) {
    other_names[regions[1].arguments[i].name] = regions[0].arguments[i].name;
  }
  for (FunctionInput& input : of_condition) {
    const auto found = other_names.find(input.name.name);
    if (found != other_names.end()) input.name.name = found->second;
  }
  const std::vector<Value> operands = outside(inputs);
  std::uint8_t replicated = common(step, operands);
  replicate(of_body, replicated);
  for (bool apart = false;;) {  // each input for itself, since the functions communicate
    for (std::size_t i = 0; i < of_body.size(); ++i) of_condition[i].type = of_body[i].type;
    FunctionPtr next;
    FunctionPtr condition;
    try {
      next = step.translator.function(body, "body", of_body);
      condition = step.translator.function(regions[0], "condition", of_condition);
    } catch (const Error&) {
      // A branch inside that communicates may need to know more of what decides.
      if (apart) throw;
      apart = true;
      replicate_each(step, inputs, of_body);
      continue;
    }
    if (apart) {
      if (replicate_like_results(*next, carries.size(), of_body)) continue;
    } else if (ir::communicates(std::array{next, condition})) {
      apart = true;
      replicate_each(step, inputs, of_body);
      continue;
    } else if (const std::uint8_t still =
                   kept(*condition, 1, kept(*next, carries.size(), replicated));
               still != replicated) {  // what one step gives is the same on fewer ranks
      replicate(of_body, replicated = still);
      continue;
    }
    const NodeId node = step.builder().node(
        Op::while_loop, operands, {condition, next, static_cast<std::int64_t>(carries.size())});
    std::size_t carry = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (is_invariant(regions[1], i)) {
        step.result(step.operand(static_cast<int>(i)));
      } else {
        step.result(Term(&step.builder(), step.builder().graph().result(node, carry++)));
      }
    }
    return;
  }
}

namespace {

void conditional(Step& step, Term index) {
  std::vector<const Region*> regions;
  for (const Region& region : step.operation.regions) {
    if (!region.arguments.empty()) step.fail("branches have no arguments");
    regions.push_back(&region);
  }
  if (regions.empty()) step.fail("expected branches");
  const std::vector<Input> inputs = captured(step, regions);
  std::vector<Value> operands = outside(inputs);
  operands.push_back(index.value());
  const std::uint8_t replicated = common(step, operands);
  operands.pop_back();
  operands.insert(operands.begin(), index.value());
  std::vector<FunctionInput> of_branches = inside(inputs);
  replicate(of_branches, replicated);
  std::vector<FunctionPtr> branches;
  const auto translate = [&] {
    branches.clear();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      branches.push_back(
          step.translator.function(*regions[i], "branch" + std::to_string(i), of_branches));
    }
  };
  translate();
  if (ir::communicates(branches)) {
    replicate_each(step, inputs, of_branches);
    translate();
  }
  const NodeId node = step.builder().node(Op::conditional, operands, {branches});
  for (std::size_t i = 0; i < step.builder().graph().node(node).result_count; ++i) {
    step.result(Term(&step.builder(), step.builder().graph().result(node, i)));
  }
}

}  // namespace

void case_of(Step& step) { conditional(step, cast(step.operand(0), DType::i32)); }

// The first region is that of true.
void if_of(Step& step) {
  const Term truth = step.operand(0);
  conditional(step, cast(truth.apply(Op::logical_not), DType::i32));
}

}  // namespace tutti::ir::stablehlo
