#include <tutti/ir/stablehlo/restored.h>
#include <tutti/ir/stablehlo/translate.h>

#include <unordered_set>

// Regions that become functions of their own.
namespace tutti::ir::stablehlo {

std::vector<Reference> Translator::captures(std::span<const Region* const> regions) const {
  std::vector<Reference> out;
  std::unordered_map<std::string_view, std::unordered_set<std::size_t>> seen;
  // A name is not defined twice in what it is visible in, so that one set of inner names does.
  std::unordered_set<std::string_view> inner;
  const auto visit = [&](const auto& self, const Region& region) -> void {
    for (const BlockArgument& argument : region.arguments) inner.insert(argument.name);
    for (const Operation& operation : region.operations) {
      for (const Reference& operand : operation.operands) {
        if (inner.contains(operand.name) || !scope_.contains(operand.name)) continue;
        if (!seen[operand.name].insert(operand.index).second) continue;
        out.push_back(operand);
      }
      for (const Region& nested : operation.regions) self(self, nested);
      for (const ResultName& result : operation.results) inner.insert(result.name);
    }
  };
  for (const Region* const region : regions) {
    inner.clear();
    visit(visit, *region);
  }
  return out;
}

FunctionPtr Translator::function(const Region& region, const std::string& name,
                                 std::span<const FunctionInput> inputs) {
  const Restored<int> level(levels_, levels_ + 1);
  if (levels_ > Function::kMostLevels) {
    fail(region.operations.empty() ? 0 : region.operations.front().offset,
         "loops and branches are more than " + std::to_string(Function::kMostLevels) + " deep");
  }
  Graph graph(name);
  graph.mesh = mesh_;
  graph.default_device = builder_->graph().default_device;
  Builder builder(graph);
  builder.at(builder_->location());
  Scope inner;
  const auto bind = [&](const Reference& reference, Value value) {
    std::vector<Bound>& bound = inner[reference.name];
    if (bound.size() <= reference.index) bound.resize(reference.index + 1);
    bound[reference.index] = {.value = value};
  };
  for (const FunctionInput& input : inputs) {
    if (input.constant != nullptr) continue;
    Type type{.dtype = input.type.dtype, .shape = input.type.shape};
    type.replication.dimensions = input.type.replication.dimensions;
    std::string parameter(input.name.name);
    if (input.name.index > 0) parameter += "_" + std::to_string(input.name.index);
    bind(input.name, graph.add_parameter(std::move(parameter), type));
  }
  for (const FunctionInput& input : inputs) {
    if (input.constant == nullptr) continue;
    const Term scalar(&builder, builder.constant(*input.constant));
    bind(input.name, broadcast_to(scalar, input.type.shape).value());
  }
  constexpr std::size_t kNodesInMemory = 8;  // that take as much as a function without any
  nodes_ += kNodesInMemory;
  const Restored<std::size_t> counted(counted_, 0);
  const Restored<Builder*> builder_here(builder_, &builder);
  const Restored<bool> lifted(lifted_, false);
  const Restored<Scope> scope(scope_, std::move(inner));
  std::vector<Value> results;
  for (const Bound& result : block(region)) {
    if (!result.value.valid()) fail(region.operations.back().offset, "a result that is no tensor");
    results.push_back(whole(result).value());
  }
  graph.set_results(std::move(results));
  return std::make_shared<const Function>(std::move(graph));
}

}  // namespace tutti::ir::stablehlo
