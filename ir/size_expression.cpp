#include <tutti/ir/size_expression.h>
#include <tutti/ir/support/error.h>

#include <bit>
#include <utility>

namespace tutti::ir {

namespace {

[[noreturn]] void fail_large() {
  throw TypeError("a size in terms of symbols does not fit in 64 bits");
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) fail_large();
  return out;
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) fail_large();
  return out;
}

}  // namespace

SizeExpression SizeExpression::symbol(std::size_t number) {
  SizeExpression out;
  out.coefficients_[std::size_t{1} << number] = 1;
  return out;
}

SizeExpression SizeExpression::fit(std::span<const std::int64_t> at_corners,
                                   std::span<const SizeSymbol> symbols) {
  // In terms of most - symbol, which is 0 or 1, the coefficients are differences of the values.
  std::vector<std::int64_t> differences(at_corners.begin(), at_corners.end());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    for (std::size_t corner = 0; corner < differences.size(); ++corner) {
      if ((corner >> i & 1) == 0) continue;
      differences[corner] =
          plus(differences[corner], times(-1, differences[corner ^ std::size_t{1} << i]));
    }
  }
  SizeExpression out;
  for (std::size_t corner = 0; corner < differences.size(); ++corner) {
    if (differences[corner] == 0) continue;
    SizeExpression product = differences[corner];
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if ((corner >> i & 1) != 0) product = product * (symbols[i].most - symbol(i));
    }
    out = out + product;
  }
  return out;
}

std::uint32_t SizeExpression::symbols_used() const {
  std::uint32_t out = 0;
  for (std::uint32_t bits = 1; bits < coefficients_.size(); ++bits) {
    if (coefficients_[bits] != 0) out |= bits;
  }
  return out;
}

bool SizeExpression::is_symbol() const {
  const std::uint32_t used = symbols_used();
  return std::popcount(used) == 1 &&
         *this == symbol(static_cast<std::size_t>(std::countr_zero(used)));
}

std::int64_t SizeExpression::at(std::span<const std::int64_t> values) const {
  std::int64_t out = coefficients_[0];
  for (std::uint32_t bits = 1; bits < coefficients_.size(); ++bits) {
    std::int64_t product = coefficients_[bits];
    if (product == 0) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((bits >> i & 1) != 0) product = times(product, values[i]);
    }
    out = plus(out, product);
  }
  return out;
}

SizeExpression SizeExpression::renumbered(std::span<const std::size_t> numbers) const {
  SizeExpression out;
  for (std::uint32_t bits = 0; bits < coefficients_.size(); ++bits) {
    if (coefficients_[bits] == 0) continue;
    std::uint32_t renamed = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if ((bits >> i & 1) != 0) renamed |= 1U << numbers[i];
    }
    out.coefficients_[renamed] = coefficients_[bits];
  }
  return out;
}

SizeExpression operator+(const SizeExpression& a, const SizeExpression& b) {
  SizeExpression out;
  for (std::size_t i = 0; i < out.coefficients_.size(); ++i) {
    out.coefficients_[i] = plus(a.coefficients_[i], b.coefficients_[i]);
  }
  return out;
}

SizeExpression operator-(const SizeExpression& a, const SizeExpression& b) { return a + -1 * b; }

SizeExpression operator*(const SizeExpression& a, const SizeExpression& b) {
  SizeExpression out;
  for (std::size_t i = 0; i < out.coefficients_.size(); ++i) {
    for (std::size_t j = 0; j < out.coefficients_.size(); ++j) {
      if (a.coefficients_[i] == 0 || b.coefficients_[j] == 0) continue;
      if ((i & j) != 0) throw TypeError("a product of sizes has a symbol twice");
      out.coefficients_[i | j] =
          plus(out.coefficients_[i | j], times(a.coefficients_[i], b.coefficients_[j]));
    }
  }
  return out;
}

std::string SizeExpression::text(const std::function<std::string(std::size_t)>& name) const {
  std::string out;
  const auto term = [&](std::size_t bits) {
    const std::int64_t coefficient = coefficients_[bits];
    if (!out.empty() && coefficient > 0) out += '+';
    std::string factors;
    for (std::size_t i = 0; i < kMostSymbols; ++i) {
      if ((bits >> i & 1) == 0) continue;
      if (!factors.empty()) factors += '*';
      factors += name(i);
    }
    if (factors.empty() || (coefficient != 1 && coefficient != -1)) {
      out += std::to_string(coefficient) + (factors.empty() ? "" : "*");
    } else if (coefficient == -1) {
      out += '-';
    }
    out += factors;
  };
  // Products first, and none that is subtracted at the front if that can be.
  const auto terms = [&](bool positive) {
    for (std::size_t count = kMostSymbols; count > 0; --count) {
      for (std::size_t bits = 1; bits < coefficients_.size(); ++bits) {
        if (std::cmp_equal(std::popcount(bits), count) && coefficients_[bits] != 0 &&
            (coefficients_[bits] > 0) == positive) {
          term(bits);
        }
      }
    }
    if (coefficients_[0] != 0 && (coefficients_[0] > 0) == positive) term(0);
  };
  terms(true);
  terms(false);
  return out.empty() ? "0" : out;
}

std::string SizeExpression::text(std::span<const SizeSymbol> symbols) const {
  return text([&](std::size_t number) { return symbols[number].name; });
}

std::vector<std::vector<std::int64_t>> corners(std::span<const SizeSymbol> symbols) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::size_t corner = 0; corner < std::size_t{1} << symbols.size(); ++corner) {
    std::vector<std::int64_t>& values = out.emplace_back();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      values.push_back(symbols[i].most - static_cast<std::int64_t>(corner >> i & 1));
    }
  }
  return out;
}

}  // namespace tutti::ir
