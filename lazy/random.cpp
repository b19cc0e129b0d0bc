#include <tutti/lazy/context.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/random.h>
#include <tutti/lazy/scalar_tag.h>

#include <optional>
#include <string>
#include <utility>

namespace tutti {

namespace {

using detail::RankContext;
using ir::Op;

// A u64 that is passed at run time: another seed is no new program.
Tensor runtime_number(std::uint64_t number, Location where) {
  detail::Trace& trace = RankContext::current().trace();
  trace.builder().at(where);
  return Tensor(trace.handle(trace.number(trace.runtime_scalar(Array::scalar(number))), where));
}

// A key lies on a device, as tensors do.
Tensor key_of(std::uint64_t seed, Location where) {
  RankContext& context = RankContext::current();
  detail::Trace& trace = context.trace();
  trace.builder().at(where);
  const detail::StatePtr made = trace.handle(trace.runtime_scalar(Array::scalar(seed)), where);
  return Tensor(context.on_default_device(made, where));
}

std::vector<std::int64_t> list(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

Key::Key(std::uint64_t seed, std::source_location at) : value(key_of(seed, at)) {}

Key fold_in(const Key& key, const Operand& number) {
  // A C++ number is passed at run time: a loop over it is one program.
  Tensor folded;
  if (const auto* natural = std::get_if<std::uint64_t>(&number.value())) {
    folded = runtime_number(*natural, number.where());
  } else if (const auto* integer = std::get_if<std::int64_t>(&number.value());
             integer != nullptr && *integer >= 0) {
    folded = runtime_number(static_cast<std::uint64_t>(*integer), number.where());
  } else {
    folded = number.tensor(DType::u64);
  }
  if (folded.dtype() != DType::u64) {
    folded = Tensor(detail::record(Op::cast, {folded.state()}, {DType::u64}, number.where()));
  }
  return Key(
      Tensor(detail::record(Op::fold_in, {key.value.state(), folded.state()}, {}, number.where())));
}

Key split_part(const Key& key, std::uint64_t part, std::source_location at) {
  // The top bit keeps the parts of a split apart from what loops fold in.
  const Tensor number = runtime_number(part | std::uint64_t{1} << 63, at);
  return Key(Tensor(detail::record(Op::fold_in, {key.value.state(), number.state()}, {}, at)));
}

Tensor random_bits(const Shape& shape, const Key& key, std::source_location at) {
  return Tensor(detail::record(Op::random_bits, {key.value.state()}, {list(shape)}, at));
}

Tensor uniform(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::uniform, {key.value.state()}, {dtype, list(shape)}, at));
}

Tensor normal(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::normal, {key.value.state()}, {dtype, list(shape)}, at));
}

namespace {

constexpr std::uint64_t kLowWord = 0xFFFFFFFFU;

// Pairs of random words, u64[count, 2] with the words in the lower halves, as two tensors: the i-th
// pair is a function of key and i.
std::array<Tensor, 2> word_pairs(std::int64_t count, const Key& key, Location where) {
  const Tensor words =
      Tensor(detail::record(Op::random_bits, {key.value.state()}, {list({2 * count})}, where));
  const Tensor pairs = reshape(Operand(cast(Operand(words, where), DType::u64), where), {count, 2});
  const auto word = [&](std::int64_t i) {
    return reshape(Operand(slice(Operand(pairs, where), {{}, {i, i + 1}}), where), {count});
  };
  return {word(0), word(1)};
}

// floor(number * range / 2^64), of numbers given by their words.
Tensor scaled(const std::array<Tensor, 2>& words, std::uint64_t range, Location where) {
  const auto at = [&](const Tensor& x) { return Operand(x, where); };
  const Tensor low_range = runtime_number(range & kLowWord, where);
  const Tensor high_range = runtime_number(range >> 32, where);
  // Long multiplication; no sum reaches 2^64.
  const Tensor lowest = shift_right(at(mul(at(words[0]), low_range)), 32);
  const Tensor middle = add(at(mul(at(words[1]), low_range)), lowest);
  const Tensor other = add(at(mul(at(words[0]), high_range)), bitwise_and(at(middle), kLowWord));
  const Tensor carried = add(at(shift_right(at(middle), 32)), shift_right(at(other), 32));
  return add(at(mul(at(words[1]), high_range)), carried);
}

bool holds(DType dtype, std::int64_t number) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_integer(dtype_of<T>)) {
      return std::in_range<T>(number);
    } else {
      return false;
    }
  });
}

// What a C++ number says; nothing for a tensor, or a float that stands for an argument.
std::optional<double> known_number(const Operand& x) {
  if (const auto* const number = std::get_if<Operand::Number>(&x.value())) {
    bool tampered = false;
    const bool stands =
        detail::ScalarTag::argument_of(number->bits, number->single, tampered).has_value();
    return stands || tampered ? std::nullopt : std::optional(number->value);
  }
  if (const auto* const integer = std::get_if<std::int64_t>(&x.value())) {
    return static_cast<double>(*integer);
  }
  if (const auto* const natural = std::get_if<std::uint64_t>(&x.value())) {
    return static_cast<double>(*natural);
  }
  return std::nullopt;
}

std::string text_of(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Tensor randint(const Shape& shape, const Key& key, std::int64_t low, std::int64_t high, DType dtype,
               std::source_location at) {
  const Location where = at;
  const std::string interval = "[" + std::to_string(low) + ", " + std::to_string(high) + ")";
  if (low >= high) throw TypeError("randint: the interval " + interval + " is empty", where);
  if (!holds(dtype, low) || !holds(dtype, high - 1)) {
    throw TypeError(
        "randint: " + std::string(name_of(dtype)) + " can't hold the integers of " + interval,
        where);
  }
  const auto operand = [&](const Tensor& x) { return Operand(x, where); };
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  Tensor offset;
  constexpr std::uint64_t kOneWord = 1 << 16;  // how many integers one word chooses from
  if (range <= kOneWord) {
    const Tensor word = cast(operand(random_bits(shape, key, at)), DType::u64);
    offset = shift_right(operand(mul(operand(word), runtime_number(range, where))), 32);
  } else {
    const Tensor flat = scaled(word_pairs(shape.elements(), key, where), range, where);
    offset = reshape(operand(flat), list(shape));
  }
  // Modulo 2^64, where the sum is right for negative numbers too.
  const Tensor sum = add(operand(offset), runtime_number(static_cast<std::uint64_t>(low), where));
  if (dtype == DType::u64) return sum;
  const Tensor wide = bitcast(operand(sum), DType::i64);
  return dtype == DType::i64 ? wide : cast(operand(wide), dtype);
}

Tensor bernoulli(const Shape& shape, const Key& key, const Operand& probability) {
  const Location where = probability.where();
  if (const auto number = known_number(probability); number && !(*number >= 0 && *number <= 1)) {
    throw TypeError("bernoulli: a probability of " + text_of(*number) + "; it must be of [0, 1]",
                    where);
  }
  Tensor chance = probability.tensor(probability.is_tensor() ? probability.dtype() : DType::f32);
  if (!is_floating(chance.dtype())) {
    throw TypeError("bernoulli: the probabilities must be floating-point, not " +
                        std::string(name_of(chance.dtype())),
                    where);
  }
  const DType dtype = chance.dtype() == DType::f64 ? DType::f64 : DType::f32;
  if (chance.dtype() != dtype) chance = cast(Operand(chance, where), dtype);
  const Tensor number =
      Tensor(detail::record(Op::uniform, {key.value.state()}, {dtype, list(shape)}, where));
  return lt(Operand(number, where), broadcast_to(Operand(chance, where), list(shape)));
}

Tensor dropout(const Operand& x, const Key& key, const Operand& rate) {
  const Location where = x.where();
  const Tensor t = x.tensor();
  if (!is_floating(t.dtype())) {
    throw TypeError("dropout: takes floating-point numbers, not " + std::string(name_of(t.dtype())),
                    where);
  }
  if (const auto number = known_number(rate); number && !(*number >= 0 && *number < 1)) {
    throw TypeError("dropout: a rate of " + text_of(*number) + "; it must be of [0, 1)", where);
  }
  if (rate.is_tensor() && !is_floating(rate.dtype())) {
    throw TypeError(
        "dropout: the rate must be floating-point, not " + std::string(name_of(rate.dtype())),
        where);
  }
  const auto operand = [&](const Tensor& y) { return Operand(y, where); };
  const auto converted = [&](const Tensor& y, DType dtype) {
    return y.dtype() == dtype ? y : cast(operand(y), dtype);
  };
  const DType wide = t.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Tensor dropped = rate.is_tensor() ? converted(rate.tensor(), wide) : rate.tensor(wide);
  const Tensor chance = add(operand(neg(operand(dropped))), 1);
  const Tensor kept = bernoulli(t.shape(), key, operand(chance));
  const Tensor larger = div(operand(converted(t, wide)), chance);
  return converted(select(operand(kept), larger, 0), t.dtype());
}

Tensor permutation(std::int64_t count, const Key& key, std::source_location at) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;  // words of 8 bytes that can be addressed
  if (count < 0 || count > kMost) {
    throw TypeError("permutation: of " + std::to_string(count) + " numbers", Location(at));
  }
  const Location where = at;
  const auto operand = [&](const Tensor& x) { return Operand(x, where); };
  const std::array<Tensor, 2> words = word_pairs(count, key, where);
  const Tensor high = shift_left(operand(words[1]), 32);
  return argsort(operand(bitwise_or(operand(high), words[0])), 0);
}

}  // namespace tutti
