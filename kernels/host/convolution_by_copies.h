#pragma once

#include <tutti/kernels/host/convolution_shape.h>
#include <tutti/kernels/host/tile_product.h>

#include <cstdint>
#include <vector>

namespace tutti::kernels {

// A convolution that copies what some results look at, in working memory of the size of a
// second-level cache, and multiplies that there (im2col). What is copied together are rows of what
// one result looks at, if the window has more places than an image has results; else columns.
class CopiedConvolution : private ConvolutionShape {
 public:
  explicit CopiedConvolution(const ConvolutionShape& shape);

  // Each is some results of some images, and all outputs of a group.
  std::int64_t tiles() const;
  // How many results of an image and output, one behind the other.
  std::int64_t tile_columns() const { return block_; }
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const;

 private:
  void choose_tiles();
  void choose_weight();
  void find_sources();
  // The weight of a group as [outputs, inputs * places], densely.
  template <class T>
  void copy_weight(const T* weight, std::int64_t group, T* to) const;
  // What results [first, first + count) of an image look at, a row for each input and place, that
  // begin `row_stride` apart.
  template <class T>
  void copy_columns(const T* image, std::int64_t first, std::int64_t count, T* to,
                    std::int64_t row_stride) const;
  // What each of some results of an image looks at in some channels, through some places of the
  // window, in rows that begin `row_stride` apart.
  template <class T>
  void copy_rows(const T* channel, std::int64_t channels, const Positions& through,
                 const Positions& of, T* row, std::int64_t row_stride) const;

  bool by_rows_ = false;
  std::int64_t images_at_once_ = 1;  // of a tile
  std::int64_t block_ = 0;           // results of an image that a tile computes
  std::int64_t blocks_ = 0;          // of an image
  std::int64_t inputs_at_once_ = 0;  // whose sums are added one after another
  std::int64_t places_at_once_ = 0;  // of an input, likewise: all of them but where these are many
  bool copies_weight_ = false;
  std::vector<Positions> inside_of_lines_;  // by column of the window: which results look inside
  // Of small images with short lines: where each element of a row that is copied lies behind the
  // first one of its channel, row by row; -1: outside.
  std::vector<std::int32_t> sources_;
  KnownProducts products_;  // of all tiles' sizes
};

}  // namespace tutti::kernels
