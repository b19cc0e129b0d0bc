#include <tutti/codegen/attention_call.h>
#include <tutti/ir/ops/attention.h>
#include <tutti/kernels/host/attention.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

using ir::Op;

std::int64_t from_end(const Shape& shape, int dimension) { return shape[shape.rank() - dimension]; }

// The mask as if it had an element for every score.
kernels::StridedView mask_view(const View& mask, const Shape& q, std::int64_t keys) {
  std::vector<std::int64_t> sizes(q.begin(), q.end());
  sizes.back() = keys;
  kernels::StridedView out{.shape = Shape(sizes), .strides = {}, .offset = mask.offset};
  std::ranges::copy(broadcast_strides(mask, out.shape), out.strides.begin());
  return out;
}

class ForwardCode final : public KernelCode {
 public:
  explicit ForwardCode(const kernels::Attention& spec)
      : attention_(spec), masked_(spec.mask.has_value()) {}

  std::int64_t tiles() const { return kernels::tiles(attention_); }
  void run(void* const* b, std::int64_t begin, std::int64_t end) const override {
    const bool* const mask = masked_ ? static_cast<const bool*>(b[3]) : nullptr;
    kernels::run(attention_, b[0], b[1], b[2], mask, b[masked_ ? 4 : 3], begin, end);
  }

 private:
  kernels::PreparedAttention attention_;
  bool masked_;
};

class GradientCode final : public KernelCode {
 public:
  explicit GradientCode(const kernels::AttentionGradient& spec)
      : gradient_(spec), masked_(spec.forward.mask.has_value()) {}

  std::int64_t tiles() const { return kernels::tiles(gradient_); }
  void run(void* const* b, std::int64_t begin, std::int64_t end) const override {
    const bool* const mask = masked_ ? static_cast<const bool*>(b[3]) : nullptr;
    void* const* const rest = b + (masked_ ? 4 : 3);
    kernels::run(gradient_, b[0], b[1], b[2], mask, rest[0], rest[1], rest[2], rest[3], begin, end);
  }

 private:
  kernels::PreparedAttentionGradient gradient_;
  bool masked_;
};

// What a call's code and tiles are made of.
template <class Code, class Spec>
LaunchPart make_attention_call(std::string_view name, std::string detail, const Spec& spec,
                               std::int64_t flops) {
  auto code = std::make_shared<const Code>(spec);
  const std::int64_t tiles = code->tiles();
  // As for a matmul: four multiplications and additions while a byte is moved.
  return {.name = std::string(name),
          .detail = std::move(detail),
          .code = std::move(code),
          .tiles = tiles,
          .cost = flops / 8};
}

}  // namespace

LaunchPart attention_call(const ir::Graph& graph, ir::NodeId id,
                          const std::vector<View>& operands) {
  const ir::Attributes attributes = graph.attributes(id);
  const bool backward = graph.node(id).op == Op::attention_gradient;
  const bool masked = operands.size() == (backward ? 5 : 4);
  const Shape& q = operands[0].shape;
  kernels::Attention spec{.dtype = operands[0].dtype,
                          .q = strided(operands[0]),
                          .k = strided(operands[1]),
                          .v = strided(operands[2]),
                          .mask = {},
                          .causal = attributes.flag("causal"),
                          .scale = ir::attention_scale(attributes.number("scale"), from_end(q, 1))};
  if (masked) spec.mask = mask_view(operands[3], q, from_end(operands[1].shape, 2));
  std::string detail = operands_text(operands);
  if (spec.causal) detail += ", causal";
  const std::string_view name = name_of(graph.node(id).op);
  const std::int64_t flops = attention_flops(graph, id);
  if (!backward) return make_attention_call<ForwardCode>(name, std::move(detail), spec, flops);
  const kernels::AttentionGradient gradient{.forward = spec, .cotangent = strided(operands.back())};
  return make_attention_call<GradientCode>(name, std::move(detail), gradient, flops);
}

std::int64_t attention_flops(const ir::Graph& graph, ir::NodeId id) {
  const Shape& q = graph.type(graph.operand(id, 0)).shape;
  const Shape& k = graph.type(graph.operand(id, 1)).shape;
  const Shape& v = graph.type(graph.operand(id, 2)).shape;
  const std::int64_t depth = from_end(q, 1);
  const std::int64_t width = from_end(v, 1);
  const std::int64_t scores = depth == 0 ? 0 : q.elements() / depth * from_end(k, 2);
  const bool backward = graph.node(id).op == Op::attention_gradient;
  return 2 * scores * (backward ? 3 * depth + 2 * width : depth + width);
}

}  // namespace tutti::codegen
