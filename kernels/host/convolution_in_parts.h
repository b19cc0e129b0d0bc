#pragma once

#include <tutti/kernels/host/convolution_shape.h>

#include <algorithm>
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

  // Each is all results of some images and outputs of a group, of a part.
  std::int64_t tiles() const;
  // Of an image and output: all.
  std::int64_t tile_columns() const { return shape_.results; }

  // Each is some results of all parts.
  std::int64_t sum_tiles() const;
  template <class T>
  void add_parts(const T* parts, T* result, std::int64_t begin, std::int64_t end,
                 const AfterTile& after) const;

 protected:
  struct Tile {
    std::int64_t image, images;
    std::int64_t group;
    std::int64_t output, outputs;  // of that group; the first is counted over all groups
    std::int64_t input, end_input;
    std::int64_t part;
  };
  // What is added up at once: of some inputs, places of the window.
  struct Piece {
    std::int64_t input, line, column;
    std::int64_t inputs, lines, columns;
  };

  explicit ConvolutionInParts(const ConvolutionShape& shape)
      : shape_(shape), inputs_of_part_(shape.inputs) {}

  // How many are at most `most`, of about one size.
  static std::int64_t share(std::int64_t count, std::int64_t most);
  // As many parts as there should be for as many images and outputs as a tile has at most: of at
  // least so many inputs, and only where little is written for what is read. Then fewer images,
  // but at least so many, where there are too few tiles.
  void choose_parts(std::int64_t least_inputs, std::int64_t least_images);

  Tile tile(std::int64_t number) const;
  // Calls f(piece) for all that a tile adds up, in order.
  template <class F>
  void for_each_piece(const Tile& tile, F&& f) const {
    const auto& [depth, height, width] = shape_.spatial;
    for (std::int64_t input = tile.input; input < tile.end_input; input += inputs_) {
      for (std::int64_t line = 0; line < height.window; line += lines_) {
        for (std::int64_t column = 0; column < width.window; column += columns_) {
          f(Piece{.input = input,
                  .line = line,
                  .column = column,
                  .inputs = std::min(inputs_, tile.end_input - input),
                  .lines = std::min(lines_, height.window - line),
                  .columns = std::min(columns_, width.window - column)});
        }
      }
    }
  }

  ConvolutionShape shape_;
  // At once, at most: of images and outputs, and of inputs and the window.
  std::int64_t images_ = 1, outputs_ = 1;
  std::int64_t inputs_ = 1, lines_ = 1, columns_ = 1;
  std::int64_t inputs_of_part_;

 private:
  std::int64_t rows_of_sum_tile() const;
};

}  // namespace tutti::kernels
