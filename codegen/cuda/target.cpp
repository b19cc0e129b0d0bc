#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/codegen/cuda/fuse_epilogues.h>
#include <tutti/codegen/cuda/library.h>
#include <tutti/codegen/cuda/matmul_layout.h>
#include <tutti/codegen/cuda/move.h>
#include <tutti/codegen/cuda/sort.h>
#include <tutti/codegen/cuda/target.h>
#include <tutti/codegen/library.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

// A kernel has 32,764 bytes for its parameters, and had 4,096 before CUDA 12.1.
constexpr std::size_t kMostConcatenated = 500;

std::shared_ptr<const Source> share(Source source) {
  return std::make_shared<const Source>(std::move(source));
}

class CudaTarget final : public Target {
 public:
  bool reads_view(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                  std::size_t operand) const override {
    const ir::Op op = graph.node(id).op;
    if (op != ir::Op::matmul) return takes_strides(op, operand);
    return matmul_takes_view(graph.type(graph.result(id)), operands, operand);
  }
  bool works_in_place(ir::Op) const override { return false; }
  std::optional<Preparation> preparation(const ir::Graph& graph, ir::NodeId id,
                                         const std::vector<View>& operands,
                                         const View&) const override {
    if (graph.node(id).op != ir::Op::sort) return std::nullopt;
    const ir::Attributes attributes = graph.attributes(id);
    const std::int64_t axis = attributes.integer("axis");
    const std::int64_t bytes = sorted_runs_bytes(operands[0], axis);
    if (bytes == 0) return std::nullopt;
    return Preparation{.call = {.name = "sort_runs",
                                .detail = operands_text(operands),
                                .source = share(sort_runs_source(operands[0], axis,
                                                                 attributes.flag("descending")))},
                       .bytes = bytes};
  }
  std::vector<PartialConcat> partial_concats(const ir::Graph& graph, ir::NodeId id,
                                             const std::vector<View>& operands) const override {
    std::vector<PartialConcat> out;
    if (graph.node(id).op != ir::Op::concat || operands.size() <= kMostConcatenated) return out;
    const auto axis = static_cast<int>(graph.attributes(id).integer("axis"));
    for (std::size_t i = 0; i < operands.size(); i += kMostConcatenated) {
      const std::size_t count = std::min(kMostConcatenated, operands.size() - i);
      const auto first = operands.begin() + static_cast<std::ptrdiff_t>(i);
      const std::vector<View> some(first, first + static_cast<std::ptrdiff_t>(count));
      std::vector<std::int64_t> sizes(some[0].shape.begin(), some[0].shape.end());
      for (std::size_t k = 1; k < count; ++k) {
        sizes[static_cast<std::size_t>(axis)] += some[k].shape[axis];
      }
      const Shape shape(sizes);
      out.push_back(
          {.call = {.name = "concat",
                    .detail = operands_text(some),
                    .source = share(concat_source(some, axis, shape))},
           .count = count,
           .view = {
               .base = {}, .dtype = some[0].dtype, .shape = shape, .strides = shape.strides()}});
    }
    return out;
  }
  LaunchPart call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                  const View& /*result*/) const override {
    const ir::Op op = graph.node(id).op;
    if (op == ir::Op::matmul) {
      return call_of(device_matmul(graph.type(graph.result(id)), operands));
    }
    return {.name = std::string(name_of(op)),
            .detail = operands_text(operands),
            .source = share(device_library_call(graph, id, operands))};
  }
  LaunchPart copy(const View& view) const override {
    return {.name = "copy",
            .detail = operands_text({view}),
            .source = share(device_strided_copy(view))};
  }
  // The blocks of one kernel divide it themselves.
  std::vector<LoweredKernel> schedule(LoweredKernel kernel) const override {
    std::vector<LoweredKernel> out;
    out.push_back(std::move(kernel));
    return out;
  }
  bool replays_steps() const override { return true; }
  void fuse_epilogues(Plan& plan, const PlannedMatmuls& matmuls,
                      const runtime::AlgorithmTable& table) const override {
    cuda::fuse_epilogues(plan, matmuls);
    fuse_collectives(plan, table);
  }
};

}  // namespace

const Target& target() {
  static const CudaTarget out;
  return out;
}

LaunchPart call_of(DeviceMatmul matmul) {
  LaunchPart out{.name = "matmul", .detail = std::move(matmul.detail)};
  if (auto* const source = std::get_if<Source>(&matmul.code)) {
    out.source = share(std::move(*source));
  } else {
    out.device_code = std::get<std::shared_ptr<const runtime::DeviceCode>>(matmul.code);
  }
  return out;
}

}  // namespace tutti::codegen::cuda
