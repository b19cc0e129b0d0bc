#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/convolution_shape.h>

#include <algorithm>
#include <string>

namespace tutti::kernels {

Positions inside(std::int64_t first, std::int64_t step, std::int64_t size, std::int64_t count) {
  const std::int64_t begin = first >= 0 ? 0 : divide_up(-first, step);
  const std::int64_t end = first >= size ? 0 : (size - 1 - first) / step + 1;
  return {std::min(begin, count), std::clamp(end, std::min(begin, count), count)};
}

ConvolutionShape::ConvolutionShape(const Convolution& spec)
    : dtype(spec.dtype), groups(spec.groups) {
  const Shape& x = spec.x.shape;
  const Shape& weight = spec.weight.shape;
  const auto count = static_cast<std::size_t>(std::max(0, x.rank() - 2));
  bool fits = (dtype == DType::f32 || dtype == DType::f64) && count >= 1 && count <= kMostSpatial &&
              weight.rank() == x.rank() && spec.stride.size() == count &&
              spec.low.size() == count && spec.dilation.size() == count &&
              spec.out.size() == count && groups >= 1 && x.elements() > 0 &&
              weight.elements() > 0 && weight[0] % groups == 0 && x[1] == weight[1] * groups;
  fits = fits && (spec.result_strides.empty() ||
                  (spec.result_strides.size() == count + 2 && spec.result_strides[1] == 1));
  for (std::size_t d = 0; fits && d < count; ++d) {
    fits = spec.stride[d] >= 1 && spec.dilation[d] >= 1 && spec.out[d] >= 1;
  }
  if (!fits) {
    throw InternalError("malformed convolution of " + std::string(name_of(dtype)) + x.text() +
                        " and " + weight.text());
  }
  images = x[0];
  inputs = weight[1];
  outputs = weight[0] / groups;
  x_offset = spec.x.offset;
  image_stride = spec.x.strides[0];
  channel_stride = spec.x.strides[1];
  weight_offset = spec.weight.offset;
  weight_sizes.fill(1);
  by_outputs = !spec.result_strides.empty();
  for (int d = 0; d < weight.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d) + (d < 2 ? 0 : kMostSpatial - count);
    weight_sizes[at] = weight[d];
    weight_strides[at] = spec.weight.strides[static_cast<std::size_t>(d)];
    if (by_outputs) result_strides[at] = spec.result_strides[static_cast<std::size_t>(d)];
  }
  for (std::size_t d = 0; d < count; ++d) {
    const int axis = static_cast<int>(d) + 2;
    spatial[kMostSpatial - count + d] = {.size = x[axis],
                                         .window = weight[axis],
                                         .out = spec.out[d],
                                         .stride = spec.stride[d],
                                         .low = spec.low[d],
                                         .dilation = spec.dilation[d],
                                         .x_stride = spec.x.strides[d + 2]};
    places *= weight[axis];
    results *= spec.out[d];
  }
}

bool ConvolutionShape::is_flat() const {
  const SpatialDimension& depth = spatial[0];
  return depth.size == 1 && depth.window == 1 && depth.out == 1 && depth.low == 0;
}

std::int64_t ConvolutionShape::source_of(std::int64_t result, std::int64_t place) const {
  std::int64_t out = 0;
  for (std::size_t d = spatial.size(); d-- > 0;) {
    const SpatialDimension& dimension = spatial[d];
    const std::int64_t at = result % dimension.out * dimension.stride +
                            place % dimension.window * dimension.dilation - dimension.low;
    if (at < 0 || at >= dimension.size) return -1;
    out += at * dimension.x_stride;
    result /= dimension.out;
    place /= dimension.window;
  }
  return out;
}

}  // namespace tutti::kernels
