#pragma once

#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/matmul_product.h>

#include <cstdint>
#include <vector>

namespace tutti::kernels {

// The library's products of the pieces of k that a long product is made of, each `kDepth` of it but
// the last one.
class DepthPieces {
 public:
  static constexpr std::int64_t kDepth = 512;

  DepthPieces() = default;
  // `product_of` gives the product of the piece with a number.
  template <class F>
  DepthPieces(std::int64_t k, F&& product_of) : count_(divide_up(k, kDepth)) {
    if (count_ > 0) products_.emplace_back(product_of(std::int64_t{0}));
    if (count_ > 2) products_.emplace_back(product_of(std::int64_t{1}));
    if (count_ > 1) products_.emplace_back(product_of(count_ - 1));
  }

  const LibraryProduct& operator[](std::int64_t number) const {
    const bool is_last = number + 1 == count_;
    return products_[number == 0 ? 0 : is_last ? products_.size() - 1 : 1];
  }

 private:
  std::int64_t count_ = 0;
  // Of the first piece, of those between it and the last one, which are alike, and of that; without
  // what there is none of.
  std::vector<LibraryProduct> products_;
};

// How far apart lines of f32 should lie, so that they do not share a few places of a first-level
// cache: a line of that further where `length` is a multiple of 1 KiB.
inline constexpr std::int64_t kElementsOfLine = 16;
constexpr std::int64_t uncrowded(std::int64_t length) {
  return length % (16 * kElementsOfLine) == 0 ? length + kElementsOfLine : length;
}

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
  Product piece(std::int64_t number) const;

  Product product_;
  // How far apart lines along k lie in a packed operand; 0: it stays where it is.
  std::int64_t a_packed_ = 0, b_packed_ = 0;
  DepthPieces pieces_;
};

}  // namespace tutti::kernels
