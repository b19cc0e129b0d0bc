#pragma once

#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/kernels/host/packed_product.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace tutti::kernels {

// Products whose operands must be copied first: narrow floats that the library cannot multiply, and
// strides that it does not take. Multiplies f32 copies, a piece of k at a time.
class CopiedProduct {
 public:
  explicit CopiedProduct(const Product& product);

  void run(LibraryUse& library, const void* a, const void* b, void* c) const;

 private:
  static constexpr std::int64_t kDepth = DepthPieces::kDepth;

  // The product of copies that piece `number` of k is.
  Product piece(std::int64_t number) const;
  template <class T>
  void run(LibraryUse& library, const T* a, const T* b, T* c) const;
  void multiply(LibraryUse& library, std::int64_t number, const float* a, const float* b,
                float* c) const;

  Product product_;
  std::optional<DepthPieces> pieces_;  // none where the library multiplies no f32
};

// One of the ways to multiply, for all tiles of one size: directly, by the library, by the library
// with copies or packed operands, or by loops; operands that are narrow by pairs or widened. Ready
// to run, any number of times, by any number of threads at once. `accumulate` with narrow floats,
// or with strides that the library does not take, is not for it.
class TileProduct {
 public:
  explicit TileProduct(const Product& product);

  const Product& product() const { return product_; }

  void run(LibraryUse& library, const void* a, const void* b, void* c) const;

 private:
  Product product_;
  bool is_narrow_;
  bool is_direct_;
  std::optional<LibraryProduct> library_;
  std::optional<PackedProduct> packed_;
  std::optional<CopiedProduct> copied_;
};

// Products of which data may say which are needed: each is made when it first is, and kept. Any
// number of threads may ask at once; to find what is there takes no lock.
class KnownProducts {
 public:
  KnownProducts() = default;
  KnownProducts(const KnownProducts&) = delete;
  KnownProducts& operator=(const KnownProducts&) = delete;
  ~KnownProducts();

  const TileProduct& get(const Product& product) const;

 private:
  struct Entry {
    TileProduct product;
    const Entry* older;
  };
  const TileProduct* find(const Product& product) const;

  mutable std::atomic<const Entry*> newest_{nullptr};
  mutable std::mutex adding_;
};

}  // namespace tutti::kernels
