#include <tutti/ir/function.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/numbered_loop.h>

#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace tutti::ir::stablehlo {

namespace {

using Terms = std::vector<Term>;

}  // namespace

Terms numbered_loop(
    Step& step, const Terms& carries, const Terms& invariants, std::int64_t length,
    const std::function<Terms(const Terms& carries, Term number, const Terms& invariants)>& body) {
  std::vector<Value> operands;
  Graph graph("step");
  const Mesh* const mesh = step.translator.mesh().get();
  graph.mesh = step.translator.mesh();
  graph.default_device = step.builder().graph().default_device;
  std::uint8_t replicated = mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  for (const Terms* const list : {&carries, &invariants}) {
    for (const Term& term : *list) {
      const Replication& own = term.type().replication;
      if (!own.literal) replicated &= own.dimensions;
    }
  }
  Builder builder(graph);
  builder.at(step.builder().location());
  const auto parameter = [&](const std::string& name, const Type& type) {
    Type own{.dtype = type.dtype, .shape = type.shape};
    own.replication.dimensions = replicated;
    return Term(&builder, graph.add_parameter(name, own));
  };
  const auto parameters = [&](const Terms& terms, const std::string& name) {
    Terms out;
    for (const Term& term : terms) {
      operands.push_back(term.value());
      out.push_back(parameter(name + std::to_string(out.size()), term.type()));
    }
    return out;
  };
  const Terms inner = parameters(carries, "carry");
  operands.push_back(step.iota(DType::i32, {length}, 0).value());
  const Term number = parameter("number", {.dtype = DType::i32, .shape = {}});
  const Terms fixed = parameters(invariants, "fixed");
  std::vector<Value> results;
  for (const Term& result : body(inner, number, fixed)) results.push_back(result.value());
  graph.set_results(std::move(results));
  const NodeId scan = step.builder().node(Op::scan, operands,
                                          {std::make_shared<const Function>(std::move(graph)),
                                           std::ssize(carries), std::int64_t{1}, length});
  Terms out;
  for (std::uint32_t i = 0; i < step.builder().graph().node(scan).result_count; ++i) {
    out.emplace_back(&step.builder(), step.builder().graph().result(scan, i));
  }
  return out;
}

}  // namespace tutti::ir::stablehlo
