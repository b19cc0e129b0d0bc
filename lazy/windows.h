#pragma once

#include <tutti/lazy/ops.h>

#include <cstdint>
#include <vector>

// Windows that move over the spatial dimensions of x [n, c, spatial...], one to three of them, as
// those of a convolution do.
namespace tutti {

// Lists have one number for all spatial dimensions, or one for each.
struct WindowOptions {
  std::vector<std::int64_t> stride = {};  // none: the window's sizes
  std::vector<ConvOptions::Padding> padding = {0};
  std::vector<std::int64_t> dilation = {1};  // the distance of the window's elements
};

// The largest element of each window. Padding never counts; a NaN does. Numbers of any dtype. The
// gradient goes to the first of equal elements, of NaNs to the last.
Tensor max_pool(const Operand& x, const std::vector<std::int64_t>& window,
                const WindowOptions& options = {});
// The mean of each window, in f32 and rounded once; padding counts as zeros if `count_padding`, as
// PyTorch has it, else not at all. Floating point.
Tensor avg_pool(const Operand& x, const std::vector<std::int64_t>& window,
                const WindowOptions& options = {}, bool count_padding = true);

// The reduction of windows over all axes of x, whatever they mean: `window`, the stride, padding
// and dilation have a number for each axis. `none` is what padding counts as, of x's dtype: 0 for
// sums, the lowest number for maxima. Sums of floats narrower than f32 are made in f32 and rounded
// once.
enum class WindowReduce : std::uint8_t { sum, max, min };
Tensor reduce_window(const Operand& x, WindowReduce reduce, const Operand& none,
                     const std::vector<std::int64_t>& window, const WindowOptions& options = {});

// The gradient of conv() with respect to its x, as a layer: x [n, c, spatial...], weight
// [c, o / groups, spatial...] -> [n, o, spatial...] with (size - 1) * stride - paddings +
// dilation * (weight size - 1) + output_padding + 1 places a dimension. `output_padding` adds
// places at the high ends, of which a convolution would have seen some or not.
Tensor conv_transpose(const Operand& x, const Operand& weight, const ConvOptions& options = {},
                      const std::vector<std::int64_t>& output_padding = {0});

}  // namespace tutti
