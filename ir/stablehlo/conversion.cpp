#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>

#include <cmath>

// Conversions between dtypes, of values and of bits.
namespace tutti::ir::stablehlo {

namespace {

void convert(Step& step) { step.result(cast(step.operand(0), step.dtype())); }

// One element as several smaller ones, along a new last dimension, the lowest bits first.
Term split_bits(Step& step, Term x, DType to, std::int64_t parts) {
  const DType wide = unsigned_of(x.dtype());
  const DType narrow = unsigned_of(to);
  const Term bits = bitcast(x, wide);
  std::vector<Value> pieces;
  std::vector<std::int64_t> sizes = sizes_of(x.shape());
  sizes.push_back(1);
  for (std::int64_t i = 0; i < parts; ++i) {
    const auto by = static_cast<double>(8 * size_of(to) * i);
    const Term low = i == 0 ? bits : apply(Op::shift_right, bits, bits.constant(by));
    pieces.push_back(reshape(cast(low, narrow), Shape(sizes)).value());
  }
  const auto axis = static_cast<std::int64_t>(sizes.size()) - 1;
  const Term all(&step.builder(), step.builder().add(Op::concat, pieces, {axis}));
  return bitcast(all, to);
}

// The other way round: the last dimension holds the parts.
Term join_bits(Term x, DType to, std::int64_t parts) {
  const Term bits = cast(bitcast(x, unsigned_of(x.dtype())), unsigned_of(to));
  const int rank = x.shape().rank();
  std::vector<std::int64_t> start(static_cast<std::size_t>(rank), 0);
  std::vector<std::int64_t> stop = sizes_of(x.shape());
  const std::vector<std::int64_t> step(static_cast<std::size_t>(rank), 1);
  std::vector<std::int64_t> sizes = stop;
  sizes.pop_back();
  Term out;
  for (std::int64_t i = 0; i < parts; ++i) {
    start.back() = i;
    stop.back() = i + 1;
    const Term piece = reshape(bits.apply(Op::slice, {start, stop, step}), Shape(sizes));
    const auto by = static_cast<double>(8 * size_of(x.dtype()) * i);
    out = i == 0 ? piece
                 : apply(Op::bitwise_or, out, apply(Op::shift_left, piece, piece.constant(by)));
  }
  return bitcast(out, to);
}

void bitcast_convert(Step& step) {
  const Term x = step.operand(0);
  const DType to = step.dtype();
  if (x.dtype() == to) {
    step.result(x);
    return;
  }
  if (x.dtype() == DType::boolean || to == DType::boolean) step.fail("the bits of bool");
  const std::int64_t from_size = size_of(x.dtype());
  const std::int64_t to_size = size_of(to);
  if (from_size == to_size) {
    step.result(bitcast(x, to));
  } else if (from_size > to_size) {
    step.result(split_bits(step, x, to, from_size / to_size));
  } else {
    const std::int64_t parts = to_size / from_size;
    const Shape& shape = x.shape();
    if (shape.rank() == 0 || shape[shape.rank() - 1] != parts) {
      step.fail("the last dimension must have " + std::to_string(parts) + " elements");
    }
    step.result(join_bits(x, to, parts));
  }
}

struct Format {
  int exponent = 0;
  int mantissa = 0;
};

Format format_of(Step& step) {
  Format out;
  const Attribute* const pretty = step.find("format");
  if (pretty == nullptr) {
    out.exponent = static_cast<int>(step.integer("exponent_bits"));
    out.mantissa = static_cast<int>(step.integer("mantissa_bits"));
  } else {  // e5m10
    const std::size_t m = pretty->text.find('m');
    const auto number = [&](std::size_t from, std::size_t to) {
      int value = 0;
      for (std::size_t i = from; i < to && i < pretty->text.size() && value < 1000; ++i) {
        value = value * 10 + (pretty->text[i] - '0');
      }
      return value;
    };
    if (!pretty->text.starts_with("e") || m == std::string::npos) {
      step.fail("expected a format, as in e5m10");
    }
    out.exponent = number(1, m);
    out.mantissa = number(m + 1, pretty->text.size());
  }
  if (out.exponent < 1 || out.exponent > 11 || out.mantissa < 0 || out.mantissa > 52) {
    step.fail("a format of 1 to 11 bits of exponent and up to 52 of mantissa");
  }
  return out;
}

// To the nearest number of the format, ties to even, by adding just under half of the last bit that
// stays; beyond its range infinity, below its normal numbers zero.
void reduce_precision(Step& step) {
  const Term given = step.operand(0);
  const Format format = format_of(step);
  // Beyond the largest of f8_e4m3fn there is no infinity to round to.
  const bool has_infinity = given.dtype() != DType::f8_e4m3fn;
  const Term x = has_infinity ? given : cast(given, DType::f32);
  const DType dtype = unsigned_of(x.dtype());
  const int mantissa = mantissa_bits(x.dtype());
  const int exponent =
      static_cast<int>(8 * size_of(given.dtype())) - 1 - mantissa_bits(given.dtype());
  Term out = x;
  if (format.mantissa < mantissa) {
    const int dropped = mantissa - format.mantissa;
    const Term bits = bitcast(x, dtype);
    const Term last = apply(Op::bitwise_and, apply(Op::shift_right, bits, bits.constant(dropped)),
                            bits.constant(1));
    const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1;
    const Term rounded = bits + bits_of(x, dtype, half) + last;
    const std::uint64_t kept = ~((std::uint64_t{1} << dropped) - 1);
    out = bitcast(apply(Op::bitwise_and, rounded, bits_of(x, dtype, kept)), x.dtype());
  }
  if (format.exponent < exponent) {
    const int bias = (1 << (format.exponent - 1)) - 1;
    const double most = std::ldexp(2 - std::ldexp(1.0, -std::min(format.mantissa, mantissa)), bias);
    const double least = std::ldexp(1.0, 1 - bias);
    const Term infinity = select(out < 0, out.constant(-INFINITY), out.constant(INFINITY));
    const Term zero = select(x < 0, out.constant(-0.0), out.constant(0.0));
    out = select(abs(out) > most, infinity, select(both(abs(out) < least, x != 0), zero, out));
  }
  out = select(x.apply(Op::is_nan), x, out);
  step.result(has_infinity ? out : cast(out, given.dtype()));
}

constexpr Rule kConversionRules[] = {
    {"stablehlo.bitcast_convert", bitcast_convert},
    {"stablehlo.convert", convert, true},
    {"stablehlo.reduce_precision", reduce_precision, true},
};

}  // namespace

std::span<const Rule> conversion_rules() { return kConversionRules; }

}  // namespace tutti::ir::stablehlo
