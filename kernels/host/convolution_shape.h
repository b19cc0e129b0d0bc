#pragma once

#include <tutti/kernels/host/convolution.h>

#include <array>
#include <cstdint>

namespace tutti::kernels {

// A spatial dimension. Those that a convolution lacks are of one element.
struct SpatialDimension {
  std::int64_t size = 1;    // of x
  std::int64_t window = 1;  // of the weight
  std::int64_t out = 1;
  std::int64_t stride = 1;
  std::int64_t low = 0;
  std::int64_t dilation = 1;
  std::int64_t x_stride = 0;  // from an element of x to the next, in memory
};

// Positions i in [begin, end) for which first + i * step lies in [0, size).
struct Positions {
  std::int64_t begin, end;
};
Positions inside(std::int64_t first, std::int64_t step, std::int64_t size, std::int64_t count);

// A convolution's sizes, and where its operands lie, in three spatial dimensions.
struct ConvolutionShape {
  static constexpr int kMostSpatial = 3;
  static constexpr std::int64_t kGoodTiles = 8;  // so many at least, where there is enough to do

  // Throws InternalError where shapes do not fit, one is empty, or the dtype is none of f32 and
  // f64.
  explicit ConvolutionShape(const Convolution& spec);

  // Of one or two spatial dimensions.
  bool is_flat() const;
  // Multiplications.
  std::int64_t work() const { return images * groups * outputs * results * inputs * places; }
  // Where a place of the window lies behind a channel's first element for a result; -1: outside.
  std::int64_t source_of(std::int64_t result, std::int64_t place) const;

  DType dtype;
  std::array<SpatialDimension, kMostSpatial> spatial;
  std::int64_t images, groups, inputs, outputs;  // inputs and outputs of a group
  std::int64_t places = 1;                       // of the window
  std::int64_t results = 1;                      // of an image and output
  std::int64_t x_offset, image_stride, channel_stride;
  std::int64_t weight_offset;
  std::array<std::int64_t, kMostSpatial + 2> weight_sizes{}, weight_strides{};
  bool by_outputs = false;  // result_strides are not row-major's
  std::array<std::int64_t, kMostSpatial + 2> result_strides{};  // then
};

}  // namespace tutti::kernels
