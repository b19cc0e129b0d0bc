#include <tutti/codegen/conv_call.h>
#include <tutti/codegen/host_call.h>
#include <tutti/codegen/tiled_call.h>
#include <tutti/kernels/host/convolution.h>

#include <utility>

namespace tutti::codegen {

namespace {

class ConvCode final : public TiledCode {
 public:
  explicit ConvCode(const kernels::Convolution& spec)
      : convolution_(spec), has_parts_(kernels::parts_bytes(convolution_) > 0) {}
  std::int64_t tiles() const { return kernels::tiles(convolution_); }
  int buffers() const override { return has_parts_ ? 4 : 3; }
  kernels::ResultDivision division() const override { return kernels::division(convolution_); }
  void run_tiles(void* const* b, std::int64_t begin, std::int64_t end,
                 const kernels::AfterTile& after) const override {
    kernels::run(convolution_, b[0], b[1], b[2], b[buffers() - 1], begin, end, after);
  }

 private:
  const kernels::PreparedConvolution convolution_;
  const bool has_parts_;
};

kernels::Convolution conv_spec(const ir::Graph& graph, ir::NodeId id,
                               const std::vector<View>& operands, const View& result) {
  const ir::Attributes attributes = graph.attributes(id);
  const Shape& shape = result.shape;
  std::vector<std::int64_t> strides;
  if (!result.dense())
    strides.assign(result.strides.begin(), result.strides.begin() + shape.rank());
  return {.dtype = operands[0].dtype,
          .x = strided(operands[0]),
          .weight = strided(operands[1]),
          .stride = attributes.integers("stride"),
          .low = attributes.integers("low"),
          .dilation = attributes.integers("dilation"),
          .out = {shape.begin() + 2, shape.end()},
          .groups = attributes.integer("groups"),
          .result_strides = strides};
}

// As for a matmul: four multiplications and additions while a byte is moved.
std::int64_t conv_cost(const ir::Graph& graph, ir::NodeId id) { return conv_flops(graph, id) / 8; }

}  // namespace

LaunchPart conv_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                     const View& result) {
  const auto code = std::make_shared<const ConvCode>(conv_spec(graph, id, operands, result));
  return {.name = "conv",
          .detail = operands_text(operands),
          .code = code,
          .tiles = code->tiles(),
          .cost = code->buffers() == 3 ? conv_cost(graph, id) : 0};
}

std::optional<Preparation> conv_parts_call(const ir::Graph& graph, ir::NodeId id,
                                           const std::vector<View>& operands, const View& result) {
  kernels::ConvolutionParts parts{conv_spec(graph, id, operands, result)};
  const std::int64_t bytes = kernels::parts_bytes(parts.convolution);
  if (bytes == 0) return std::nullopt;
  Preparation out{
      .call = host_call("conv_parts", operands_text(operands), std::move(parts),
                        [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                          kernels::run(spec, b[0], b[1], b[2], begin, end);
                        }),
      .bytes = bytes,
      .is_most = true};
  out.call.cost = conv_cost(graph, id);
  return out;
}

std::int64_t conv_flops(const ir::Graph& graph, ir::NodeId id) {
  const Shape& weight = graph.type(graph.operand(id, 1)).shape;
  return 2 * graph.type(graph.result(id)).shape.elements() * (weight.elements() / weight[0]);
}

}  // namespace tutti::codegen
