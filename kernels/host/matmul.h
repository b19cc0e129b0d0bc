#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/result_tile.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::kernels {

// c[..., i, j] = sum over l of a[..., i, l] * b[..., l, j] for every index of `batch`.
//
// All strides are in elements and may be anything: a batch stride of 0 broadcasts the operand, a
// transposed operand has its two strides swapped. The results are row-major and dense, in shape
// [batch..., m, n], and overlap no operand. With k == 0 they are zeros.
//
// Takes every dtype but bool. f32 and narrower floats are summed in f32, f64 in f64, each result
// being rounded once; integers wrap. The order of the sum depends on this struct alone.
struct Matmul {
  DType dtype = DType::f32;
  // Where an operand is stored in another dtype, that one: products_widen(a_narrow, dtype).
  std::optional<DType> a_narrow = {};
  std::optional<DType> b_narrow = {};
  std::vector<std::int64_t> batch;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::vector<std::int64_t> a_batch_strides;  // one per batch dimension
  std::vector<std::int64_t> b_batch_strides;
  std::int64_t a_row_stride = 0;  // from a[i, l] to a[i + 1, l]
  std::int64_t a_column_stride = 0;
  std::int64_t b_row_stride = 0;  // from b[l, j] to b[l + 1, j]
  std::int64_t b_column_stride = 0;

  friend auto operator<=>(const Matmul&, const Matmul&) = default;
};

// A product of dense row-major matrices [m, k] and [k, n].
Matmul dense_matmul(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k);

// A matmul that is ready to run, any number of times, by any number of threads.
class PreparedMatmul {
 public:
  // Throws InternalError for bool, for negative sizes and where the numbers of batch sizes and
  // strides differ.
  explicit PreparedMatmul(const Matmul& spec);

  // The number of independent pieces the work divides into: a function of the sizes alone, 0 where
  // there is nothing to compute.
  std::int64_t tiles() const;
  // Of the results seen as one matrix, the batch's matrices being one below the other.
  ResultDivision division() const;

  // Computes tiles [begin, end). Threads may run disjoint ranges at once; each runs on the calling
  // thread alone. `a`, `b` point at the element with index 0. Throws EnvironmentError if the matmul
  // library fails.
  void run(const void* a, const void* b, void* c, std::int64_t begin, std::int64_t end,
           const AfterTile& after = {}) const;

 private:
  struct Division;
  std::shared_ptr<const Division> division_;
};

}  // namespace tutti::kernels
