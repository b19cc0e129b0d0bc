#pragma once

#include <tutti/ir/attribute.h>
#include <tutti/ir/shape.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// What the structured ops mean, in double precision and a few lines each: written apart from the
// interpreter, to check it as well.
namespace tutti::test {

// A tensor in double precision, row-major.
struct Plain {
  Shape shape;
  std::vector<double> data;

  explicit Plain(const Shape& sizes)
      : shape(sizes), data(static_cast<std::size_t>(sizes.elements())) {}
  // The element at an index; NumPy's rule where the index has more dimensions or the size is 1.
  double at(std::span<const std::int64_t> index) const;
  double& operator[](std::int64_t n) { return data[static_cast<std::size_t>(n)]; }
  double operator[](std::int64_t n) const { return data[static_cast<std::size_t>(n)]; }
};
using Plains = std::vector<Plain>;
using RankPlains = std::vector<Plains>;  // [rank][operand]

// Fills a tensor by asking for the element at every index, row by row.
Plain filled(const Shape& shape,
             const std::function<double(std::span<const std::int64_t>)>& element);

using ir::Attributes;

Plain elementwise_oracle(const Plains& x, const std::function<double(const double*)>& meaning);

Plain reshape_oracle(const Plain& x, const Shape& shape);
Plain transpose_oracle(const Plains& x, const Attributes& attributes);
Plain broadcast_to_oracle(const Plains& x, const Attributes& attributes);
Plain expand_dims_oracle(const Plains& x, const Attributes& attributes);
Plain squeeze_oracle(const Plains& x, const Attributes& attributes);
Plain slice_oracle(const Plains& x, const Attributes& attributes);
Plain reverse_oracle(const Plains& x, const Attributes& attributes);
Plain pad_oracle(const Plains& x, const Attributes& attributes);
Plain concat_oracle(const Plains& x, const Attributes& attributes);

// Combines along the axes of the attributes; `start` is the value of nothing.
Plain reduce_oracle(const Plains& x, const Attributes& attributes, double start,
                    const std::function<double(double, double)>& combine);
Plain mean_oracle(const Plains& x, const Attributes& attributes);
Plain logsumexp_oracle(const Plains& x, const Attributes& attributes);
Plain arg_oracle(const Plains& x, const Attributes& attributes, double sign);

Plain cumulative_oracle(const Plains& x, const Attributes& attributes,
                        double (*combine)(double, double));
// The values of a stable sort, or the indices where they stood: the first `count` of them.
Plain sort_oracle(const Plain& x, std::int64_t axis, bool descending, std::int64_t count,
                  bool indices);

Plain matmul_oracle(const Plains& x, const Attributes& attributes);
Plain take_oracle(const Plains& x, const Attributes& attributes);
Plain take_along_axis_oracle(const Plains& x, const Attributes& attributes);
Plain scatter_add_oracle(const Plains& x, const Attributes& attributes);
Plain dynamic_slice_oracle(const Plains& x, const Attributes& attributes);
Plain dynamic_update_slice_oracle(const Plains& x, const Attributes& attributes);

Plain softmax_oracle(const Plains& x, const Attributes& attributes);
Plain log_softmax_oracle(const Plains& x, const Attributes& attributes);
Plain layer_norm_oracle(const Plains& x, const Attributes& attributes);
Plain rms_norm_oracle(const Plains& x, const Attributes& attributes);
Plain cross_entropy_oracle(const Plains& x, const Attributes& attributes);
Plain gelu_oracle(const Plains& x, const Attributes& attributes);
Plain one_hot_oracle(const Plains& x, const Attributes& attributes);

}  // namespace tutti::test
