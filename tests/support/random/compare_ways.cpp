#include "tests/support/random/compare_ways.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>

#include "tests/support/gpu.h"

namespace tutti::test {

namespace {

using codegen::CompileOptions;
using codegen::KernelMode;

Way compiled(std::string name, KernelMode mode, std::vector<std::string> disabled) {
  CompileOptions options;
  options.kernel_mode = mode;
  if (mode == KernelMode::evaluate) options.plan_mode = codegen::PlanMode::walk;
  options.disabled = std::move(disabled);
  options.verify = true;
  return {.name = std::move(name), .run = [options](const RandomProgram& program) {
            return run_compiled(program.graph, program.inputs, options);
          }};
}

std::optional<std::string> difference(const RandomProgram& program, const Way& way,
                                      std::span<const Facts> facts) {
  RankArrays actual;
  try {
    actual = way.run(program);
  } catch (const std::exception& error) {
    return std::string("throws: ") + error.what();
  }
  for (std::size_t rank = 0; rank < actual.size(); ++rank) {
    for (std::size_t i = 0; i < actual[rank].size(); ++i) {
      const Facts& expected = facts[program.graph.results()[i].id];
      const testing::AssertionResult same = agrees(actual[rank][i], expected, rank);
      if (same) continue;
      return "result " + std::to_string(i) + " of rank " + std::to_string(rank) + ": " +
             same.message() +
             (expected.exact() ? " (every bit counts)"
                               : " (rounding explains " + std::to_string(expected.noise()) + ")");
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const Way> host_ways() {
  static const std::vector<Way> ways = [] {
    std::vector<Way> out;
    // Facts come from one node at a time.
    out.push_back({.name = "the interpreter", .run = [](const RandomProgram& program) {
                     return ir::interpret(program.graph, program.inputs);
                   }});
    out.push_back(compiled("evaluated kernels", KernelMode::evaluate, {}));
    if (TUTTI_HAS_LLVM != 0) {
      out.push_back(compiled("LLVM, fused", KernelMode::llvm, {}));
      out.push_back(compiled("LLVM, not fused", KernelMode::llvm, {"fuse"}));
    }
    return out;
  }();
  return ways;
}

const Way& gpu_way() {
  static const Way way = {.name = "CUDA", .run = [](const RandomProgram& program) {
                            ir::Graph graph = on_device(program.graph, Device::cuda());
                            // It runs several times on the same arguments.
                            for (std::size_t i = 0; i < graph.parameters().size(); ++i) {
                              graph.set_donate(i, false);
                            }
                            return RankArrays{run_on_gpu(graph, program.inputs[0])};
                          }};
  return way;
}

std::optional<Difference> first_difference(const RandomProgram& program,
                                           std::span<const Way> ways) {
  const std::vector<Facts> facts = facts_of(program.graph, program.inputs);
  for (const Way& way : ways) {
    auto message = difference(program, way, facts);
    if (message) return Difference{.way = way, .message = std::move(*message)};
  }
  return std::nullopt;
}

namespace {

// But for the functions that its nodes run.
ir::Graph alone_on_device(const ir::Graph& graph, Device device) {
  ir::Graph out(graph.name);
  out.mesh = graph.mesh;
  out.default_device = device;
  ir::Builder builder(out);
  std::vector<ir::Value> values;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Node& node = graph.node(id);
    if (node.op == ir::Op::parameter) {
      ir::Type type = graph.type(graph.result(id));
      if (!type.device.is_any()) type.device = device;
      const ir::Parameter& parameter = graph.parameters()[id];
      values.push_back(out.add_parameter(parameter.name, type, parameter.donate, node.location));
      continue;
    }
    std::vector<ir::Value> operands;
    for (const ir::Value operand : graph.operands(id)) operands.push_back(values[operand.id]);
    std::vector<ir::Attribute> attributes = node.attributes;
    if (node.op == ir::Op::to_device) attributes = {device.text()};
    builder.at(node.location);
    const ir::NodeId copy = builder.node(node.op, operands, std::move(attributes));
    for (std::uint32_t i = 0; i < node.result_count; ++i) values.push_back(out.result(copy, i));
  }
  std::vector<ir::Value> results;
  for (const ir::Value result : graph.results()) results.push_back(values[result.id]);
  out.set_results(std::move(results));
  return out;
}

}  // namespace

ir::Graph on_device(const ir::Graph& graph, Device device) {
  ir::Graph with_functions = graph;
  ir::change_functions(with_functions, [&](ir::Graph& function) {
    function = alone_on_device(function, device);
    return true;
  });
  return alone_on_device(with_functions, device);
}

}  // namespace tutti::test
