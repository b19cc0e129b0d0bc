#include <tutti/codegen/library.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/arg_reduce.h>
#include <tutti/kernels/host/index.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/matmul.h>
#include <tutti/kernels/host/random.h>

namespace tutti::codegen {

namespace {

using ir::Op;

// A host kernel with its spec; `call(spec, buffers, begin, end)` picks the buffers.
template <class Spec, class Call>
class HostKernel final : public KernelCode {
 public:
  HostKernel(Spec spec, Call call) : spec_(std::move(spec)), call_(std::move(call)) {}
  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    call_(spec_, buffers, begin, end);
  }

 private:
  Spec spec_;
  Call call_;
};

template <class Spec, class Call>
LibraryCall make_call(std::string_view name, std::string detail, Spec spec, Call call) {
  const std::int64_t count = kernels::tiles(spec);
  return {std::string(name), std::move(detail),
          std::make_shared<const HostKernel<Spec, Call>>(std::move(spec), std::move(call)), count};
}

// A tensor around one of its axes: [outer, size, inner].
struct AroundAxis {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

AroundAxis around(const Shape& shape, std::int64_t axis) {
  AroundAxis out;
  for (int d = 0; d < shape.rank(); ++d) {
    (d < axis ? out.outer : d == axis ? out.size : out.inner) *= shape[d];
  }
  return out;
}

const std::byte* bytes_at(const void* buffer, const View& view) {
  return static_cast<const std::byte*>(buffer) + view.offset * size_of(view.dtype);
}

std::string types_text(const std::vector<View>& views) {
  std::string out;
  for (const View& view : views) {
    out += (out.empty() ? "" : ", ") + ir::Type{.dtype = view.dtype, .shape = view.shape}.text();
  }
  return out;
}

kernels::StridedView strided(const View& view) {
  return {.shape = view.shape, .strides = view.strides, .offset = view.offset};
}

LibraryCall matmul_call(const ir::Type& result, const std::vector<View>& operands) {
  const View& a = operands[0];
  const View& b = operands[1];
  const int rank = result.shape.rank();
  const auto at = [](const View& view, int from_end) {
    return view.strides[static_cast<std::size_t>(view.shape.rank() - from_end)];
  };
  kernels::Matmul spec{.dtype = result.dtype,
                       .batch = {},
                       .m = result.shape[rank - 2],
                       .n = result.shape[rank - 1],
                       .k = a.shape[a.shape.rank() - 1],
                       .a_batch_strides = {},
                       .b_batch_strides = {},
                       .a_row_stride = at(a, 2),
                       .a_column_stride = at(a, 1),
                       .b_row_stride = at(b, 2),
                       .b_column_stride = at(b, 1)};
  const auto batch_stride = [&](const View& view, int d) {
    const int own = d - (rank - view.shape.rank());
    return own < 0 || view.shape[own] == 1 ? 0 : view.strides[static_cast<std::size_t>(own)];
  };
  for (int d = 0; d < rank - 2; ++d) {
    spec.batch.push_back(result.shape[d]);
    spec.a_batch_strides.push_back(batch_stride(a, d));
    spec.b_batch_strides.push_back(batch_stride(b, d));
  }
  // A batch of row blocks against one matrix is one tall product.
  while (!spec.batch.empty() && spec.b_batch_strides.back() == 0 &&
         spec.a_batch_strides.back() == spec.m * spec.a_row_stride) {
    spec.m *= spec.batch.back();
    spec.batch.pop_back();
    spec.a_batch_strides.pop_back();
    spec.b_batch_strides.pop_back();
  }
  std::string detail = std::string(name_of(result.dtype)) + " " + std::to_string(spec.m) + "x" +
                       std::to_string(spec.k) + "x" + std::to_string(spec.n);
  for (const std::int64_t size : spec.batch) detail += ", batch " + std::to_string(size);
  const auto run = [a, b](const kernels::Matmul& matmul, void* const* buffers, std::int64_t begin,
                          std::int64_t end) {
    kernels::run(matmul, bytes_at(buffers[0], a), bytes_at(buffers[1], b), buffers[2], begin, end);
  };
  return make_call("matmul", std::move(detail), std::move(spec), run);
}

}  // namespace

bool takes_strides(Op op, std::size_t operand) {
  return op == Op::matmul || op == Op::concat || (op == Op::pad && operand == 0);
}

LibraryCall library_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands) {
  const Op op = graph.node(id).op;
  const ir::Type& result = graph.type(graph.result(id));
  const ir::Attributes attributes = graph.attributes(id);
  const std::int64_t bytes = size_of(operands[0].dtype);
  const std::string detail = types_text(operands);
  const std::string_view name = name_of(op);
  switch (op) {
    case Op::matmul:
      return matmul_call(result, operands);
    case Op::take: {
      const AroundAxis x = around(operands[0].shape, attributes.integer("axis"));
      return make_call(name, detail,
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
      const AroundAxis x = around(operands[0].shape, attributes.integer("axis"));
      const AroundAxis indices = around(operands[1].shape, attributes.integer("axis"));
      return make_call(name, detail,
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
      const AroundAxis x = around(operands[0].shape, attributes.integer("axis"));
      return make_call(name, detail,
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
      const AroundAxis x = around(operands[0].shape, attributes.integer("axis"));
      return make_call(name, detail,
                       kernels::ArgReduce{.dtype = operands[0].dtype,
                                          .largest = op == Op::argmax,
                                          .outer = x.outer,
                                          .size = x.size,
                                          .inner = x.inner},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], static_cast<std::int64_t*>(b[1]), begin, end);
                       });
    }
    case Op::pad:
      return make_call(name, detail,
                       kernels::Pad{.element_size = bytes,
                                    .source = strided(operands[0]),
                                    .low = attributes.integers("low"),
                                    .high = attributes.integers("high"),
                                    .interior = attributes.integers("interior")},
                       [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
                         kernels::run(spec, b[0], b[1], b[2], begin, end);
                       });
    case Op::concat: {
      kernels::Concat spec{.element_size = bytes,
                           .axis = static_cast<int>(attributes.integer("axis")),
                           .sources = {}};
      for (const View& view : operands) spec.sources.push_back(strided(view));
      return make_call(name, detail, std::move(spec),
                       [](const auto& s, void* const* b, std::int64_t begin, std::int64_t end) {
                         const std::vector<const void*> sources(b, b + s.sources.size());
                         kernels::run(s, sources, b[s.sources.size()], begin, end);
                       });
    }
    case Op::fold_in:
      return make_call(name, detail, kernels::FoldIn{.elements = result.shape.elements()},
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
      return make_call(
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

LibraryCall strided_copy(const View& view) {
  return make_call(
      "copy", types_text({view}),
      kernels::StridedCopy{.element_size = size_of(view.dtype), .source = strided(view)},
      [](const auto& spec, void* const* b, std::int64_t begin, std::int64_t end) {
        kernels::run(spec, b[0], b[1], begin, end);
      });
}

}  // namespace tutti::codegen
