#pragma once

#include <tutti/kernels/host/convolution_in_parts.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::kernels {

// A convolution of one or two spatial dimensions whose window has more places than an image has
// results, as that has which is the gradient of a weight: vectors go along the window's places.
// What each column of results looks at is copied once, line by line, so that what a result further
// down looks at begins so many lines further on.
class WideWindowConvolution : public ConvolutionInParts {
 public:
  // Nothing where copying what each result looks at is faster.
  static std::optional<WideWindowConvolution> find(const ConvolutionShape& shape);

  // The results, or all parts, one behind the other; then there is no `after`.
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end,
           const AfterTile& after) const;

 private:
  // The lines of x that begin here, and the columns that do, for each place of the window.
  struct Copy {
    std::int64_t line, column;
  };

  // What a result looks at: of a copy, so many lines further down.
  struct Seen {
    std::int64_t copy, lines;
  };
  // What is added up at once: of an image, some inputs and places of the window.
  template <class T>
  struct Sums {
    const T* copied;
    const T* factors;
    std::int64_t outputs, inputs, places, columns;
    T* sums;  // [outputs, results, lanes]
  };

  explicit WideWindowConvolution(const ConvolutionShape& shape);

  template <class T>
  void copy_weight(const Piece& piece, const T* weight, std::int64_t outputs, T* to) const;
  template <class T>
  void copy_image(const Piece& piece, const T* image, T* to) const;
  template <class T, int kBytes>
  void add_up(const Sums<T>& of) const;

  std::int64_t plane_ = 0;  // elements of these lines, with zeros up to whole vectors
  std::int64_t copied_lines_ = 0;
  std::int64_t copy_ = 0;  // elements of one, of an input
  std::vector<Copy> copies_;
  std::vector<Seen> seen_;  // by results
};

}  // namespace tutti::kernels
