#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/convolution_shape.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tutti::kernels {

// A convolution whose outputs lie side by side in the result, as in images that have their channels
// last: vectors go along the outputs of a group, and each is multiplied by one element of x. What a
// tile looks at of some inputs is copied first, in the order in which it lies in memory, with the
// zeros around it. A weight whose outputs do not lie side by side is copied, too.
class ConvolutionByOutputs {
 public:
  explicit ConvolutionByOutputs(const ConvolutionShape& shape);

  // Each is some outputs of a group, of some results of some images.
  std::int64_t tiles() const;
  // Of [images, results, outputs]; no columns where the results lie in another order, or a tile has
  // those of one group of several, which are short.
  ResultDivision division() const;
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const;

 private:
  static constexpr int kSpatial = ConvolutionShape::kMostSpatial;
  // x's dimensions: images, inputs, then the spatial ones.
  static constexpr std::size_t kDimensions = kSpatial + 2;
  using Sizes = std::array<std::int64_t, kDimensions>;

  // Elements of x and of the weight that are multiplied with each other: so many, at these
  // distances from the first ones that a result looks at. The same number and steps for all.
  struct Run {
    std::int64_t x, weight;
  };
  // Where a result looks, in the copy, and where it lies.
  struct Row {
    std::int64_t x, result;
  };
  // Of a tile: its results and outputs.
  struct Tile {
    std::int64_t image, images;
    std::int64_t line, lines;  // along the dimension that is cut
    std::int64_t group;
    std::int64_t output, outputs;  // of that group; the first is counted over all groups
  };

  // How many elements of a spatial dimension so many results look at.
  std::int64_t reach(int dimension, std::int64_t count) const;
  // Of the copy of so many inputs for so many images and lines of results.
  Sizes copied_sizes(std::int64_t images, std::int64_t inputs, std::int64_t lines) const;
  std::int64_t copied_elements(std::int64_t images, std::int64_t inputs, std::int64_t lines) const;
  // Elements of a line of a cache.
  std::int64_t line_elements() const { return 64 / size_of(shape_.dtype); }
  // So many images, at least, that a tile has: those that lie side by side are copied so.
  std::int64_t least_images() const {
    return order_.back() == 0 ? std::min(line_elements(), shape_.images) : 1;
  }
  // So many outputs, at most, that are multiplied at once.
  std::int64_t vector_outputs() const;
  void choose_tiles();
  void choose_inputs();
  void find_runs();
  void join_runs();
  Tile tile(std::int64_t number) const;
  std::int64_t run_length(std::int64_t inputs) const {
    return runs_along_inputs_ ? inputs : run_length_;
  }
  std::int64_t runs_of(std::int64_t inputs) const {
    const bool all = runs_along_inputs_ || inputs == inputs_;
    return all ? std::ssize(runs_) : std::ssize(runs_) / inputs_ * inputs;
  }
  void list_rows(const Tile& tile, Row* rows) const;
  template <class T>
  void copy_piece(const Tile& tile, std::int64_t input, std::int64_t inputs, const T* x,
                  T* to) const;
  template <class T>
  void copy_weight(const Tile& tile, std::int64_t inputs, const T* weight, T* to) const;
  // What is added to the sums at once, of some results and outputs: runs [begin, end).
  template <class T>
  struct Piece {
    const Row* rows;
    std::int64_t count;
    const T* x;
    const T* weight;
    std::int64_t inputs, outputs, begin, end;
    bool is_first;
    T* result;
  };
  template <class T, int kBytes, int kVectors>
  void add_up(const Piece<T>& piece) const;
  template <class T, class Sums>
  void give(const Sums& sums, const Piece<T>& piece, std::int64_t row, std::int64_t first) const;

  ConvolutionShape shape_;
  std::array<std::size_t, kDimensions> order_{};  // x's dimensions, the farthest apart first
  Sizes copied_strides_{};
  int cut_ = 0;  // the spatial dimension that tiles cut
  // At once, at most.
  std::int64_t images_ = 1, lines_ = 1, outputs_ = 1, inputs_ = 1;
  bool copies_weight_ = false;
  bool runs_along_inputs_ = false;
  std::int64_t run_length_ = 1;  // where they do not go along inputs
  std::int64_t runs_at_once_ = 1;
  std::int64_t x_step_ = 0, weight_step_ = 0;
  std::vector<Run> runs_;  // of inputs_ inputs, one input after another
};

}  // namespace tutti::kernels
