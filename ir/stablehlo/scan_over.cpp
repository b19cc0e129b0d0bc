#include <tutti/ir/function.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/scan_over.h>

#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace tutti::ir::stablehlo {

namespace {

using Terms = std::vector<Term>;

Shape row_shape(const Shape& shape) { return Shape(std::span(shape.begin() + 1, shape.end())); }

}  // namespace

Terms scan_over(Step& step, const Terms& carries, const Terms& sequences, const Terms& invariants,
                const ScanStep& body) {
  std::vector<Value> operands;
  Graph graph("step");
  const Mesh* const mesh = step.translator.mesh().get();
  graph.mesh = step.translator.mesh();
  graph.default_device = step.builder().graph().default_device;
  std::uint8_t replicated = mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  for (const Terms* const list : {&carries, &sequences, &invariants}) {
    for (const Term& term : *list) {
      const Replication& own = term.type().replication;
      if (!own.literal) replicated &= own.dimensions;
    }
  }
  Builder builder(graph);
  builder.at(step.builder().location());
  const auto parameters = [&](const Terms& terms, const std::string& name, bool of_rows) {
    Terms out;
    for (const Term& term : terms) {
      operands.push_back(term.value());
      Type own{.dtype = term.dtype(), .shape = of_rows ? row_shape(term.shape()) : term.shape()};
      own.replication.dimensions = replicated;
      out.emplace_back(&builder, graph.add_parameter(name + std::to_string(out.size()), own));
    }
    return out;
  };
  const Terms inner = parameters(carries, "carry", false);
  const Terms rows = parameters(sequences, "row", true);
  const Terms fixed = parameters(invariants, "fixed", false);
  std::vector<Value> results;
  for (const Term& result : body(inner, rows, fixed)) results.push_back(result.value());
  graph.set_results(std::move(results));
  const NodeId scan =
      step.builder().node(Op::scan, operands,
                          {std::make_shared<const Function>(std::move(graph)), std::ssize(carries),
                           std::ssize(sequences), sequences[0].shape()[0]});
  Terms out;
  for (std::uint32_t i = 0; i < step.builder().graph().node(scan).result_count; ++i) {
    out.emplace_back(&step.builder(), step.builder().graph().result(scan, i));
  }
  return out;
}

}  // namespace tutti::ir::stablehlo
