#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/result_tile.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::kernels {

// result[n, o, p] = sum over i, q of x[n, g * inputs + i, p * stride + q * dilation - low] *
// weight[o, i, q], with zeros around x: p, q and what stands with them have one number for each of
// one to three spatial dimensions, and g is the group of o. The result is dense, and overlaps no
// operand.
//
// There are five ways, one a file: where outputs lie side by side in the result, vectors go along
// them (convolution_by_outputs.h). Else x is multiplied where it lies (convolution_direct.h),
// vectors go along the outputs (convolution_wide_by_outputs.h) or the places
// (convolution_wide_window.h) of a window that is larger than the results, or what each result
// looks at is copied together a piece at a time and multiplied there (convolution_by_copies.h).
//
// Takes f32 and f64. Each result is a sum in an order that depends on this struct alone; whether
// products are rounded before they are added is the machine's affair.
struct Convolution {
  DType dtype = DType::f32;
  StridedView x;                     // [n, groups * inputs, spatial...]
  StridedView weight;                // [groups * outputs, inputs, spatial...]
  std::vector<std::int64_t> stride;  // 1 or more, as dilation
  std::vector<std::int64_t> low;     // zeros before x
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> out;  // the result's spatial sizes; zeros follow x as needed
  std::int64_t groups = 1;
  // The result's [n, groups * outputs, spatial...], outputs side by side; empty: row-major.
  std::vector<std::int64_t> result_strides = {};
};

// Multiplications. Those of no more than so many have the bits of their parts, which are what runs
// where nothing says that x lies on the host; unless result_strides ask for another way.
inline constexpr std::int64_t kSmallConvolution = 32 << 10;

// A convolution that is ready to run, any number of times, by any number of threads.
class PreparedConvolution {
 public:
  // Throws InternalError where shapes do not fit, one is empty, or the dtype is another.
  PreparedConvolution(const Convolution& spec);  // NOLINT(google-explicit-constructor)

 private:
  friend std::int64_t tiles(const PreparedConvolution& convolution);
  friend ResultDivision division(const PreparedConvolution& convolution);
  friend void run(const PreparedConvolution& convolution, const void* x, const void* weight,
                  const void* parts, void* result, std::int64_t begin, std::int64_t end,
                  const AfterTile& after);
  friend std::int64_t parts_bytes(const PreparedConvolution& convolution);
  friend std::int64_t tiles(const struct ConvolutionParts& parts);
  friend void run(const ConvolutionParts& parts, const void* x, const void* weight, void* to,
                  std::int64_t begin, std::int64_t end);
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};
std::int64_t tiles(const PreparedConvolution& convolution);
// Of the result as it lies: [n * outputs, spatial], or [n * spatial, outputs] where outputs lie
// side by side. No columns where it is neither of them.
ResultDivision division(const PreparedConvolution& convolution);
// `parts` are what ConvolutionParts wrote; nobody looks at them where there are none, and at `x`
// and `weight` where there are.
void run(const PreparedConvolution& convolution, const void* x, const void* weight,
         const void* parts, void* result, std::int64_t begin, std::int64_t end,
         const AfterTile& after = {});

// What runs before, where few results add much up, as those of a weight's gradient do: sums of some
// inputs each, in a number of parts that depends on the convolution alone.
struct ConvolutionParts {
  PreparedConvolution convolution;
};
// How much it writes; 0 where there are no parts.
std::int64_t parts_bytes(const PreparedConvolution& convolution);
std::int64_t tiles(const ConvolutionParts& parts);
void run(const ConvolutionParts& parts, const void* x, const void* weight, void* to,
         std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
