#include "tests/support/random/random_program.h"

#include <tutti/ir/derive/gradient.h>

#include "tests/support/random/growing_program.h"
#include "tests/support/random/steps.h"

namespace tutti::test {

RandomProgram random_program(std::uint64_t seed, const ProgramOptions& options) {
  RandomProgram out{.graph = ir::Graph("random"), .inputs = {}};
  Draw draw(seed);
  GrowingProgram program(draw, options, out);
  program.add_parameters();
  std::uint32_t line = 0;
  for (int attempt = 0; attempt < 50 * options.nodes; ++attempt) {
    if (out.graph.node_count() >= static_cast<std::size_t>(options.nodes)) break;
    if (draw.coin()) ++line;
    program.builder().at(draw.one_in(3) ? Location() : Location("some/folder/model.cpp", line));
    add_something(program);
  }
  program.set_results();
  return out;
}

std::shared_ptr<const ir::Mesh> mesh_of_four() {
  return std::make_shared<const ir::Mesh>(ir::Mesh{.names = {"dp", "tp"}, .sizes = {2, 2}});
}

void differentiate(ir::Graph& graph) {
  using ir::Op;
  using ir::Value;
  ir::Builder builder(graph);
  std::vector<Value> parameters;
  for (const ir::Parameter& parameter : graph.parameters()) {
    if (is_floating(graph.type(parameter.value).dtype)) parameters.push_back(parameter.value);
  }
  Value total = builder.scalar(DType::f64, 0);
  for (const Value result : std::vector<Value>(graph.results())) {
    if (!is_floating(graph.type(result).dtype)) continue;
    const Value here = graph.type(result).async ? builder.add(Op::wait, {result}) : result;
    const Value weighted = builder.add(Op::mul, {here, builder.add(Op::cos, {here})});
    std::vector<std::int64_t> axes;
    for (int d = 0; d < graph.type(here).shape.rank(); ++d) axes.push_back(d);
    const Value sum = builder.add(Op::sum, {weighted}, {axes});
    total = builder.add(Op::add, {total, builder.add(Op::cast, {sum}, {DType::f64})});
  }
  graph.set_results(ir::gradient(builder, total, parameters));
}

}  // namespace tutti::test
