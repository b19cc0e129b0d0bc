#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/stablehlo/export.h>
#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tutti::ir {

namespace stablehlo {

namespace {

// Each op's rule; null where it has none.
std::array<const ExportRule*, kOpCount> find_rules() {
  std::array<const ExportRule*, kOpCount> out{};
  for (const auto& rules : {exported_elementwise(), exported_shapes(), exported_reductions(),
                            exported_indexing(), exported_collectives(), exported_control()}) {
    for (const ExportRule& rule : rules) out[static_cast<std::size_t>(rule.op)] = &rule;
  }
  return out;
}

// How many ranks a function has or names, but for those that its nodes run.
std::int64_t ranks_named_in(const Graph& graph) {
  std::int64_t ranks = graph.mesh == nullptr ? 1 : graph.mesh->ranks();
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const ir::Attribute& attribute : graph.node(id).attributes) {
      const auto* const group = std::get_if<GroupPtr>(&attribute);
      if (group == nullptr) continue;
      for (const std::int64_t rank : (*group)->ranks) ranks = std::max(ranks, rank + 1);
    }
  }
  return ranks;
}

// How many ranks run a program.
std::int64_t ranks_of(const Module& module) {
  std::int64_t ranks = 1;
  for (const Graph& graph : module.functions) {
    ranks = std::max(ranks, ranks_named_in(graph));
    for (const FunctionPtr& function : all_functions(graph)) {
      ranks = std::max(ranks, ranks_named_in(function->graph()));
    }
  }
  return ranks;
}

void write_function(TextWriter& writer, const Graph& source, const std::string& symbol,
                    std::int64_t ranks) {
  Graph graph = source;
  change_functions(graph, decompose_all);
  decompose_all(graph);
  UniqueNames names;
  TextValues arguments;
  std::string head;
  for (const Parameter& parameter : graph.parameters()) {
    const Type& type = graph.type(parameter.value);
    const std::string name = names.add(identifier_from(parameter.name, "arg"));
    arguments.push_back({.name = "%" + name, .dtype = type.dtype, .shape = type.shape});
    head += (head.empty() ? "" : ", ") + arguments.back().name + ": " + arguments.back().type();
    if (parameter.donate) head += " {jax.buffer_donor = true}";
    // Nothing but a location can keep a name that MLIR's values can't have.
    head += name == parameter.name
                ? location_text(graph.node(graph.producer(parameter.value)).location)
                : " loc(" + mlir_quoted(parameter.name) + ")";
  }
  TextValues results;
  for (const Value result : graph.results()) {
    const Type& type = graph.type(result);
    results.push_back({.name = "", .dtype = type.dtype, .shape = type.shape});
  }
  const std::string types = results.empty() ? "" : " -> (" + types_text(results) + ")";
  writer.indent(1);
  writer.line("func.func public @" + symbol + "(" + head + ")" + types + " {");
  writer.indent(1);
  results = write_graph(writer, graph, arguments, ranks);
  writer.line(results.empty() ? "return"
                              : "return " + names_text(results) + " : " + types_text(results));
  writer.indent(-1);
  writer.line("}");
  writer.indent(-1);
}

}  // namespace

const ExportRule* export_rule(Op op) {
  static const std::array<const ExportRule*, kOpCount> rules = find_rules();
  return rules[static_cast<std::size_t>(op)];
}

void ExportStep::fail(std::string_view reason) const {
  throw TypeError(std::string(name_of(op())) + " can't be exported to StableHLO: " +
                      std::string(reason) + "\n  in @" + graph_.name + ": " + print(graph_, id_),
                  graph_.node(id_).location);
}

TextValues write_graph(TextWriter& writer, const Graph& graph, std::span<const TextValue> arguments,
                       std::int64_t ranks) {
  std::vector<TextValue> values(graph.value_count());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    values[graph.parameters()[i].value.id] = arguments[i];
  }
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::parameter) continue;
    TextValues operands;
    for (const Value operand : graph.operands(id)) operands.push_back(values[operand.id]);
    writer.set_location(node.location);
    ExportStep step(writer, graph, id, std::move(operands), ranks);
    const ExportRule* const rule = export_rule(node.op);
    if (rule == nullptr) {
      write_meaning(step);
    } else if (rule->write == nullptr) {
      step.fail(rule->reason);
    } else {
      rule->write(step);
    }
    if (step.results.size() != node.result_count) {
      throw InternalError("the export of " + std::string(name_of(node.op)) + " gave " +
                          std::to_string(step.results.size()) + " results");
    }
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      values[graph.result(id, i).id] = std::move(step.results[i]);
    }
    writer.set_location({});
  }
  TextValues results;
  for (const Value result : graph.results()) results.push_back(values[result.id]);
  return results;
}

}  // namespace stablehlo

std::string export_stablehlo(const Module& module) {
  const std::int64_t ranks = stablehlo::ranks_of(module);
  const bool single = module.functions.size() == 1;
  stablehlo::TextWriter writer;
  const std::string name =
      single ? " @" + identifier_from(module.functions[0].name, "module") : std::string();
  writer.line("module" + name + " attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = " +
              std::to_string(ranks) + " : i32} {");
  UniqueNames symbols;
  for (const Graph& function : module.functions) {
    stablehlo::write_function(
        writer, function, single ? "main" : symbols.add(identifier_from(function.name, "function")),
        ranks);
  }
  writer.line("}");
  return std::move(writer.text());
}

std::string_view reason_not_exported(Op op) {
  const stablehlo::ExportRule* const rule = stablehlo::export_rule(op);
  return rule == nullptr || rule->write != nullptr ? std::string_view() : rule->reason;
}

}  // namespace tutti::ir
