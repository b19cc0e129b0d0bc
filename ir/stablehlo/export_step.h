#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/stablehlo/export_writer.h>

#include <span>
#include <string>
#include <string_view>

namespace tutti::ir::stablehlo {

class ExportStep;

// How nodes of an op are written, or why they can't be.
struct ExportRule {
  Op op;
  void (*write)(ExportStep&);
  std::string_view reason = {};  // if `write` is null
};

std::span<const ExportRule> exported_elementwise();
std::span<const ExportRule> exported_shapes();
std::span<const ExportRule> exported_reductions();
std::span<const ExportRule> exported_indexing();
std::span<const ExportRule> exported_collectives();
std::span<const ExportRule> exported_control();

// The rule of an op; null if there is none: it is a composite, or elementwise and written by its
// meaning.
const ExportRule* export_rule(Op op);

// Writes the nodes of a graph whose composites are decomposed; gives its results.
TextValues write_graph(TextWriter& writer, const Graph& graph, std::span<const TextValue> arguments,
                       std::int64_t ranks);

// An elementwise op, by its scalar expression.
void write_meaning(ExportStep& step);
// x in another dtype, as the op `cast` has it.
TextValue write_cast(TextWriter& writer, const TextValue& x, DType dtype);

// One node on its way into text: what a rule sees.
class ExportStep {
 public:
  ExportStep(TextWriter& writer, const Graph& graph, NodeId id, TextValues operands,
             std::int64_t ranks)
      : attributes(graph.attributes(id)),
        writer(writer),
        ranks(ranks),
        operands(std::move(operands)),
        graph_(graph),
        id_(id) {}

  Op op() const { return graph_.node(id_).op; }
  const TextValue& operand(std::size_t i) const { return operands[i]; }
  const Type& type(std::size_t i = 0) const { return graph_.type(graph_.result(id_, i)); }
  std::size_t result_count() const { return graph_.node(id_).result_count; }
  void result(TextValue value) { results.push_back(std::move(value)); }
  // Throws TypeError, with the node and its line.
  [[noreturn]] void fail(std::string_view reason) const;

  const Attributes attributes;
  TextWriter& writer;
  const std::int64_t ranks;  // of the program
  const TextValues operands;
  TextValues results;

 private:
  const Graph& graph_;
  const NodeId id_;
};

}  // namespace tutti::ir::stablehlo
