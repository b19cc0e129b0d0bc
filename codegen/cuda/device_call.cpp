#include <tutti/codegen/cuda/device_call.h>
#include <tutti/codegen/cuda/library.h>
#include <tutti/codegen/cuda/matmul_layout.h>
#include <tutti/codegen/cuda/sort.h>
#include <tutti/codegen/library.h>

#include <utility>

namespace tutti::codegen::cuda {

namespace {

std::shared_ptr<const Source> share(Source source) {
  return std::make_shared<const Source>(std::move(source));
}

}  // namespace

std::optional<Preparation> preparation(const ir::Graph& graph, ir::NodeId id,
                                       const std::vector<View>& operands) {
  if (graph.node(id).op != ir::Op::sort) return std::nullopt;
  const ir::Attributes attributes = graph.attributes(id);
  const std::int64_t axis = attributes.integer("axis");
  const std::int64_t bytes = sorted_runs_bytes(operands[0], axis);
  if (bytes == 0) return std::nullopt;
  return Preparation{
      .call = {.name = "sort_runs",
               .detail = operands_text(operands),
               .source = share(sort_runs_source(operands[0], axis, attributes.flag("descending"))),
               .code = nullptr},
      .bytes = bytes};
}

DeviceCall device_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands) {
  const ir::Op op = graph.node(id).op;
  if (op == ir::Op::matmul) {
    return call_of(device_matmul(graph.type(graph.result(id)), operands));
  }
  return {.name = std::string(name_of(op)),
          .detail = operands_text(operands),
          .source = share(device_library_call(graph, id, operands)),
          .code = nullptr};
}

DeviceCall call_of(DeviceMatmul matmul) {
  DeviceCall out{
      .name = "matmul", .detail = std::move(matmul.detail), .source = nullptr, .code = nullptr};
  if (auto* const source = std::get_if<Source>(&matmul.code)) {
    out.source = share(std::move(*source));
  } else {
    out.code = std::get<std::shared_ptr<const runtime::DeviceCode>>(matmul.code);
  }
  return out;
}

bool reads_view(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                std::size_t operand) {
  const ir::Op op = graph.node(id).op;
  if (op != ir::Op::matmul) return takes_strides(op, operand);
  return matmul_takes_view(graph.type(graph.result(id)), operands, operand);
}

DeviceCall device_copy(const View& view) {
  return {.name = "copy",
          .detail = operands_text({view}),
          .source = share(device_strided_copy(view)),
          .code = nullptr};
}

}  // namespace tutti::codegen::cuda
