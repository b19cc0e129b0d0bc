#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/attention_call.h>
#include <tutti/codegen/conv_call.h>
#include <tutti/codegen/divided_call.h>
#include <tutti/codegen/host_call.h>
#include <tutti/codegen/library.h>
#include <tutti/codegen/matmul_call.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/arg_reduce.h>
#include <tutti/kernels/host/dynamic_slice.h>
#include <tutti/kernels/host/index.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/random.h>

namespace tutti::codegen {

namespace {

using ir::Op;

class UpdateCode final : public KernelCode {
 public:
  explicit UpdateCode(const kernels::DynamicUpdateSlice& spec) : spec_(spec), move_(spec) {}
  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    kernels::run(move_, buffers[0], buffers[1], buffers[2], buffers[3], begin, end);
  }
  const kernels::DynamicUpdateSlice* update() const override { return &spec_; }
  const kernels::UpdateMove& move() const { return move_; }

 private:
  kernels::DynamicUpdateSlice spec_;
  kernels::UpdateMove move_;
};

}  // namespace

std::string operands_text(const std::vector<View>& operands) {
  std::string out;
  for (const View& view : operands) {
    out += (out.empty() ? "" : ", ") + ir::Type{.dtype = view.dtype, .shape = view.shape}.text();
  }
  return out;
}

bool takes_strides(Op op, std::size_t operand) {
  return op == Op::matmul || op == Op::attention || op == Op::attention_gradient ||
         op == Op::conv || op == Op::concat || (op == Op::pad && operand == 0);
}

LaunchPart library_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                        const View& result_view) {
  const Op op = graph.node(id).op;
  const ir::Type& result = graph.type(graph.result(id));
  const ir::Attributes attributes = graph.attributes(id);
  const std::int64_t bytes = size_of(operands[0].dtype);
  const std::string detail = operands_text(operands);
  const std::string_view name = name_of(op);
  switch (op) {
    case Op::matmul:
      return matmul_call(result, operands);
    case Op::attention:
    case Op::attention_gradient:
      return attention_call(graph, id, operands);
    case Op::conv:
      return conv_call(graph, id, operands, result_view);
    case Op::take: {
      const AroundAxis x(operands[0].shape, attributes.integer("axis"));
      return host_call(name, detail,
                       kernels::Take{.element_size = bytes,
                                     .index_dtype = operands[1].dtype,
                                     .outer = x.outer,
                                     .size = x.size,
                                     .inner = x.inner,
                                     .count = operands[1].shape.elements()},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], b[1], b[2], begin, end);
                       });
    }
    case Op::take_along_axis: {
      const AroundAxis x(operands[0].shape, attributes.integer("axis"));
      const AroundAxis indices(operands[1].shape, attributes.integer("axis"));
      return host_call(name, detail,
                       kernels::TakeAlongAxis{.element_size = bytes,
                                              .index_dtype = operands[1].dtype,
                                              .outer = x.outer,
                                              .size = x.size,
                                              .inner = x.inner,
                                              .count = indices.size},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], b[1], b[2], begin, end);
                       });
    }
    case Op::scatter_add: {
      const AroundAxis x(operands[0].shape, attributes.integer("axis"));
      return host_call(name, detail,
                       kernels::ScatterAdd{.dtype = result.dtype,
                                           .index_dtype = operands[1].dtype,
                                           .outer = x.outer,
                                           .size = x.size,
                                           .inner = x.inner,
                                           .count = operands[1].shape.elements()},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], b[1], b[2], b[3], begin, end);
                       });
    }
    case Op::argmax:
    case Op::argmin: {
      const AroundAxis x(operands[0].shape, attributes.integer("axis"));
      return host_call(name, detail,
                       kernels::ArgReduce{.dtype = operands[0].dtype,
                                          .largest = op == Op::argmax,
                                          .outer = x.outer,
                                          .size = x.size,
                                          .inner = x.inner},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], static_cast<std::int64_t*>(b[1]), begin, end);
                       });
    }
    case Op::cumsum:
    case Op::cumprod:
    case Op::cummax:
    case Op::cummin:
      return cumulative_call(graph, id, operands);
    case Op::sort:
    case Op::topk:
      return sort_call(graph, id, operands);
    case Op::dynamic_slice:
      return host_call(name, detail,
                       kernels::SliceMove({.element_size = bytes,
                                           .index_dtype = operands[1].dtype,
                                           .x = operands[0].shape,
                                           .part = result.shape}),
                       [](const auto& move, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(move, b[0], b[1], b[2], begin, end);
                       });
    case Op::dynamic_update_slice: {
      auto code = std::make_shared<const UpdateCode>(
          kernels::DynamicUpdateSlice{.element_size = bytes,
                                      .index_dtype = operands[2].dtype,
                                      .x = operands[0].shape,
                                      .part = operands[1].shape});
      LaunchPart call = {.name = std::string(name),
                         .detail = detail,
                         .tiles = tiles(code->move()),
                         .tiles_in_place = kernels::tiles_in_place(code->move())};
      call.code = std::move(code);
      return call;
    }
    case Op::pad:
      return host_call(name, detail,
                       kernels::PadMove({.element_size = bytes,
                                         .source = strided(operands[0]),
                                         .low = attributes.integers("low"),
                                         .high = attributes.integers("high"),
                                         .interior = attributes.integers("interior")}),
                       [](const auto& move, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(move, b[0], b[1], b[2], begin, end);
                       });
    case Op::concat: {
      kernels::Concat spec{.element_size = bytes,
                           .axis = static_cast<int>(attributes.integer("axis")),
                           .sources = {}};
      for (const View& view : operands) spec.sources.push_back(strided(view));
      return host_call(name, detail, kernels::Moves(spec),
                       [sources = operands.size()](const auto& moves, void* const* b,
                                                   std::int64_t begin, std::int64_t end) {
                         kernels::run(moves, b, b[sources], begin, end);
                       });
    }
    case Op::fold_in:
      return host_call(name, detail, kernels::FoldIn{.elements = result.shape.elements()},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, *static_cast<const std::uint64_t*>(b[0]),
                                      static_cast<const std::uint64_t*>(b[1]),
                                      static_cast<std::uint64_t*>(b[2]), begin, end);
                       });
    case Op::random_bits:
    case Op::uniform:
    case Op::normal: {
      const auto kind = op == Op::random_bits ? kernels::RandomKind::bits
                        : op == Op::uniform   ? kernels::RandomKind::uniform
                                              : kernels::RandomKind::normal;
      return host_call(
          name, result.text(),
          kernels::Random{.kind = kind, .dtype = result.dtype, .elements = result.shape.elements()},
          [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
            kernels::run(spec, *static_cast<const std::uint64_t*>(b[0]), b[1], begin, end);
          });
    }
    default:
      throw InternalError("no host kernel for " + std::string(name));
  }
}

kernels::StridedView strided(const View& view) {
  return {.shape = view.shape, .strides = view.strides, .offset = view.offset};
}

LaunchPart strided_copy(const View& view) {
  LaunchPart call = host_call("copy", operands_text({view}),
                              kernels::Moves(kernels::StridedCopy{
                                  .element_size = size_of(view.dtype), .source = strided(view)}),
                              [](const auto& moves, void* const* b, std::int64_t begin,
                                 std::int64_t end) { kernels::run(moves, b, b[1], begin, end); });
  if (view.dense()) call.tiles_in_place = 0;
  return call;
}

}  // namespace tutti::codegen
