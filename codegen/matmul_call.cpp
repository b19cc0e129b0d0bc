#include <tutti/codegen/matmul_call.h>
#include <tutti/codegen/product_kernel.h>
#include <tutti/codegen/tiled_call.h>
#include <tutti/kernels/host/library_time.h>

#include <optional>
#include <utility>

namespace tutti::codegen {

namespace {

class MatmulCode final : public TiledCode {
 public:
  MatmulCode(const kernels::Matmul& spec, const View& a, const View& b)
      : spec_(spec),
        matmul_(spec),
        kernel_(product_kernel(spec, a.offset, b.offset)),
        a_offset_(a.offset * size_of(a.dtype)),
        b_offset_(b.offset * size_of(b.dtype)) {}

  std::int64_t tiles() const { return matmul_.tiles(); }

  kernels::ResultDivision division() const override { return matmul_.division(); }
  void run_tiles(void* const* buffers, std::int64_t begin, std::int64_t end,
                 const kernels::AfterTile& after) const override {
    matmul_.run(static_cast<const std::byte*>(buffers[0]) + a_offset_,
                static_cast<const std::byte*>(buffers[1]) + b_offset_, buffers[2], begin, end,
                after);
  }

  const Kernel* kernel() const override { return kernel_ ? &*kernel_ : nullptr; }

  double library_seconds(int threads) const override {
    return kernels::library_seconds(spec_, threads);
  }

 private:
  kernels::Matmul spec_;
  kernels::PreparedMatmul matmul_;
  std::optional<Kernel> kernel_;
  // In bytes.
  std::int64_t a_offset_;
  std::int64_t b_offset_;
};

}  // namespace

kernels::Matmul matmul_spec(const ir::Type& result, const std::vector<View>& operands) {
  const View& a = operands[0];
  const View& b = operands[1];
  const int rank = result.shape.rank();
  const auto at = [](const View& view, int from_end) {
    return view.strides[static_cast<std::size_t>(view.shape.rank() - from_end)];
  };
  const auto narrow = [&](const View& view) {
    return view.dtype == result.dtype ? std::nullopt : std::optional(view.dtype);
  };
  kernels::Matmul spec{.dtype = result.dtype,
                       .a_narrow = narrow(a),
                       .b_narrow = narrow(b),
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
  return spec;
}

std::string matmul_text(const kernels::Matmul& product) {
  std::string text(name_of(product.dtype));
  if (product.a_narrow || product.b_narrow) {
    text += " of " + std::string(name_of(product.a_narrow.value_or(product.dtype))) + " and " +
            std::string(name_of(product.b_narrow.value_or(product.dtype)));
  }
  text += " " + std::to_string(product.m) + "x" + std::to_string(product.k) + "x" +
          std::to_string(product.n);
  for (const std::int64_t size : product.batch) text += ", batch " + std::to_string(size);
  return text;
}

LaunchPart matmul_call(const ir::Type& result, const std::vector<View>& operands) {
  const View& a = operands[0];
  const View& b = operands[1];
  const kernels::Matmul spec = matmul_spec(result, operands);
  // A core multiplies and adds about four times while it moves a byte.
  const std::int64_t cost = result.shape.elements() * spec.k / 4;
  auto code = std::make_shared<const MatmulCode>(spec, a, b);
  const std::int64_t tiles = code->tiles();
  return {.name = "matmul",
          .detail = matmul_text(spec),
          .code = std::move(code),
          .tiles = tiles,
          .cost = cost};
}

}  // namespace tutti::codegen
