#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/divided_call.h>
#include <tutti/codegen/host_call.h>
#include <tutti/codegen/library.h>
#include <tutti/ir/cumulative.h>
#include <tutti/kernels/host/cumulative.h>
#include <tutti/kernels/host/sort.h>

#include <string>

namespace tutti::codegen {

namespace {

kernels::Sort sort_spec(const ir::Graph& graph, ir::NodeId id, const View& operand) {
  const ir::Attributes attributes = graph.attributes(id);
  const bool is_sort = graph.node(id).op == ir::Op::sort;
  const AroundAxis x(operand.shape, attributes.integer("axis"));
  return {.dtype = operand.dtype,
          .descending = attributes.flag(is_sort ? "descending" : "largest"),
          .outer = x.outer,
          .size = x.size,
          .inner = x.inner,
          .count = is_sort ? x.size : attributes.integer("k")};
}

kernels::Cumulative cumulative_spec(const ir::Graph& graph, ir::NodeId id, const View& operand) {
  const ir::Attributes attributes = graph.attributes(id);
  const AroundAxis x(operand.shape, attributes.integer("axis"));
  return {.dtype = operand.dtype,
          .combine = *ir::running_combination(graph.node(id).op),
          .reverse = attributes.flag("reverse"),
          .outer = x.outer,
          .size = x.size,
          .inner = x.inner};
}

template <class Spec>
Preparation call_of_parts(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                          Spec spec, std::int64_t bytes) {
  return {.call = host_call(std::string(name_of(graph.node(id).op)) + "_parts",
                            operands_text(operands), std::move(spec),
                            [](const auto& parts, void* const* b, std::int64_t begin,
                               std::int64_t end) { kernels::run(parts, b[0], b[1], begin, end); }),
          .bytes = bytes,
          .is_most = graph.node(id).op == ir::Op::topk};
}

}  // namespace

LaunchPart sort_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands) {
  const kernels::Sort spec = sort_spec(graph, id, operands[0]);
  // Where there are no parts, the results begin there, and nobody looks at it.
  const int parts = kernels::sort_parts_bytes(spec) > 0 ? 1 : 0;
  return host_call(name_of(graph.node(id).op), operands_text(operands), spec,
                   [parts](const auto& sort, void* const* b, std::int64_t begin, std::int64_t end) {
                     kernels::run(sort, b[0], b[1], b[1 + parts],
                                  static_cast<std::int64_t*>(b[2 + parts]), begin, end);
                   });
}

LaunchPart cumulative_call(const ir::Graph& graph, ir::NodeId id,
                           const std::vector<View>& operands) {
  const kernels::Cumulative spec = cumulative_spec(graph, id, operands[0]);
  const int parts = kernels::cumulative_parts_bytes(spec) > 0 ? 1 : 0;
  return host_call(
      name_of(graph.node(id).op), operands_text(operands), spec,
      [parts](const auto& cumulative, void* const* b, std::int64_t begin, std::int64_t end) {
        kernels::run(cumulative, b[0], b[1], b[1 + parts], begin, end);
      });
}

std::optional<Preparation> dividing_call(const ir::Graph& graph, ir::NodeId id,
                                         const std::vector<View>& operands) {
  const ir::Op op = graph.node(id).op;
  if (op == ir::Op::sort || op == ir::Op::topk) {
    const kernels::Sort spec = sort_spec(graph, id, operands[0]);
    const std::int64_t bytes = kernels::sort_parts_bytes(spec);
    if (bytes == 0) return std::nullopt;
    return call_of_parts(graph, id, operands, kernels::SortParts{spec}, bytes);
  }
  if (ir::running_combination(op)) {
    const kernels::Cumulative spec = cumulative_spec(graph, id, operands[0]);
    const std::int64_t bytes = kernels::cumulative_parts_bytes(spec);
    if (bytes == 0) return std::nullopt;
    return call_of_parts(graph, id, operands, kernels::CumulativeParts{spec}, bytes);
  }
  return std::nullopt;
}

}  // namespace tutti::codegen
