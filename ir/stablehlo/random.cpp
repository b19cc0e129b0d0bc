#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>

#include <array>

// Generators of random bits. JAX's own default, threefry, is plain arithmetic and needs none.
namespace tutti::ir::stablehlo {

namespace {

using Four = std::array<Term, 4>;

struct Halves {
  Term low;
  Term high;
};

Term shifted(Term x, int by) { return apply(Op::shift_right, x, x.constant(by)); }
Halves halves(Term x) { return {cast(x, DType::u32), cast(shifted(x, 32), DType::u32)}; }
Term joined_halves(Term low, Term high) {
  const Term above = cast(high, DType::u64);
  return apply(Op::bitwise_or, cast(low, DType::u64),
               apply(Op::shift_left, above, above.constant(32)));
}
Term exclusive(Term a, Term b) { return apply(Op::bitwise_xor, a, b); }

// Philox 4x32 with ten rounds: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
Four philox(Four counter, Halves key) {
  for (int round = 0; round < 10; ++round) {
    const Halves first = halves(cast(counter[0], DType::u64) * static_cast<double>(0xD2511F53U));
    const Halves second = halves(cast(counter[2], DType::u64) * static_cast<double>(0xCD9E8D57U));
    counter = {exclusive(exclusive(second.high, counter[1]), key.low), second.low,
               exclusive(exclusive(first.high, counter[3]), key.high), first.low};
    key = {key.low + static_cast<double>(0x9E3779B9U), key.high + static_cast<double>(0xBB67AE85U)};
  }
  return counter;
}

// The numbers of a state: of a u64[n] its elements.
Term element(Term state, std::int64_t i) { return reshape(along(state, 0, i, i + 1), {}); }

// The key comes first; the counter, of 128 bits, is what follows. Of a state of two numbers the
// first is both the key and the counter's upper half.
void philox_bits(Step& step) {
  const Term state = step.operand(0);
  const std::int64_t numbers = state.shape()[0];
  const Shape& shape = step.shape(1);
  const DType dtype = step.dtype(1);
  const bool wide = size_of(dtype) == 8;
  const std::int64_t count = shape.elements();
  const std::int64_t calls = wide ? (count + 1) / 2 : (count + 3) / 4;
  const Term key = element(state, 0);
  const Term low = element(state, 1);
  const Term high = element(state, numbers > 2 ? 2 : 0);
  const Term sum = low + step.iota(DType::u64, {calls}, 0);
  const Term carry = cast(sum < low, DType::u64);
  const Halves below = halves(sum);
  const Halves above = halves(high + carry);
  const Four bits = philox({below.low, below.high, above.low, above.high}, halves(key));
  std::vector<Term> columns;
  const auto column = [&](Term x) { columns.push_back(reshape(x, {calls, 1})); };
  if (wide) {
    column(joined_halves(bits[0], bits[1]));
    column(joined_halves(bits[2], bits[3]));
  } else {
    for (const Term& each : bits)
      column(cast(each, size_of(dtype) < 4 ? unsigned_of(dtype) : DType::u32));
  }
  const std::int64_t made = calls * static_cast<std::int64_t>(columns.size());
  const Term all = reshape(concatenated(columns, 1), {made});
  const Term next = low + static_cast<double>(calls);
  std::vector<Term> after = {reshape(key, {1}), reshape(next, {1})};
  if (numbers > 2) {
    after.push_back(reshape(high + cast(next < low, DType::u64), {1}));
  }
  step.result(concatenated(after, 0));
  step.result(bitcast(reshape(along(all, 0, 0, count), shape), dtype));
}

Term rotated(Term x, int by) {
  return apply(Op::bitwise_or, apply(Op::shift_left, x, x.constant(by)), shifted(x, 32 - by));
}

// Threefry 2x32 with twenty rounds, of the same paper.
Halves threefry(Halves x, Halves key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr double kParity = 0x1BD11BDA;
  const Term last = exclusive(exclusive(key.low, key.high), key.low.constant(kParity));
  const Term keys[] = {key.low, key.high, last};
  x = {x.low + keys[0], x.high + keys[1]};
  for (int group = 0; group < 5; ++group) {
    for (const int by : kRotations[group % 2]) {
      x.low = x.low + x.high;
      x.high = exclusive(x.low, rotated(x.high, by));
    }
    x.low = x.low + keys[(group + 1) % 3];
    x.high = x.high + keys[(group + 2) % 3] + static_cast<double>(group + 1);
  }
  return x;
}

// A dimension that is cut in two halves, of which one may be longer: the first of an even size, or
// else the largest.
int dimension_of_halves(const Shape& shape) {
  int out = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] % 2 == 0) return d;
    if (shape[d] > shape[out]) out = d;
  }
  return out;
}

// The state is the key, and then the counter. Each number of the counter gives 64 bits: an element,
// or two elements that lie side by side along one dimension. Narrow elements are the lowest bits.
void threefry_bits(Step& step) {
  const Term state = step.operand(0);
  const Shape& shape = step.shape(1);
  const DType dtype = step.dtype(1);
  const bool wide = size_of(dtype) == 8;
  const int axis = dimension_of_halves(shape);
  List sizes = sizes_of(shape);  // of what the counters are for
  if (sizes.empty()) sizes = {1};
  const auto d = static_cast<std::size_t>(axis);
  if (!wide) sizes[d] = (sizes[d] + 1) / 2;
  const std::int64_t calls = Shape(sizes).elements();
  const Term key = element(state, 0);
  const Term counter = element(state, 1);
  const Term counters = counter + reshape(step.iota(DType::u64, {calls}, 0), Shape(sizes));
  const Halves bits = threefry(halves(counters), halves(key));
  Term out;
  if (wide) {
    out = reshape(joined_halves(bits.low, bits.high), shape);
  } else {
    List apart = sizes;
    apart.insert(apart.begin() + axis + 1, 1);
    const Term both =
        concatenated({reshape(bits.low, Shape(apart)), reshape(bits.high, Shape(apart))}, axis + 1);
    sizes[d] *= 2;
    const std::int64_t kept = shape.rank() == 0 ? 1 : shape[axis];
    out =
        cast(reshape(along(reshape(both, Shape(sizes)), axis, 0, kept), shape), unsigned_of(dtype));
  }
  const Term next = counter + static_cast<double>(calls);
  step.result(concatenated({reshape(key, {1}), reshape(next, {1})}, 0));
  step.result(bitcast(out, dtype));
}

void rng_bit_generator(Step& step) {
  const Attribute* const given = step.find("algorithm", "rng_algorithm");
  std::string algorithm = given == nullptr ? "DEFAULT" : given->text;
  if (given != nullptr && !given->items.empty()) algorithm = given->items.back().text;
  const Term state = step.operand(0);
  const std::int64_t numbers = state.shape().rank() == 1 ? state.shape()[0] : 0;
  const bool threefry = algorithm == "THREE_FRY";
  if (!threefry && algorithm != "DEFAULT" && algorithm != "PHILOX") {
    step.fail("the algorithms are DEFAULT, PHILOX and THREE_FRY, not " + algorithm);
  }
  if (state.dtype() != DType::u64 || (numbers != 2 && (threefry || numbers != 3))) {
    step.fail("expected a state of " + std::string(threefry ? "two" : "two or three") +
              " ui64, not " + Type{.dtype = state.dtype(), .shape = state.shape()}.text());
  }
  if (!is_integer(step.dtype(1)) || step.shape(1).elements() == 0) {
    step.fail("expected some integers as its result");
  }
  if (threefry) {
    threefry_bits(step);
  } else {
    philox_bits(step);
  }
}

constexpr Rule kRandomRules[] = {
    {"stablehlo.rng_bit_generator", rng_bit_generator},
};

}  // namespace

std::span<const Rule> random_rules() { return kRandomRules; }

}  // namespace tutti::ir::stablehlo
