#pragma once

#include <tutti/kernels/host/convolution_shape.h>

#include <cstdint>

namespace tutti::kernels {

// What ways have in common to convolve with a window that has more places than an image has
// results, as that has which is the gradient of a weight. Where there are few results, each of
// which adds much up, they are made in parts, of some inputs each, which are added in order.
class ConvolutionInParts {
 public:
  // Of one or two spatial dimensions, with several results and not too many.
  static bool suits(const ConvolutionShape& shape);

  // 1: the results are made at once. Of each, [images, groups * outputs, results].
  std::int64_t parts() const;
  std::int64_t part_elements() const;

  // Of an image and output: all.
  std::int64_t tile_columns() const { return shape_.results; }

  // Each is some results of all parts.
  std::int64_t sum_tiles() const;
  template <class T>
  void add_parts(const T* parts, T* result, std::int64_t begin, std::int64_t end,
                 const AfterTile& after) const;

 protected:
  explicit ConvolutionInParts(const ConvolutionShape& shape)
      : shape_(shape), inputs_of_part_(shape.inputs) {}

  // How many are at most `most`, of about one size.
  static std::int64_t share(std::int64_t count, std::int64_t most);
  // How many times as many tiles there should be.
  static std::int64_t missing(std::int64_t tiles);
  // As many parts as there should be where one has so many tiles: of at least so many inputs, and
  // only where little is written for what is read.
  void choose_parts(std::int64_t tiles_of_part, std::int64_t least_inputs);

  ConvolutionShape shape_;
  std::int64_t inputs_of_part_;

 private:
  std::int64_t rows_of_sum_tile() const;
};

}  // namespace tutti::kernels
