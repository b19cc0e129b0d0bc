#pragma once

#include <tutti/kernels/host/matmul_product.h>

#include <array>
#include <optional>

namespace tutti::kernels {

// Products whose operands must be copied first: narrow floats that the library cannot multiply, and
// strides that it does not take. Multiplies f32 copies, a piece of k at a time.
class CopiedProduct {
 public:
  explicit CopiedProduct(const Product& product) : product_(product) {}

  void run(const void* a, const void* b, void* c);

 private:
  static constexpr std::int64_t kDepth = 512;

  template <class T>
  void run(const T* a, const T* b, T* c);
  void multiply(std::int64_t depth, bool accumulate, std::int64_t a_row_stride,
                std::int64_t a_column_stride, std::int64_t b_row_stride,
                std::int64_t b_column_stride, const float* a, const float* b, float* c);

  Product product_;
  Product piece_;  // what library_ multiplies
  std::optional<LibraryProduct> library_;
};

// One of the ways to multiply, for all tiles of one size: directly, by the library, by the library
// with copies, or by loops; operands that are narrow by pairs or widened. Made for one thread.
// `accumulate` with narrow floats, or with strides that the library does not take, is not for it.
class TileProduct {
 public:
  explicit TileProduct(const Product& product);

  const Product& product() const { return product_; }

  void run(const void* a, const void* b, void* c);

 private:
  Product product_;
  bool is_narrow_;
  bool is_direct_;
  std::optional<LibraryProduct> library_;
  std::optional<CopiedProduct> copied_;
};

// The products made last: what is multiplied once is often multiplied again.
class RecentProducts {
 public:
  TileProduct& get(const Product& product) {
    for (std::optional<TileProduct>& each : kept_) {
      if (each && each->product() == product) return *each;
    }
    std::optional<TileProduct>& oldest = kept_[next_++ % kept_.size()];
    return oldest.emplace(product);
  }

 private:
  std::array<std::optional<TileProduct>, 8> kept_;
  std::size_t next_ = 0;
};

}  // namespace tutti::kernels
