#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/random.h>

#include <optional>
#include <string>
#include <utility>

namespace tutti {

namespace {

using detail::composite;
using detail::RankContext;
using ir::Op;

// A u64 that is passed at run time: another seed is no new program.
Tensor runtime_number(std::uint64_t number, Location where) {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  const Location line = context.line_of(where);
  detail::Trace& trace = context.trace();
  trace.builder().at(line);
  return Tensor(trace.handle(trace.number(trace.runtime_scalar(Array::scalar(number))), line));
}

// A key lies on a device, as tensors do.
Tensor key_of(std::uint64_t seed, Location where) {
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  detail::Trace& trace = context.trace();
  trace.builder().at(where);
  const detail::StatePtr made = trace.handle(trace.runtime_scalar(Array::scalar(seed)), where);
  return Tensor(context.on_default_device(made, where));
}

const detail::StatePtr& state_of(const Key& key, Location where) {
  if (key.value.defined() || key.value.was_moved()) return key.value.state(where);
  throw UsageError("this key was never given a value; Key(seed) is one", where);
}

std::vector<std::int64_t> list(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

Key::Key(std::uint64_t seed, std::source_location at) : value(key_of(seed, at)) {}

Key fold_in(const Key& key, const Operand& number) {
  return composite("fold_in", number.where(), [&] {
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
    return Key(Tensor(detail::record(Op::fold_in, {state_of(key, number.where()), folded.state()},
                                     {}, number.where())));
  });
}

Key split_part(const Key& key, std::uint64_t part, std::source_location at) {
  // The top bit keeps the parts of a split apart from what loops fold in.
  const Tensor number = runtime_number(part | std::uint64_t{1} << 63, at);
  return Key(Tensor(detail::record(Op::fold_in, {state_of(key, at), number.state()}, {}, at)));
}

Tensor random_bits(const Shape& shape, const Key& key, std::source_location at) {
  return Tensor(detail::record(Op::random_bits, {state_of(key, at)}, {list(shape)}, at));
}

Tensor uniform(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::uniform, {state_of(key, at)}, {dtype, list(shape)}, at));
}

Tensor normal(const Shape& shape, const Key& key, DType dtype, std::source_location at) {
  return Tensor(detail::record(Op::normal, {state_of(key, at)}, {dtype, list(shape)}, at));
}

namespace {

constexpr std::uint64_t kLowWord = 0xFFFFFFFFU;

// Pairs of random words, u64[count, 2] with the words in the lower halves, as two tensors: the i-th
// pair is a function of key and i.
std::array<Tensor, 2> word_pairs(std::int64_t count, const Key& key, Location where) {
  const Tensor words =
      Tensor(detail::record(Op::random_bits, {state_of(key, where)}, {list({2 * count})}, where));
  const Tensor pairs = reshape(cast(words, DType::u64), {count, 2});
  const auto word = [&](std::int64_t i) {
    return reshape(slice(pairs, {{}, {i, i + 1}}), {count});
  };
  return {word(0), word(1)};
}

// floor(number * range / 2^64), of numbers given by their words.
Tensor scaled(const std::array<Tensor, 2>& words, std::uint64_t range, Location where) {
  const Tensor low_range = runtime_number(range & kLowWord, where);
  const Tensor high_range = runtime_number(range >> 32, where);
  // Long multiplication; no sum reaches 2^64.
  const Tensor lowest = shift_right(mul(words[0], low_range), 32);
  const Tensor middle = add(mul(words[1], low_range), lowest);
  const Tensor other_product = mul(words[0], high_range);
  const Tensor other = add(other_product, bitwise_and(middle, kLowWord));
  const Tensor middle_carry = shift_right(middle, 32);
  const Tensor carried = add(middle_carry, shift_right(other, 32));
  return add(mul(words[1], high_range), carried);
}

}  // namespace

Tensor randint(const Shape& shape, const Key& key, std::int64_t low, std::int64_t high, DType dtype,
               std::source_location at) {
  return composite("randint", at, [&] {
    const Location where = at;
    check_dtype(dtype);
    const std::string interval = "[" + std::to_string(low) + ", " + std::to_string(high) + ")";
    if (low >= high) throw TypeError("the interval " + interval + " is empty");
    if (!detail::holds(dtype, low) || !detail::holds(dtype, high - 1)) {
      throw TypeError(std::string(name_of(dtype)) + " can't hold the integers of " + interval);
    }
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    Tensor offset;
    constexpr std::uint64_t kOneWord = 1 << 16;  // how many integers one word chooses from
    if (range <= kOneWord) {
      const Tensor word = cast(random_bits(shape, key, at), DType::u64);
      offset = shift_right(mul(word, runtime_number(range, where)), 32);
    } else {
      const Tensor flat = scaled(word_pairs(shape.elements(), key, where), range, where);
      offset = reshape(flat, list(shape));
    }
    // Modulo 2^64, where the sum is right for negative numbers too.
    const Tensor sum = add(offset, runtime_number(static_cast<std::uint64_t>(low), where));
    if (dtype == DType::u64) return sum;
    const Tensor wide = bitcast(sum, DType::i64);
    return dtype == DType::i64 ? wide : cast(wide, dtype);
  });
}

Tensor bernoulli(const Shape& shape, const Key& key, const Operand& probability) {
  return composite("bernoulli", probability.where(), [&] {
    if (const auto number = detail::known_number(probability);
        number && !(*number >= 0 && *number <= 1)) {
      throw TypeError("a probability of " + detail::number_text(*number) +
                      "; it must be of [0, 1]");
    }
    // A number adapts to where the key lies.
    if (!probability.is_tensor()) return lt(uniform(shape, key), probability);
    Tensor chance = probability.tensor();
    if (!is_floating(chance.dtype())) {
      throw TypeError("the probabilities must be floating-point, not " +
                      std::string(name_of(chance.dtype())));
    }
    const DType dtype = chance.dtype() == DType::f64 ? DType::f64 : DType::f32;
    if (chance.dtype() != dtype) chance = cast(chance, dtype);
    return lt(uniform(shape, key, dtype), broadcast_to(chance, list(shape)));
  });
}

Tensor dropout(const Operand& x, const Key& key, const Operand& rate) {
  return composite("dropout", x.where(), [&] {
    const Tensor t = x.tensor();
    if (!is_floating(t.dtype())) {
      throw TypeError("takes floating-point numbers, not " + std::string(name_of(t.dtype())));
    }
    const DType wide = t.dtype() == DType::f64 ? DType::f64 : DType::f32;
    if (const auto number = detail::known_number(rate)) {
      // What f32 rounds to 1 would leave nothing to divide by.
      const bool below_1 = *number < 1 && (wide == DType::f64 || static_cast<float>(*number) < 1);
      if (!(*number >= 0 && below_1)) {
        throw TypeError("a rate of " + detail::number_text(*number) + "; it must be of [0, 1)");
      }
    }
    if (rate.is_tensor() && !is_floating(rate.dtype())) {
      throw TypeError("the rate must be floating-point, not " + std::string(name_of(rate.dtype())));
    }
    const auto converted = [&](const Tensor& y, DType dtype) {
      return y.dtype() == dtype ? y : cast(y, dtype);
    };
    const Tensor wider = converted(t, wide);
    const Operand dropped = rate.is_tensor() ? Operand(converted(rate.tensor(), wide)) : rate;
    // What a number leaves lies where x does, and is the same on the ranks on which x is.
    const bool adapts = !rate.is_tensor() || rate.tensor().state()->type.replication.literal;
    const Tensor chance = adapts ? sub(ones_like(wider), dropped) : add(neg(dropped), 1);
    const Tensor kept = bernoulli(t.shape(), key, chance);
    const Tensor larger = div(wider, chance);
    return converted(select(kept, larger, 0), t.dtype());
  });
}

Tensor permutation(std::int64_t count, const Key& key, std::source_location at) {
  return composite("permutation", at, [&] {
    constexpr std::int64_t kMost = std::int64_t{1} << 56;  // words of 8 bytes that can be addressed
    if (count < 0 || count > kMost) {
      throw TypeError("of " + std::to_string(count) + " numbers");
    }
    const Location where = at;
    const std::array<Tensor, 2> words = word_pairs(count, key, where);
    const Tensor high = shift_left(words[1], 32);
    return argsort(bitwise_or(high, words[0]), 0);
  });
}

}  // namespace tutti
