#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::ir {

// A size that is known only when the program runs, such as that of a batch: a name and its bounds.
struct SizeSymbol {
  std::string name;
  std::int64_t least = 1;
  std::int64_t most = 0;  // above `least`

  friend bool operator==(const SizeSymbol&, const SizeSymbol&) = default;
};

// So many a program may have.
inline constexpr std::size_t kMostSymbols = 4;

// A size in terms of symbols: sums of products, each symbol at most once in a product: 2*n*m+n-1.
class SizeExpression {
 public:
  SizeExpression() = default;
  SizeExpression(std::int64_t constant) { coefficients_[0] = constant; }
  static SizeExpression symbol(std::size_t number);
  // The expression that has these values at corners(symbols), in that order. Throws TypeError if
  // its numbers do not fit in 64 bits.
  static SizeExpression fit(std::span<const std::int64_t> at_corners,
                            std::span<const SizeSymbol> symbols);

  bool is_constant() const { return symbols_used() == 0; }
  // A bit for each symbol.
  std::uint32_t symbols_used() const;
  // Whether it is just one symbol.
  bool is_symbol() const;
  std::int64_t coefficient(std::uint32_t symbols) const { return coefficients_[symbols]; }

  // Its value; throws TypeError if that does not fit in 64 bits.
  std::int64_t at(std::span<const std::int64_t> values) const;
  // The same expression of a program that has other numbers for the symbols.
  SizeExpression renumbered(std::span<const std::size_t> numbers) const;

  // These throw TypeError for what does not fit in 64 bits, and for a product that has a symbol
  // twice.
  friend SizeExpression operator+(const SizeExpression& a, const SizeExpression& b);
  friend SizeExpression operator-(const SizeExpression& a, const SizeExpression& b);
  friend SizeExpression operator*(const SizeExpression& a, const SizeExpression& b);
  friend bool operator==(const SizeExpression&, const SizeExpression&) = default;

  // "2*n*m+n-1"; `name` says what a symbol is called.
  std::string text(const std::function<std::string(std::size_t)>& name) const;
  std::string text(std::span<const SizeSymbol> symbols) const;

 private:
  std::array<std::int64_t, std::size_t{1} << kMostSymbols> coefficients_{};  // [bits of symbols]
};

// Where each symbol has its largest value or the one below: values for each of them. What is an
// expression there is one everywhere, and nothing at these sizes looks like a special case.
std::vector<std::vector<std::int64_t>> corners(std::span<const SizeSymbol> symbols);

}  // namespace tutti::ir
