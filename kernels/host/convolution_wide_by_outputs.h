#pragma once

#include <tutti/kernels/host/convolution_in_parts.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::kernels {

// A convolution whose window has more places than an image has results, and whose outputs fill
// vectors: these go along the outputs, and each is multiplied by one element of x. So sums are no
// larger than results, and are kept for all of a tile's inputs. A piece of the window is copied,
// its outputs side by side, and what all results look at through it, with the zeros around.
class WideWindowByOutputs : public ConvolutionInParts {
 public:
  // Nothing where outputs or results are too few for it.
  static std::optional<WideWindowByOutputs> find(const ConvolutionShape& shape);

  // The results, or all parts, one behind the other; then there is no `after`.
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const;

 private:
  // What is added up at once, of a block of outputs as wide as some vectors: all rows, which are
  // results of images.
  template <class T>
  struct Block {
    const T* copied;
    const T* factors;    // [inputs, lines, columns, width]
    std::int64_t count;  // of rows
    T* sums;             // [rows, width]
  };

  explicit WideWindowByOutputs(const ConvolutionShape& shape);
  bool is_worth() const;
  void list_rows();

  template <class T>
  void copy_weight(const Piece& piece, const T* weight, std::int64_t outputs, T* to) const;
  template <class T>
  void copy_x(const Piece& piece, const T* x, std::int64_t images, T* to) const;
  template <class T, int kBytes, int kVectors>
  void add_block(const Piece& piece, const Block<T>& of) const;

  std::int64_t copied_lines_ = 1, copied_columns_ = 1;
  std::vector<std::int64_t> rows_;  // where each begins in the copy
};

}  // namespace tutti::kernels
