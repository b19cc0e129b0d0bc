#include <tutti/codegen/product_kernel.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

// Longer sums of vectors are added in parts.
constexpr std::int64_t kMostDepth = 15;
constexpr std::int64_t kMostWork = 512;  // multiplications

bool is_small(const kernels::Matmul& product) {
  const DType dtype = product.dtype;
  const bool fits =
      dtype == DType::f32 || dtype == DType::f64 || dtype == DType::i32 || dtype == DType::i64;
  if (!fits || product.a_narrow || product.b_narrow) return false;
  std::int64_t work = 1;
  const auto multiply = [&](std::int64_t size) {
    work = size > kMostWork ? kMostWork + 1 : std::min(work * size, kMostWork + 1);
  };
  for (const std::int64_t size : product.batch) multiply(size);
  for (const std::int64_t size : {product.m, product.n, product.k}) multiply(size);
  return work > 0 && work <= kMostWork && product.k <= kMostDepth;
}

}  // namespace

std::optional<Kernel> product_kernel(const kernels::Matmul& product, std::int64_t a_offset,
                                     std::int64_t b_offset) {
  if (!is_small(product)) return {};
  Affine a{.offset = a_offset, .outer = {}, .inner = {product.a_column_stride}};
  Affine b{.offset = b_offset, .outer = {}, .inner = {product.b_row_stride}};
  Kernel kernel;
  kernel.name = "matmul";
  kernel.inner = {product.k};
  const auto add_axis = [&](std::int64_t size, std::int64_t a_stride, std::int64_t b_stride) {
    kernel.outer.push_back(size);
    a.outer.push_back(a_stride);
    b.outer.push_back(b_stride);
  };
  for (std::size_t i = 0; i < product.batch.size(); ++i) {
    add_axis(product.batch[i], product.a_batch_strides[i], product.b_batch_strides[i]);
  }
  // Vectors lie along columns, or along rows where there is one column.
  if (product.m > 1 || product.n == 1) add_axis(product.m, product.a_row_stride, 0);
  if (product.n > 1) add_axis(product.n, 0, product.b_column_stride);
  kernel.block = (kernel.outer.back() + kLanes - 1) / kLanes * kLanes;
  Affine c{.offset = 0, .outer = std::vector<std::int64_t>(kernel.outer.size()), .inner = {}};
  std::int64_t stride = 1;
  for (std::size_t axis = kernel.outer.size(); axis-- > 0; stride *= kernel.outer[axis]) {
    c.outer[axis] = stride;
  }
  const DType dtype = product.dtype;
  kernel.buffers = {{.dtype = dtype}, {.dtype = dtype}, {.dtype = dtype, .written = true}};
  const auto load = [&](int buffer, const Affine& address, ValueId result) {
    return Instruction{.kind = Instruction::Kind::load,
                       .dtype = dtype,
                       .buffer = buffer,
                       .address = address,
                       .result = result,
                       .type = dtype};
  };
  Segment sum;
  sum.loop = true;
  sum.body = {load(0, a, 0), load(1, b, 1)};
  sum.body.push_back({.kind = Instruction::Kind::scalar,
                      .op = ir::ScalarOp::mul,
                      .operands = {0, 1, -1},
                      .dtype = dtype,
                      .result = 2,
                      .type = dtype});
  sum.reductions.push_back({.combine = ir::ScalarOp::add, .dtype = dtype, .value = 2, .result = 3});
  Segment point;
  point.stores.push_back({.buffer = 2, .address = c, .value = 3});
  kernel.segments = {std::move(sum), std::move(point)};
  kernel.value_count = 4;
  return kernel;
}

}  // namespace tutti::codegen
