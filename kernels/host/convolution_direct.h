#pragma once

#include <tutti/kernels/host/convolution_shape.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::kernels {

// A convolution of one or two spatial dimensions that multiplies x where it lies: the lines that a
// tile looks at are copied once, with zeros around them, so that what the results see at a place of
// the window lies as far behind that of the first place for all of them. Vectors go along the
// lines, over their ends too, and what they compute there is left out; or, where vectors are
// shorter than a line of a cache, so that there are few registers for sums, along outputs that fill
// them. With strides, lines and columns of one remainder are copied together. Images that are small
// for a vector lie in it side by side.
class DirectConvolution {
 public:
  // Nothing where copying what each result looks at is faster.
  static std::optional<DirectConvolution> find(const ConvolutionShape& shape);

  // Each is some lines of results (or some results, where there is one line) of some outputs.
  std::int64_t tiles() const;
  // How many results of an image and output, one behind the other.
  std::int64_t tile_columns() const;
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const;

 private:
  // Lines and columns of x that begin here, each `stride` apart.
  struct Phase {
    std::int64_t line, column;
  };
  // A place of the window: where what a tile's first result sees of it lies behind the beginning of
  // a channel's copy, and the weight behind that of a channel.
  struct Tap {
    std::int64_t x, weight;
  };
  struct Tile;
  template <class T>
  struct Operands;

  // From the first result of some lines to the last one, as they lie in a copy.
  std::int64_t positions(std::int64_t lines, std::int64_t columns) const {
    return (lines - 1) * pitch_ + columns * images_;
  }
  DirectConvolution(const ConvolutionShape& shape, std::int64_t images);

  bool is_worth() const;
  // To put the weight outputs side by side: where a tile has enough results for each factor.
  bool is_worth_packing() const;
  void choose_tiles();
  template <class T>
  void copy_piece(const Tile& tile, const T* first, T* to) const;
  template <class T>
  void give(const Tile& tile, const T* sums, T* result) const;
  // The outputs of a tile from `output` on.
  template <class T, int kBytes>
  void add_by_results(const Tile& tile, const Operands<T>& of, std::int64_t output) const;
  // Adds what results [begin, end) of the tile, images side by side, see of some inputs.
  template <class T, int kBytes>
  void add_rows(const Tile& tile, const T* copied, const T* factors, Positions inputs,
                std::int64_t begin, std::int64_t end, T* to) const;
  // Two vectors of outputs from `output` on.
  template <class T, int kBytes>
  void add_outputs(const Tile& tile, const Operands<T>& of, std::int64_t output) const;
  template <class T, int kBytes>
  void add_up(const Tile& tile, const Operands<T>& of) const;

  ConvolutionShape shape_;
  std::int64_t images_;  // at once
  // Of a tile, at most: lines and columns of results, and outputs.
  std::int64_t lines_ = 1, columns_ = 1, outputs_ = 1;
  std::int64_t halo_lines_ = 0, halo_columns_ = 0;  // that a phase has more than there are results
  // Elements of a copy: from a line to the next, from a phase, and from a channel.
  std::int64_t pitch_ = 0, phase_ = 0, channel_ = 0;
  std::vector<Phase> phases_;
  std::vector<Tap> taps_;
  // Where vectors go along outputs: what a tile's first result sees of some inputs.
  std::int64_t inputs_at_once_ = 1;
  std::vector<std::int64_t> seen_offsets_;
};

}  // namespace tutti::kernels
