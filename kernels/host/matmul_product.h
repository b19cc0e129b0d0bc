#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/no_signals.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tutti::kernels {

class LibraryUse;

// c = a * b (or c += a * b) for one pair of matrices: what a tile of a matmul is made of. Strides
// are in elements; c's columns are adjacent.
struct Product {
  DType dtype = DType::f32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_row_stride = 0;
  std::int64_t a_column_stride = 0;
  std::int64_t b_row_stride = 0;
  std::int64_t b_column_stride = 0;
  std::int64_t c_row_stride = 0;
  bool accumulate = false;
  std::optional<DType> a_narrow = {};  // as in Matmul
  std::optional<DType> b_narrow = {};

  friend auto operator<=>(const Product&, const Product&) = default;
};

// By our own loops: any strides; f32, f64 and integers.
void multiply_by_loops(const Product& product, const void* a, const void* b, void* c);

// Of integers of at most 32 bits, narrow operands among them, if 16 bits hold all elements of the
// operands; else says false, and c has nothing that counts (where it accumulates, what it had).
bool multiply_by_pairs(const Product& product, const void* a, const void* b, void* c);

// With copies of narrow operands that have the product's dtype.
void multiply_widened(const Product& product, const void* a, const void* b, void* c);

// Without preparations, for products that are small or have a vector: any strides, f32, f64 and
// integers. Which they are follows from the product alone.
bool is_direct(const Product& product);
void multiply_directly(const Product& product, const void* a, const void* b, void* c);

// Whether the matmul library has fast code for a dtype on this machine. False for all in a build
// without it.
bool library_multiplies(DType dtype);

// "2.6.3"; empty in a build without it.
std::string library_version();

// Whether the library takes a [rows, columns] operand with these strides: neighbours must be
// adjacent in one direction.
constexpr bool library_takes(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                             std::int64_t column_stride) {
  return (column_stride == 1 && row_stride >= columns) ||
         (row_stride == 1 && column_stride >= rows);
}

// A library call that is ready to run, any number of times, by any number of threads at once, each
// of which the library uses alone. m, n and k are not 0. Its code is made when it first runs.
class LibraryProduct {
 public:
  explicit LibraryProduct(const Product& product);

  // Throws EnvironmentError if the library fails.
  void run(LibraryUse& use, const void* a, const void* b, void* c) const;

 private:
  friend class LibraryUse;
  struct State;
  class SharedPrimitive;
  class PrimitiveCache;
  std::shared_ptr<SharedPrimitive> shared_;
};

// What a thread takes of the library for some products, one after another: places for their
// arguments, and signals wait where the library's code needs it, until the end of this. The
// products outlive it.
class LibraryUse {
 public:
  LibraryUse();
  LibraryUse(const LibraryUse&) = delete;
  LibraryUse& operator=(const LibraryUse&) = delete;
  ~LibraryUse();

 private:
  friend class LibraryProduct;
  LibraryProduct::State& take_state(LibraryProduct::SharedPrimitive& shared);
  void give_back();

  NoSignals no_signals_;
  std::unique_ptr<LibraryProduct::State> state_;  // of the product that ran last
};

}  // namespace tutti::kernels
