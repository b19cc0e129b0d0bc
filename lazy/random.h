#pragma once

#include <tutti/lazy/operand.h>
#include <tutti/lazy/tree.h>

#include <array>
#include <cstdint>
#include <source_location>

namespace tutti {

// A key of the counter-based generator (Philox 4x32-10): the i-th random number is a function of
// (key, i) alone, on every backend. Keys are values: split them, never use one twice. Numbers lie
// where their key lies, which is the rank's default device at first.
struct Key {
  Key() = default;
  explicit Key(std::uint64_t seed, std::source_location at = std::source_location::current());
  explicit Key(Tensor traced) : value(std::move(traced)) {}

  Tensor value;  // u64[]
  TUTTI_FIELDS(value)
};

// A new key from a key and a number: for loops and ranks. Tensors are cast to u64, where fractions
// are cut off: 1.5 gives the key of 1.
Key fold_in(const Key& key, const Operand& number);

// New keys, different from each other and from every fold_in of `key` with a number of [0, 2^63):
// auto [a, b] = split(key).
Key split_part(const Key& key, std::uint64_t part, std::source_location at);
template <std::size_t N = 2>
std::array<Key, N> split(const Key& key,
                         std::source_location at = std::source_location::current()) {
  std::array<Key, N> out;
  for (std::size_t i = 0; i < N; ++i) out[i] = split_part(key, i, at);
  return out;
}

// u32 numbers, all bits random.
Tensor random_bits(const Shape& shape, const Key& key,
                   std::source_location at = std::source_location::current());
// Numbers of [0, 1) of a floating-point dtype.
Tensor uniform(const Shape& shape, const Key& key, DType dtype = DType::f32,
               std::source_location at = std::source_location::current());
// Normal numbers: mean 0, variance 1.
Tensor normal(const Shape& shape, const Key& key, DType dtype = DType::f32,
              std::source_location at = std::source_location::current());
// Integers of [low, high), all equally likely but for a part in 2^16 at most, and in 2^32 where
// there are fewer than 2^32 of them (a product's upper half is taken: Lemire, "Fast random integer
// generation in an interval", ACM TOMACS 2019, without its rejections). TypeError if the interval
// is empty or `dtype`, an integer one, can't hold it. Another interval is no new program.
Tensor randint(const Shape& shape, const Key& key, std::int64_t low, std::int64_t high,
               DType dtype = DType::i64, std::source_location at = std::source_location::current());
// Bools that are true with a probability: a number of [0, 1], or a floating-point tensor that
// broadcasts to the shape.
Tensor bernoulli(const Shape& shape, const Key& key, const Operand& probability);
// x with each element zero with the probability `rate`, of [0, 1), and the others divided by
// 1 - rate, so that the mean stays. Floating-point; computes in f32 and rounds once. The gradient
// is dropped and divided likewise.
Tensor dropout(const Operand& x, const Key& key, const Operand& rate);
// The numbers 0, 1, ..., count - 1 in random order, i64.
Tensor permutation(std::int64_t count, const Key& key,
                   std::source_location at = std::source_location::current());

}  // namespace tutti
