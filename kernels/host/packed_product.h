#pragma once

#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/matmul_product.h>

#include <cstdint>
#include <vector>

namespace tutti::kernels {

// A product of f32 by the library of which an operand is packed first: one whose elements that
// follow each other along k lie a multiple of 2 KiB apart. Those share a few places of a
// first-level cache, and the library's code for 32-byte vectors, which reads operands where they
// lie, takes up to twice as long for them. A piece of k is packed at a time, and they are added in
// order.
class PackedProduct {
 public:
  // Whether there is such an operand, each of whose elements is used often enough. Code for other
  // vectors takes such operands as they are.
  static bool suits(const Product& product);

  // For strides that the library takes.
  explicit PackedProduct(const Product& product);

  void run(LibraryUse& library, const void* a, const void* b, void* c) const;

 private:
  static constexpr std::int64_t kDepth = 512;

  std::int64_t piece_count() const { return divide_up(product_.k, kDepth); }
  Product piece(std::int64_t number) const;

  Product product_;
  // How far apart lines along k lie in a packed operand; 0: it stays where it is.
  std::int64_t a_packed_ = 0, b_packed_ = 0;
  // Of the first piece, of those between it and the last one, which are alike, and of that; without
  // what there is none of.
  std::vector<LibraryProduct> pieces_;
};

}  // namespace tutti::kernels
